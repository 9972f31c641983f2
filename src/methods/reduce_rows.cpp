// Few weighted points in the place of many: reduced set density estimators.
//
//   H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving the training and execution speed
//   of kernel machines", SDM 2013 (shadow densities)
//   Y. Chen, M. Welling, A. Smola, "Super-samples from kernel herding", UAI 2010
//
// Cost of m centres of n rows in d columns: shadow n m d in one pass; k-means n m d in every
// iteration; paring m; herding n^2 d. Weights other than counts: one more pass, n m d.

#include "methods/reduce_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "density/center_weights.h"
#include "density/herding.h"
#include "density/kmeans.h"
#include "density/squared_distance.h"
#include "engine/kernel_value.h"
#include "methods/cover_state.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

constexpr std::uint64_t kShuffleStream = 0x7368756666;
constexpr std::uint64_t kParingStream = 0x706172;
constexpr std::uint64_t kMeansStream = 0x6d65616e73;

/// All rows in a random order, to be handed over in chunks.
struct ShuffledRows {
  Matrix<double> points;
  std::vector<double> weights;
  std::vector<std::size_t> order;

  ShuffledRows(MatrixView<const double> rows, std::span<const double> row_weights,
               const engine::RandomStream& stream)
      : points(Matrix<double>::uninitialized(rows.rows(), rows.cols())), order(rows.rows()) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::uint64_t> keys(order.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = stream.bits(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::ranges::copy(rows.row(order[i]), points.row(i).begin());
      if (!row_weights.empty()) weights.push_back(row_weights[order[i]]);
    }
  }
};

class Reducer {
 public:
  Reducer(TrainingRows& data, const Kernel& kernel, const ReductionOptions& options,
          std::uint64_t seed, double memory_limit_bytes, engine::Workers& workers)
      : data_(data),
        kernel_(kernel),
        options_(options),
        stream_(seed),
        memory_limit_bytes_(memory_limit_bytes),
        workers_(workers) {}

  WeightedSet run();

 private:
  WeightedSet all_rows();
  WeightedSet shadow();
  WeightedSet shuffled_shadow();
  WeightedSet kmeans();
  WeightedSet paring();
  WeightedSet herding();
  void weigh_by_nearest(WeightedSet& set);
  void weigh_optimally(WeightedSet& set, int power);
  void measure_assignment(WeightedSet& set);

  MatrixView<const double> memory(const char* what);
  void require_room_for_copy(MatrixView<const double> points, const char* what) const;
  double weight_of(std::size_t row) const {
    return data_.memory_weights().empty() ? 1 : data_.memory_weights()[row];
  }
  std::size_t center_count();
  void for_each_chunk(const std::function<void(const Chunk&)>& use);

  TrainingRows& data_;
  const Kernel& kernel_;
  const ReductionOptions& options_;
  engine::RandomStream stream_;
  double memory_limit_bytes_;
  engine::Workers& workers_;
  std::size_t rows_ = 0;
  double data_weight_ = 0;
  std::uint64_t distance_evaluations_ = 0;
};

/// All rows at once, checked.
MatrixView<const double> Reducer::memory(const char* what) {
  if (!data_.in_memory()) {
    throw InvalidArgument(fmt::format(
        "{} needs all rows in memory; a table that does not fit can be reduced by shadow or paring",
        what));
  }
  for_each_chunk([](const Chunk&) {});
  return *data_.in_memory();
}

/// Checks and counts the rows on the way.
void Reducer::for_each_chunk(const std::function<void(const Chunk&)>& use) {
  rows_ = 0;
  data_weight_ = 0;
  data_.for_each_chunk(
      kCoverChunkRows,
      [&](const Chunk& chunk) {
        engine::check_new_points(kernel_, chunk.points, chunk.first_row);
        rows_ += chunk.points.rows();
        for (std::size_t i = 0; i < chunk.points.rows(); ++i) {
          data_weight_ += chunk.weights.empty() ? 1 : chunk.weights[i];
        }
        use(chunk);
      },
      workers_);
  if (rows_ == 0) throw DataError("there are no rows");
}

void Reducer::require_room_for_copy(MatrixView<const double> points, const char* what) const {
  const double bytes = sizeof(double) * static_cast<double>(points.rows()) *
                       (static_cast<double>(points.cols()) + 3);
  if (bytes <= memory_limit_bytes_) return;
  throw MemoryLimitError(fmt::format("{} takes a copy of {}, more than the limit of {}", what,
                                     system::format_bytes(bytes),
                                     system::format_bytes(memory_limit_bytes_)));
}

WeightedSet Reducer::all_rows() {
  const auto points = memory("keeping every row");
  require_room_for_copy(points, "keeping every row");
  WeightedSet set;
  set.centers = Matrix<double>(points);
  set.rows.resize(points.rows());
  std::iota(set.rows.begin(), set.rows.end(), std::uint64_t{0});
  set.map.assign(set.rows.begin(), set.rows.end());
  for (std::size_t i = 0; i < points.rows(); ++i) set.weights.push_back(weight_of(i));
  set.quantization = Quantization{};
  return set;
}

WeightedSet Reducer::shadow() {
  if (options_.shuffle) return shuffled_shadow();
  CoverState cover(kernel_, data_.cols(), shadow_radius(kernel_, options_));
  std::vector<std::size_t> map;
  for_each_chunk([&](const Chunk& chunk) {
    const auto hits = cover.add(chunk, workers_);
    if (!data_.in_memory()) return;
    for (const auto& hit : hits) map.push_back(hit.centre);
  });
  WeightedSet set = cover.set();
  set.map = std::move(map);
  return set;
}

WeightedSet Reducer::shuffled_shadow() {
  const auto points = memory("a random order of the rows");
  require_room_for_copy(points, "a random order of the rows");
  const ShuffledRows rows(points, data_.memory_weights(), stream_.substream(kShuffleStream));
  TrainingRows in_order(rows.points, rows.weights);
  ReductionOptions options = options_;
  options.shuffle = false;
  WeightedSet set = Reducer(in_order, kernel_, options, 0, memory_limit_bytes_, workers_).shadow();
  for (auto& row : set.rows) row = rows.order[row];
  std::vector<std::size_t> map(set.map.size());
  for (std::size_t i = 0; i < map.size(); ++i) map[rows.order[i]] = set.map[i];
  set.map = std::move(map);
  return set;
}

/// As many as asked for, or as a shadow cover has.
std::size_t Reducer::center_count() {
  if (options_.centers) return *options_.centers;
  CoverState cover(kernel_, data_.cols(), shadow_radius(kernel_, options_));
  for_each_chunk([&](const Chunk& chunk) { cover.add(chunk, workers_); });
  distance_evaluations_ += cover.distance_evaluations;
  return cover.shadow.size();
}

WeightedSet Reducer::kmeans() {
  const auto points = memory("k-means");
  const auto weights = data_.memory_weights();
  const std::size_t m = center_count();
  const auto seeds =
      density::kmeans_seeds(points, weights, m, stream_.substream(kMeansStream), workers_);
  Matrix<double> start(seeds.size(), points.cols());
  for (std::size_t j = 0; j < seeds.size(); ++j) {
    std::ranges::copy(points.row(seeds[j]), start.row(j).begin());
  }
  auto cells = density::lloyd(points, weights, start, options_.iterations, workers_);
  distance_evaluations_ +=
      static_cast<std::uint64_t>(points.rows()) * seeds.size() * (cells.iterations + 1);
  WeightedSet set;
  set.centers = std::move(cells.centres);
  set.weights = std::move(cells.weights);
  set.map = std::move(cells.assignment);
  measure_assignment(set);
  return set;
}

WeightedSet Reducer::paring() {
  const std::size_t m = center_count();
  Samples samples =
      sample_rows(data_, kernel_, m, 0, {}, stream_.substream(kParingStream), workers_);
  rows_ = samples.rows;
  data_weight_ = samples.total_weight;
  RowSample& chosen = samples.chosen;
  WeightedSet set;
  set.centers = std::move(chosen.points);
  set.rows = std::move(chosen.rows);
  set.weights = std::move(chosen.weights);
  if (set.weights.empty()) set.weights.assign(set.size(), 1.0);
  const double sum = set.total_weight();
  for (double& weight : set.weights) weight *= samples.total_weight / sum;
  return set;
}

WeightedSet Reducer::herding() {
  const auto points = memory("herding");
  const std::size_t m = center_count();
  const auto herd = density::herd(kernel_, points, data_.memory_weights(), m, workers_);
  std::vector<std::size_t> count(points.rows(), 0);
  for (const std::size_t pick : herd.picks) ++count[pick];
  WeightedSet set;
  set.kernel_evaluations = herd.kernel_evaluations;
  for (const std::size_t pick : herd.picks) {
    if (count[pick] == 0) continue;  // weighed already
    set.rows.push_back(pick);
    set.weights.push_back(data_weight_ * static_cast<double>(count[pick]) /
                          static_cast<double>(herd.picks.size()));
    count[pick] = 0;
  }
  set.centers = Matrix<double>::uninitialized(set.rows.size(), points.cols());
  for (std::size_t j = 0; j < set.rows.size(); ++j) {
    std::ranges::copy(points.row(set.rows[j]), set.centers.row(j).begin());
  }
  return set;
}

/// How far rows in memory are from the centres they are mapped to.
void Reducer::measure_assignment(WeightedSet& set) {
  const auto radial = engine::RadialKernel::of(kernel_);
  if (!radial) return;
  const auto points = *data_.in_memory();
  std::vector<double> squared(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    squared[i] = density::squared_distance(points.row(i), set.centers.row(set.map[i]), 1);
  }
  QuantizationSums sums(*radial);
  sums.add(squared, data_.memory_weights(), workers_);
  set.quantization = sums.average();
}

void Reducer::weigh_by_nearest(WeightedSet& set) {
  const auto radial = engine::RadialKernel::of(kernel_);
  std::optional<QuantizationSums> sums;
  if (radial) sums.emplace(*radial);
  std::vector<double> weights(set.size(), 0.0);
  set.map.clear();
  for_each_chunk([&](const Chunk& chunk) {
    const auto nearest = density::assign_nearest(chunk.points, set.centers, workers_);
    std::vector<double> squared(nearest.size());
    for (std::size_t i = 0; i < nearest.size(); ++i) {
      weights[nearest[i]] += chunk.weights.empty() ? 1 : chunk.weights[i];
      squared[i] = density::squared_distance(chunk.points.row(i), set.centers.row(nearest[i]), 1);
    }
    if (sums) sums->add(squared, chunk.weights, workers_);
    if (data_.in_memory()) set.map.insert(set.map.end(), nearest.begin(), nearest.end());
    distance_evaluations_ += static_cast<std::uint64_t>(nearest.size()) * set.size();
  });
  set.weights = std::move(weights);
  set.quantization.reset();
  if (sums) set.quantization = sums->average();
}

void Reducer::weigh_optimally(WeightedSet& set, int power) {
  const auto m = static_cast<double>(set.size());
  const double bytes = 2 * sizeof(double) * m * m;
  if (bytes > memory_limit_bytes_) {
    throw MemoryLimitError(fmt::format(
        "optimal weights of {} centres need {}, more than the limit of {}: take a larger radius, "
        "fewer centres or the weights of the nearest rows",
        set.size(), system::format_bytes(bytes), system::format_bytes(memory_limit_bytes_)));
  }
  density::KernelSums sums(kernel_, set.centers, power);
  for_each_chunk([&](const Chunk& chunk) {
    sums.add(chunk.points, chunk.weights, workers_);
    set.kernel_evaluations += static_cast<std::uint64_t>(chunk.points.rows()) * set.size();
  });
  set.weights = density::optimal_weights(kernel_, set.centers, power, sums.sums(), workers_);
  set.map.clear();  // no longer what the weights come from
  set.kernel_evaluations += static_cast<std::uint64_t>(set.size()) * set.size();
}

/// Centres that stand for nothing are given up. No row is mapped to one of them.
void drop_weightless(WeightedSet& set) {
  const auto dropped = std::ranges::count_if(set.weights, [](double w) { return !(w > 0); });
  if (dropped == 0) return;
  Matrix<double> kept(set.size() - static_cast<std::size_t>(dropped), set.centers.cols());
  std::vector<std::size_t> number(set.size(), 0);
  std::size_t count = 0;
  for (std::size_t j = 0; j < set.size(); ++j) {
    if (!(set.weights[j] > 0)) continue;
    std::ranges::copy(set.centers.row(j), kept.row(count).begin());
    set.weights[count] = set.weights[j];
    if (!set.rows.empty()) set.rows[count] = set.rows[j];
    number[j] = count++;
  }
  set.weights.resize(count);
  if (!set.rows.empty()) set.rows.resize(count);
  for (std::size_t& centre : set.map) centre = number[centre];
  set.centers = std::move(kept);
}

WeightedSet Reducer::run() {
  WeightedSet set;
  switch (options_.method) {
    case Reduction::none:
      set = all_rows();
      break;
    case Reduction::shadow:
      set = shadow();
      break;
    case Reduction::kmeans:
      set = kmeans();
      break;
    case Reduction::paring:
      set = paring();
      break;
    case Reduction::herding:
      set = herding();
      break;
  }
  switch (options_.weights) {
    case CenterWeights::count:
      break;
    case CenterWeights::nearest:
      weigh_by_nearest(set);
      break;
    case CenterWeights::operator_optimal:
      weigh_optimally(set, 2);
      break;
    case CenterWeights::mmd_optimal:
      weigh_optimally(set, 1);
      break;
  }
  drop_weightless(set);
  if (set.size() == 0) {
    throw NumericalError("the best weights are all 0: the kernel vanishes on all rows");
  }
  set.reduction = options_.method;
  set.weighting = options_.weights;
  if (set.quantization) set.kernel = kernel_;
  set.data_rows = rows_;
  set.data_weight = data_weight_;
  set.distance_evaluations += distance_evaluations_;
  return set;
}

}  // namespace

WeightedSet reduce_rows(TrainingRows& data, const Kernel& kernel, const ReductionOptions& options,
                        std::uint64_t seed, double memory_limit_bytes, engine::Workers& workers) {
  return Reducer(data, kernel, options, seed, memory_limit_bytes, workers).run();
}

}  // namespace mercer::methods
