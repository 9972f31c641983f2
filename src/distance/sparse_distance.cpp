#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "distance/gram_powers.h"
#include "distance/landmark_coordinates.h"
#include "distance/neighbor_search.h"
#include "distance/sparse_distance_state.h"
#include "engine/distance_value.h"
#include "engine/pair_distances.h"
#include "engine/tile.h"
#include "model/input_maps.h"
#include "system/memory.h"

namespace mercer {

namespace {

using distance::LandmarkCoordinates;

Matrix<double> transposed(const Matrix<double>& a) {
  Matrix<double> t(a.cols(), engine::padded_columns(a.rows()));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  }
  return t;
}

/// Where only landmarks can be measured: items are found by their position among them.
class LandmarkPairs final : public engine::PairDistances {
 public:
  LandmarkPairs(const engine::PairDistances& pairs, const std::vector<std::size_t>& landmarks)
      : pairs_(pairs), landmarks_(landmarks) {}
  std::size_t size() const override { return pairs_.size(); }
  void squares(std::size_t row, std::span<const std::size_t> items, double* out) const override {
    std::vector<std::size_t> positions;
    for (const std::size_t item : items) {
      positions.push_back(
          static_cast<std::size_t>(std::ranges::find(landmarks_, item) - landmarks_.begin()));
    }
    pairs_.squares(row, positions, out);
  }

 private:
  const engine::PairDistances& pairs_;
  const std::vector<std::size_t>& landmarks_;
};

/// Rows as queries: mapped, checked, and compared with the rows that the model keeps.
class RowQueries {
 public:
  RowQueries(const SparseDistance::State& state, MatrixView<const double> queries,
             engine::Workers& workers)
      : mapped_(map(state.numbers, queries, workers)),
        points_(mapped_.empty() ? queries : std::as_const(mapped_).view()),
        to_(state.rows()),
        from_(to_.queries(points_)),
        direct_(from_, to_),
        landmarks_(direct_, state.numbers.landmarks) {
    const model::DistanceNumbers& numbers = state.numbers;
    const bool given = std::holds_alternative<PrecomputedDistance>(numbers.distance);
    has_all_items_ = given ? points_.cols() == numbers.n : numbers.all_items;
  }

  bool has_all_items() const { return has_all_items_; }
  const engine::PairDistances& pairs() const {
    if (has_all_items_) return direct_;
    return landmarks_;
  }

 private:
  /// Nothing where the queries are points already.
  static Matrix<double> map(const model::DistanceNumbers& numbers, MatrixView<const double> queries,
                            engine::Workers& workers) {
    if (!numbers.indexed.empty()) {
      throw InvalidArgument(fmt::format(
          "the items are no rows: queries come with an IndexedDistance ('{}')", numbers.indexed));
    }
    if (std::holds_alternative<PrecomputedDistance>(numbers.distance)) {
      if (queries.cols() != numbers.n && queries.cols() != numbers.landmarks.size()) {
        throw DataError(fmt::format(
            "queries have {} columns: give their distances to all {} items, or to the {} landmarks",
            queries.cols(), numbers.n, numbers.landmarks.size()));
      }
    } else if (queries.cols() != numbers.input.row_columns(numbers.columns)) {
      throw DataError(fmt::format("queries have {} columns, but the items have {}", queries.cols(),
                                  numbers.input.row_columns(numbers.columns)));
    }
    Matrix<double> points;
    if (!numbers.input.leaves_rows()) {
      points = model::RowMapper(numbers.input).points(Matrix<double>(queries), 0, workers);
    }
    engine::check_distance_points(numbers.distance, points.empty() ? queries : points.view(), 0);
    return points;
  }

  Matrix<double> mapped_;
  MatrixView<const double> points_;
  const engine::DistanceRows& to_;
  engine::DistanceRows from_;
  engine::RowPairs direct_;
  LandmarkPairs landmarks_;
  bool has_all_items_ = false;
};

void require_memory(double bytes, const RunOptions& run, const char* what) {
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  if (bytes <= limit) return;
  throw MemoryLimitError(
      fmt::format("{} take {}, more than the limit of {}: ask for fewer queries at a time", what,
                  system::format_bytes(bytes), system::format_bytes(limit)));
}

void require_hilbertian(const model::DistanceNumbers& numbers, const char* what) {
  if (numbers.hilbertian) return;
  throw InvalidArgument(fmt::format(
      "{} hold for Hilbertian distances only, which '{}' is not known to be: re-rank estimates "
      "instead, or declare it Hilbertian if it is",
      what, numbers.summary.metric));
}

double result_bytes(std::size_t queries, std::size_t n, int matrices) {
  return static_cast<double>(queries) * static_cast<double>(n) * sizeof(double) * matrices;
}

Matrix<double> measure_landmarks(const SparseDistance::State& state,
                                 const engine::PairDistances& pairs, engine::Workers& workers) {
  workers.begin_phase("distances");
  return engine::distance_block(pairs, 0, pairs.size(), state.numbers.landmarks, workers);
}

DistanceEstimates estimate_pairs(const SparseDistance::State& state,
                                 const engine::PairDistances& pairs, engine::Workers& workers,
                                 const RunOptions& run) {
  require_memory(result_bytes(pairs.size(), state.numbers.n, 1), run, "the distances");
  const Matrix<double> squares = measure_landmarks(state, pairs, workers);
  workers.begin_phase("estimates");
  auto result = distance::estimate(state, squares, workers);
  result.distance_evaluations = squares.size();
  return result;
}

DistanceBounds bound_pairs(const SparseDistance::State& state, const engine::PairDistances& pairs,
                           engine::Workers& workers, const RunOptions& run) {
  require_hilbertian(state.numbers, "bounds");
  require_memory(result_bytes(pairs.size(), state.numbers.n, 2), run, "the bounds");
  const Matrix<double> squares = measure_landmarks(state, pairs, workers);
  workers.begin_phase("bounds");
  auto result = distance::bound(state, squares, workers);
  result.distance_evaluations = squares.size();
  return result;
}

void check_neighbor_options(const model::DistanceNumbers& numbers, const NeighborOptions& options) {
  if (options.neighbors == 0 || options.neighbors > numbers.n) {
    throw InvalidArgument(
        fmt::format("neighbors is {}: there are {} items", options.neighbors, numbers.n));
  }
  if (options.rerank && *options.rerank < options.neighbors) {
    throw InvalidArgument(fmt::format("rerank is {}: it must be at least the {} neighbours",
                                      *options.rerank, options.neighbors));
  }
  if (!options.rerank) require_hilbertian(numbers, "exact neighbours by bounds");
}

Neighbors neighbor_pairs(const SparseDistance::State& state, const engine::PairDistances& pairs,
                         const NeighborOptions& options, engine::Workers& workers) {
  const Matrix<double> squares = measure_landmarks(state, pairs, workers);
  workers.begin_phase("neighbours");
  auto result = distance::find_neighbors(state, pairs, squares, options, workers);
  result.distance_evaluations += squares.size();
  return result;
}

std::vector<double> coefficient_bounds(const SparseDistance::State& state,
                                       const engine::PairDistances& pairs,
                                       engine::Workers& workers) {
  const model::DistanceNumbers& numbers = state.numbers;
  require_hilbertian(numbers, "bounds of coefficients");
  if (numbers.coefficient_gram.empty()) {
    throw InvalidArgument(fmt::format(
        "the {} map has no coefficients: fit with regression or orthogonal, and an origin that "
        "suits the distance",
        numbers.summary.map));
  }
  const Matrix<double> squares = measure_landmarks(state, pairs, workers);
  const LandmarkCoordinates coordinates(numbers.simplex);
  std::vector<double> bounds(squares.rows());
  std::vector<double> y(coordinates.dimension());
  for (std::size_t q = 0; q < squares.rows(); ++q) {
    const auto placed = coordinates.place(squares.row(q), y);
    const std::vector<double> kernel = coordinates.kernel_values(squares.row(q));
    double norm2 = 0;
    for (std::size_t j = 0; j < kernel.size(); ++j) {
      norm2 += kernel[j] * distance::dot(numbers.coefficient_gram.row(j), kernel);
    }
    bounds[q] = std::sqrt(std::max(norm2 - placed.norm2, 0.0)) + placed.rho_high;
  }
  return bounds;
}

}  // namespace

SparseDistance::State::State(model::DistanceNumbers given)
    : numbers(std::move(given)),
      transposed_weights(transposed(numbers.weights)),
      transposed_coordinates(transposed(numbers.simplex.coordinates)) {}

const engine::DistanceRows& SparseDistance::State::rows() const {
  std::call_once(once_, [&] {
    validate(numbers.distance);
    rows_ = std::make_unique<const engine::DistanceRows>(numbers.distance, numbers.items.view());
  });
  return *rows_;
}

SparseDistance::SparseDistance(std::shared_ptr<const State> state) : state_(std::move(state)) {}
SparseDistance::~SparseDistance() = default;
SparseDistance::SparseDistance(const SparseDistance&) = default;
SparseDistance::SparseDistance(SparseDistance&&) noexcept = default;
SparseDistance& SparseDistance::operator=(const SparseDistance&) = default;
SparseDistance& SparseDistance::operator=(SparseDistance&&) noexcept = default;

DistanceEstimates SparseDistance::estimate(MatrixView<const double> queries,
                                           const RunOptions& run) const {
  engine::Workers workers(run);
  const RowQueries rows(*state_, queries, workers);
  return estimate_pairs(*state_, rows.pairs(), workers, run);
}

DistanceEstimates SparseDistance::estimate(const IndexedDistance& queries,
                                           const RunOptions& run) const {
  engine::Workers workers(run);
  return estimate_pairs(*state_, engine::IndexedPairs(queries), workers, run);
}

DistanceEstimates SparseDistance::estimate_from_landmarks(MatrixView<const double> squared,
                                                          const RunOptions& run) const {
  if (squared.cols() != landmarks().size()) {
    throw DataError(fmt::format("there are {} squared distances for {} landmarks", squared.cols(),
                                landmarks().size()));
  }
  for (std::size_t q = 0; q < squared.rows(); ++q) {
    for (std::size_t j = 0; j < squared.cols(); ++j) {
      engine::checked_square(squared(q, j), q, landmarks()[j]);
    }
  }
  engine::Workers workers(run);
  require_memory(result_bytes(squared.rows(), items(), 1), run, "the distances");
  return distance::estimate(*state_, squared, workers);
}

DistanceBounds SparseDistance::bounds(MatrixView<const double> queries,
                                      const RunOptions& run) const {
  engine::Workers workers(run);
  const RowQueries rows(*state_, queries, workers);
  return bound_pairs(*state_, rows.pairs(), workers, run);
}

DistanceBounds SparseDistance::bounds(const IndexedDistance& queries, const RunOptions& run) const {
  engine::Workers workers(run);
  return bound_pairs(*state_, engine::IndexedPairs(queries), workers, run);
}

Neighbors SparseDistance::neighbors(MatrixView<const double> queries,
                                    const NeighborOptions& options, const RunOptions& run) const {
  check_neighbor_options(state_->numbers, options);
  engine::Workers workers(run);
  const RowQueries rows(*state_, queries, workers);
  if (!rows.has_all_items()) {
    throw InvalidArgument(
        "neighbours need the items, and only the landmarks are at hand: fit with keep_items, or "
        "give precomputed distances to all items");
  }
  return neighbor_pairs(*state_, rows.pairs(), options, workers);
}

Neighbors SparseDistance::neighbors(const IndexedDistance& queries, const NeighborOptions& options,
                                    const RunOptions& run) const {
  check_neighbor_options(state_->numbers, options);
  engine::Workers workers(run);
  return neighbor_pairs(*state_, engine::IndexedPairs(queries), options, workers);
}

std::vector<double> SparseDistance::coefficient_error_bounds(MatrixView<const double> queries,
                                                             const RunOptions& run) const {
  engine::Workers workers(run);
  const RowQueries rows(*state_, queries, workers);
  return coefficient_bounds(*state_, rows.pairs(), workers);
}

std::vector<double> SparseDistance::coefficient_error_bounds(const IndexedDistance& queries,
                                                             const RunOptions& run) const {
  engine::Workers workers(run);
  return coefficient_bounds(*state_, engine::IndexedPairs(queries), workers);
}

std::size_t SparseDistance::items() const {
  return state_->numbers.n;
}
std::size_t SparseDistance::input_columns() const {
  return state_->numbers.input.row_columns(state_->numbers.columns);
}
std::span<const std::size_t> SparseDistance::landmarks() const {
  return state_->numbers.landmarks;
}
MatrixView<const double> SparseDistance::weights() const {
  return state_->numbers.weights;
}
std::span<const double> SparseDistance::offset() const {
  return state_->numbers.offset;
}
std::span<const double> SparseDistance::sigma() const {
  return state_->numbers.sigma;
}
bool SparseDistance::hilbertian() const {
  return state_->numbers.hilbertian;
}
const Distance& SparseDistance::distance() const {
  return state_->numbers.distance;
}
const InputMaps& SparseDistance::input() const {
  return state_->numbers.input;
}
const DistanceSummary& SparseDistance::summary() const {
  return state_->numbers.summary;
}

SparseDistance SparseDistance::with_input(InputMaps input) const {
  model::DistanceNumbers numbers = state_->numbers;
  model::check_input(input, Linear{}, numbers.columns);
  numbers.input = std::move(input);
  return SparseDistance(std::make_shared<const State>(std::move(numbers)));
}

void SparseDistance::save(const std::filesystem::path& path) const {
  model::write_distance(path, state_->numbers);
}

SparseDistance SparseDistance::load(const std::filesystem::path& path) {
  model::DistanceNumbers numbers = model::read_distance(path);
  if (const auto* custom = std::get_if<CustomDistance>(&numbers.distance)) {
    throw FileError(
        fmt::format("{}: the custom distance '{}' is a function, which no file can hold; load it "
                    "with SparseDistance::load(path, distance)",
                    path.string(), custom->name));
  }
  return SparseDistance(std::make_shared<const State>(std::move(numbers)));
}

SparseDistance SparseDistance::load(const std::filesystem::path& path,
                                    const CustomDistance& distance) {
  model::DistanceNumbers numbers = model::read_distance(path);
  const auto* custom = std::get_if<CustomDistance>(&numbers.distance);
  if (custom == nullptr || custom->name != distance.name) {
    throw FileError(fmt::format(
        "{}: is of the {} distance, not of the custom one '{}'", path.string(),
        custom == nullptr ? distance_name(numbers.distance) : custom->name, distance.name));
  }
  numbers.distance = distance;
  return SparseDistance(std::make_shared<const State>(std::move(numbers)));
}

}  // namespace mercer
