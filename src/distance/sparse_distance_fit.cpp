// S. Epstein, M. Betke, "The kernel semi-least squares method for sparse distance approximation".
//
// | here | paper | |
// |---|---|---|
// | n, m | n, m | items Q, landmarks R among them |
// | squares | d^2(q_i, q_j) | of all items with a sample S of them (all, unless asked otherwise) |
// | origin | g | eq. 3: k(q, q') = g(q) - d^2(q, q')/2 + g(q') |
// | K, T | K, K (K_RQ^+ + W) | eqs. 14, 15: k(q, Q) ~ T k(q, R), W = 0 for regression |
//
// 1. Squared distances of items. 2. Is the distance Hilbertian? Eq. 3 gives a positive
// semi-definite kernel then, though not for any g as the paper says. 3. Landmarks (section 7).
// 4. The map T by least squares over the sample, folded with g into d^2 ~ A d^2_R + b, so that a
// query costs m distances and n m multiply-adds. (The paper counts m n e offline, but eq. 15 needs
// all of K.) 5. Errors by leaving out items. 6. Coordinates beside the span of the landmarks, which
// give bounds: beyond the paper.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "distance/distance_map.h"
#include "distance/greedy_subset.h"
#include "distance/landmark_coordinates.h"
#include "distance/leave_one_out.h"
#include "distance/measured_items.h"
#include "distance/option_names.h"
#include "distance/sparse_distance_state.h"
#include "distance/subset_choice.h"
#include "engine/distance_value.h"
#include "engine/kernel_value.h"
#include "engine/pair_distances.h"
#include "engine/tall.h"
#include "methods/fit_record.h"

namespace mercer {

namespace {

using distance::AffineMap;
using distance::LeaveOneOut;
using distance::TrainingSquares;

constexpr std::size_t kDefaultLandmarks = 32;
/// Below so many items, leaving one out is optimistic by up to two points: landmarks were chosen
/// with it.
constexpr std::size_t kFewItems = 100;
constexpr double kOptimism = 0.02;

class SparseDistanceFitter {
 public:
  /// `rows`: of the items, to keep; empty where there are none.
  SparseDistanceFitter(const engine::PairDistances& pairs, MatrixView<const double> rows,
                       model::DistanceNumbers numbers, const SparseDistanceOptions& options,
                       methods::FitRecord& record, bool proven, bool declared)
      : pairs_(pairs),
        rows_(rows),
        numbers_(std::move(numbers)),
        options_(options),
        record_(record),
        workers_(record.workers()),
        proven_(proven),
        declared_(declared) {}

  SparseDistanceFit run() {
    numbers_.n = pairs_.size();
    measured_ = distance::measure_items(pairs_, options_, proven_, record_);
    numbers_.hilbertian = proven_ || (declared_ && !measured_.indefinite);
    choose_origin();
    choose_landmarks();
    finish_numbers();
    return finish();
  }

 private:
  TrainingSquares training() const {
    return {.squares = measured_.squares, .sample = measured_.sample, .landmarks = columns_};
  }

  void choose_origin() {
    sphere_ = numbers_.indexed.empty()
                  ? distance::sphere_constant(numbers_.distance, numbers_.columns)
                  : std::nullopt;
    origin_ = options_.origin;
    if (origin_ == DistanceOrigin::automatic) {
      origin_ = sphere_ ? DistanceOrigin::constant : DistanceOrigin::base_point;
    }
    if (origin_ != DistanceOrigin::constant) return;
    if (!options_.constant && !sphere_) {
      throw InvalidArgument(
          fmt::format("a constant origin of {} distances needs its constant: their items lie on no "
                      "known sphere",
                      summary_.metric));
    }
    constant_ = options_.constant ? *options_.constant : *sphere_;
  }

  std::optional<double> selection_constant() const {
    return origin_ == DistanceOrigin::constant ? std::optional(constant_) : std::nullopt;
  }

  distance::OriginFunction origin() const {
    return distance::make_origin(origin_, constant_, training().among_landmarks());
  }

  std::vector<std::size_t> candidate_columns() const {
    std::vector<std::size_t> columns;
    std::vector<char> wanted(numbers_.n, options_.candidates.empty() ? 1 : 0);
    for (const std::size_t item : options_.candidates) wanted[item] = 1;
    for (std::size_t c = 0; c < measured_.sample.size(); ++c) {
      if (wanted[measured_.sample[c]] != 0) columns.push_back(c);
    }
    return columns;
  }

  void choose_landmarks() {
    record_.begin("landmarks");
    if (!options_.landmark_items.empty()) {
      summary_.selection = "given";
      for (const std::size_t item : options_.landmark_items) {
        const auto at = std::ranges::lower_bound(measured_.sample, item);
        columns_.push_back(static_cast<std::size_t>(at - measured_.sample.begin()));
      }
      fit_map();
      return;
    }
    const Matrix<double> gram = distance::selection_gram(
        engine::pick_rows(measured_.squares, measured_.sample), selection_constant());
    const std::vector<std::size_t> candidates = candidate_columns();
    if (options_.error) {
      grow_to_error(gram, candidates);
    } else {
      choose_count(gram, candidates);
    }
    double trace = 0;
    for (std::size_t i = 0; i < gram.rows(); ++i) trace += gram(i, i);
    if (trace > 0 && !measured_.indefinite) {
      const double captured = distance::captured_trace(gram, columns_, workers_);
      summary_.residual_trace_fraction = std::max(0.0, 1 - captured / trace);
    }
  }

  void choose_count(const Matrix<double>& gram, std::span<const std::size_t> candidates) {
    const std::size_t asked = options_.landmarks.value_or(kDefaultLandmarks);
    const auto selection = options_.selection == SubsetSelection::automatic ? SubsetSelection::swap
                                                                            : options_.selection;
    summary_.selection = distance::option_name(selection);
    auto choice =
        distance::choose_subset(gram, candidates, asked, selection, record_.seed(), workers_);
    columns_ = std::move(choice.rows);
    summary_.gains = std::move(choice.gains);
    if (choice.refreshes > 0) {
      record_.choice("greedy gains", fmt::format("made anew {} times", choice.refreshes),
                     "rounding had spoiled their recurrences");
    }
    if (columns_.size() < std::min(asked, candidates.size()) || asked > candidates.size()) {
      summary_.termination = {
          TerminationReason::fewer_components,
          fmt::format("{} of {} landmarks: no other item adds anything", columns_.size(), asked)};
    }
    record_.begin("map");
    fit_map();
  }

  void grow_to_error(const Matrix<double>& gram, std::span<const std::size_t> candidates) {
    const bool frobenius = options_.selection == SubsetSelection::greedy_frobenius;
    summary_.selection = distance::option_name(frobenius ? SubsetSelection::greedy_frobenius
                                                         : SubsetSelection::greedy);
    const double target = measured_.sample.size() < kFewItems
                              ? std::max(*options_.error - kOptimism, *options_.error / 2)
                              : *options_.error;
    const std::size_t most = std::min(options_.max_landmarks, candidates.size());
    distance::GreedySubset subset(
        gram, candidates,
        frobenius ? distance::SubsetObjective::frobenius : distance::SubsetObjective::trace, most,
        workers_);
    bool met = false;
    while (!met && subset.rows().size() < most && subset.grow()) {
      columns_ = subset.rows();
      fit_map();
      met = errors_.relative_error.value_or(0) <= target;
    }
    if (columns_.empty()) {
      columns_.push_back(candidates.front());
      fit_map();
      met = errors_.relative_error.value_or(0) <= target;
    }
    summary_.gains = subset.gains();
    record_.choice("landmarks", fmt::format("{}", columns_.size()),
                   fmt::format("relative error {:.3g} by leaving one out, {:.3g} asked for",
                               errors_.relative_error.value_or(0), *options_.error));
    if (!met) {
      summary_.termination = {
          TerminationReason::tolerance_missed,
          fmt::format("{} landmarks leave a relative error of {:.3g}, more than {:.3g}: raise "
                      "max_landmarks",
                      columns_.size(), errors_.relative_error.value_or(0), target)};
    }
  }

  void fit_map() {
    const TrainingSquares all = training();
    const auto g = origin();
    if (!options_.own_map.empty()) {
      map_ = distance::own_map(all, g, options_.own_map);
    } else if (options_.map == DistanceMap::affine) {
      map_ = distance::ridge_map(all, workers_);
    } else if (options_.map == DistanceMap::regression) {
      map_ = distance::projection_map(all, g, workers_);
    } else {
      // The landmarks as their own sample: no other item has a part in the map.
      const Matrix<double> to_landmarks = landmark_squares();
      std::vector<std::size_t> every(columns_.size());
      std::iota(every.begin(), every.end(), std::size_t{0});
      const std::vector<std::size_t> items = all.landmark_items();
      map_ = distance::projection_map(
          {.squares = to_landmarks, .sample = items, .landmarks = every}, g, workers_);
      map_.leverages.assign(measured_.sample.size(), 0.0);
    }
    errors_ = distance::leave_one_out(all, map_, workers_);
  }

  Matrix<double> landmark_squares() const {
    const TrainingSquares all = training();
    Matrix<double> squares(numbers_.n, columns_.size());
    for (std::size_t i = 0; i < numbers_.n; ++i) {
      std::ranges::copy(all.to_landmarks(i), squares.row(i).begin());
    }
    return squares;
  }

  void finish_numbers() {
    record_.begin("bounds");
    numbers_.landmarks = training().landmark_items();
    numbers_.all_items = !rows_.empty() && options_.keep_items;
    if (!rows_.empty()) {
      numbers_.items = options_.keep_items ? Matrix<double>(rows_)
                                           : engine::pick_rows(rows_, numbers_.landmarks);
    }
    if (numbers_.hilbertian) place_items();
    numbers_.sigma = std::move(errors_.sigma);
    // Shifted squares of a query become shifted estimates: c (A 1 - 1) more in the offset.
    for (std::size_t i = 0; measured_.shift != 0 && i < numbers_.n; ++i) {
      double sum = 0;
      for (const double weight : map_.weights.row(i)) sum += weight;
      map_.offset[i] += measured_.shift * (sum - 1);
    }
    for (const std::size_t item : numbers_.landmarks) map_.offset[item] = 0;
    numbers_.weights = std::move(map_.weights);
    numbers_.offset = std::move(map_.offset);
  }

  void place_items() {
    // A constant of the user's own may not hold the items; any base point does.
    const bool safe = origin_ != DistanceOrigin::constant || (sphere_ && constant_ >= *sphere_);
    const auto g =
        safe ? origin()
             : distance::make_origin(DistanceOrigin::base_point, 0, training().among_landmarks());
    const Matrix<double> to_landmarks = landmark_squares();
    numbers_.simplex =
        distance::place_items(to_landmarks, numbers_.landmarks, g, measurement(), workers_);
    if (!safe || map_.coefficient_gram.empty()) return;
    numbers_.coefficient_gram = std::move(map_.coefficient_gram);
    measure_coefficient_error(to_landmarks);
  }

  /// Squares of kernel distances are differences of k(x, x).
  distance::Measurement measurement() const {
    distance::Measurement measurement{.terms = std::max<std::size_t>(numbers_.columns, 1)};
    const auto* kernel = std::get_if<KernelDistance>(&numbers_.distance);
    if (kernel == nullptr) return measurement;
    for (const double value : engine::kernel_diagonal(kernel->kernel, rows_)) {
      measurement.noise = std::max(measurement.noise, value);
    }
    return measurement;
  }

  /// For an item, |beta^ - beta|_K^2 = |Phi beta^ - phi|^2 = k_R^T M k_R - k(q, q) + d^2(q, q).
  void measure_coefficient_error(const Matrix<double>& to_landmarks) {
    const distance::LandmarkCoordinates coordinates(numbers_.simplex);
    double sum = 0;
    for (std::size_t i = 0; i < numbers_.n; ++i) {
      const auto squares = to_landmarks.row(i);
      const auto kernel = coordinates.kernel_values(squares);
      double norm2 = 0;
      for (std::size_t j = 0; j < kernel.size(); ++j) {
        norm2 += kernel[j] * distance::dot(numbers_.coefficient_gram.row(j), kernel);
      }
      const auto placed = coordinates.item(i);
      const double self = placed.norm2 + numbers_.simplex.residuals[i];
      const double own = distance::dot(map_.weights.row(i), squares) + map_.offset[i];
      sum += std::max(norm2 - self + own, 0.0);
    }
    summary_.coefficient_error = std::sqrt(sum / static_cast<double>(numbers_.n));
  }

  SparseDistanceFit finish() {
    record_.close();
    const Summary& run = record_.summary();
    summary_.metric = numbers_.summary.metric;
    summary_.metric_parameters = numbers_.summary.metric_parameters;
    summary_.n = numbers_.n;
    summary_.d = numbers_.columns;
    summary_.landmarks = numbers_.landmarks;
    summary_.map = options_.own_map.empty() ? distance::option_name(options_.map) : "own";
    summary_.origin = options_.map == DistanceMap::affine && options_.own_map.empty()
                          ? "none"
                          : distance::option_name(origin_);
    summary_.sample = measured_.sample.size();
    summary_.negative_share = measured_.negative_share;
    summary_.checked_items = measured_.checked_items;
    summary_.rank = map_.rank;
    // The origin is a landmark, or the mean of them: one more than the directions from it.
    const bool projected = options_.own_map.empty() && options_.map != DistanceMap::affine;
    if (projected && origin_ != DistanceOrigin::constant) ++summary_.rank;
    summary_.relative_error = errors_.relative_error;
    summary_.hilbertian = numbers_.hilbertian;
    summary_.distance_evaluations = {.offline = measured_.distance_evaluations,
                                     .online = numbers_.landmarks.size()};
    summary_.seconds = run.seconds;
    summary_.phases = run.phases;
    summary_.peak_memory_bytes = run.peak_memory_bytes;
    std::ranges::copy(run.warnings, std::back_inserter(summary_.warnings));
    summary_.choices = run.choices;
    summary_.threads = run.threads;
    summary_.simd = run.simd;
    summary_.seed = run.seed;
    numbers_.summary = summary_;
    return {
        .model = SparseDistance(std::make_shared<const SparseDistance::State>(std::move(numbers_))),
        .summary = std::move(summary_)};
  }

  const engine::PairDistances& pairs_;
  MatrixView<const double> rows_;
  model::DistanceNumbers numbers_;
  const SparseDistanceOptions& options_;
  methods::FitRecord& record_;
  engine::Workers& workers_;
  bool proven_;
  bool declared_;
  distance::MeasuredItems measured_;
  std::optional<double> sphere_;
  DistanceOrigin origin_ = DistanceOrigin::automatic;
  double constant_ = 0;
  std::vector<std::size_t> columns_;  // of the landmarks in the sample
  AffineMap map_;
  LeaveOneOut errors_;
  DistanceSummary summary_;
};

bool is_proven(const Distance& distance) {
  return is_hilbertian(distance) && !std::holds_alternative<CustomDistance>(distance) &&
         !std::holds_alternative<PrecomputedDistance>(distance);
}

}  // namespace

SparseDistanceFit fit_sparse_distance(const Distance& asked, MatrixView<const double> items,
                                      const SparseDistanceOptions& options, const RunOptions& run) {
  options.validate();
  validate(asked);
  methods::FitRecord record("sparse_distance", run);
  Distance distance = asked;
  engine::check_distance_items(distance, items);
  if (auto* kernel = std::get_if<KernelDistance>(&distance)) {
    kernel->kernel = record.resolve(kernel->kernel, items);
  }
  model::DistanceNumbers numbers;
  numbers.distance = distance;
  numbers.columns = items.cols();
  numbers.summary.metric = distance_name(distance);
  numbers.summary.metric_parameters = distance_parameters(distance);
  if (const auto* kernel = std::get_if<KernelDistance>(&distance)) {
    numbers.summary.metric_parameters = kernel_parameters(kernel->kernel);
  }
  const engine::DistanceRows rows(distance, items);
  const engine::RowPairs pairs(rows, rows);
  const bool given = std::holds_alternative<PrecomputedDistance>(distance);
  return SparseDistanceFitter(pairs, given ? MatrixView<const double>{} : items, std::move(numbers),
                              options, record, is_proven(distance), is_hilbertian(distance))
      .run();
}

SparseDistanceFit fit_sparse_distance(const IndexedDistance& distance,
                                      const SparseDistanceOptions& options, const RunOptions& run) {
  options.validate();
  if (distance.count == 0) throw DataError("there are no items");
  if (!distance.squared) {
    throw InvalidArgument(fmt::format("the distance '{}' has no function", distance.name));
  }
  methods::FitRecord record("sparse_distance", run);
  model::DistanceNumbers numbers;
  numbers.indexed = distance.name;
  numbers.summary.metric = distance.name;
  const engine::IndexedPairs pairs(distance);
  return SparseDistanceFitter(pairs, {}, std::move(numbers), options, record, /*proven=*/false,
                              distance.hilbertian)
      .run();
}

}  // namespace mercer
