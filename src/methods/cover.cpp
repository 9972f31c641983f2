// Shadow covers of parts of the data, to be merged with those of other parts.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/cover.h>
#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "methods/cover_state.h"
#include "methods/fit_record.h"
#include "methods/merge_checks.h"
#include "model/cover_file.h"
#include "model/input_maps.h"

namespace mercer {

struct Cover::State {
  InputMaps input;
  methods::CoverState cover;
};

namespace {

methods::CoverState empty_cover(const Kernel& kernel, std::size_t columns, double radius) {
  methods::check_kernel(kernel);
  if (!(radius >= 0 && std::isfinite(radius))) {
    throw InvalidArgument(fmt::format("radius is {}: it must not be negative", radius));
  }
  if (columns == 0) throw InvalidArgument("a cover of rows without columns is no cover");
  return {kernel, columns, radius};
}

}  // namespace

Cover::Cover(const Kernel& kernel, std::size_t columns, double radius, InputMaps input)
    : state_(std::make_unique<State>(
          State{.input = {}, .cover = empty_cover(kernel, input.point_columns(columns), radius)})) {
  state_->input = std::move(input);
  model::check_input(state_->input, kernel, state_->cover.shadow.centres().cols());
}

Cover::Cover(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cover::~Cover() = default;
Cover::Cover(const Cover& other)
    : state_(std::make_unique<State>(
          State{.input = other.state_->input, .cover = other.state_->cover.clone()})) {}
Cover::Cover(Cover&&) noexcept = default;
Cover& Cover::operator=(const Cover& other) {
  if (this != &other) *this = Cover(other);
  return *this;
}
Cover& Cover::operator=(Cover&&) noexcept = default;

void Cover::add(MatrixView<const double> points, std::span<const double> weights,
                const RunOptions& run) {
  engine::check_new_points(kernel(), points, 0);
  const auto source = rows_in_memory(points, weights);
  add(*source, run);
}

void Cover::add(RowSource& rows, const RunOptions& run) {
  const std::size_t cols = state_->input.row_columns(state_->cover.shadow.centres().cols());
  if (rows.cols() != cols) {
    throw DataError(fmt::format("the rows have {} columns, the cover {}", rows.cols(), cols));
  }
  const auto mapped = mapped_rows(rows, state_->input, run);
  engine::Workers workers(run);
  workers.begin_phase("cover");
  methods::TrainingRows data(*mapped);
  methods::CoverState& cover = state_->cover;
  const std::uint64_t before = cover.rows;
  data.for_each_chunk(
      methods::kCoverChunkRows,
      [&](const methods::Chunk& chunk) {
        engine::check_new_points(cover.kernel, chunk.points, chunk.first_row);
        cover.add({.first_row = before + chunk.first_row,
                   .points = chunk.points,
                   .weights = chunk.weights},
                  workers);
      },
      workers);
}

void Cover::merge(const Cover& other, const RunOptions& run) {
  const methods::CoverState& theirs = other.state_->cover;
  methods::CoverState& ours = state_->cover;
  methods::require_same_kernel(ours.kernel, theirs.kernel);
  methods::require_same_input(state_->input, other.state_->input);
  if (ours.shadow.centres().cols() != theirs.shadow.centres().cols()) {
    throw InvalidArgument("the covers are of rows with different numbers of columns");
  }
  if (ours.shadow.radius() != theirs.shadow.radius()) {
    throw InvalidArgument(fmt::format("the covers have different radii, {:.6g} and {:.6g}",
                                      ours.shadow.radius(), theirs.shadow.radius()));
  }
  engine::Workers workers(run);
  workers.begin_phase("merge");
  ours.merge(theirs, workers);
}

Cover Cover::emptied() const {
  const methods::CoverState& cover = state_->cover;
  return Cover(std::make_unique<State>(State{
      .input = state_->input,
      .cover = {cover.kernel, Matrix<double>(cover.shadow.centres()), cover.shadow.radius()}}));
}

double Cover::radius() const {
  return state_->cover.shadow.radius();
}

double Cover::reach() const {
  return state_->cover.reach;
}

std::size_t Cover::centers() const {
  return state_->cover.shadow.size();
}

std::uint64_t Cover::rows() const {
  return state_->cover.rows;
}

double Cover::total_weight() const {
  return state_->cover.sums.weight;
}

const Kernel& Cover::kernel() const {
  return state_->cover.kernel;
}

const InputMaps& Cover::input() const {
  return state_->input;
}

WeightedSet Cover::set() const {
  return state_->cover.set();
}

Fit Cover::finish(const ReducedSetOptions& options, const RunOptions& run) const {
  if (rows() == 0) throw DataError("the covers have no rows");
  ReducedSetOptions of_cover = options;
  of_cover.reduction = {};
  of_cover.weights.clear();
  Fit fit = fit_reduced_set(set(), kernel(), of_cover, run);
  return {.model = fit.model.with_input(state_->input), .summary = std::move(fit.summary)};
}

void Cover::save(const std::filesystem::path& path) const {
  const methods::CoverState& cover = state_->cover;
  if (!std::isfinite(cover.sums.squared_distance)) {
    throw NumericalError(
        "squared distances of the rows from their centres are beyond the range of doubles: scale "
        "the columns");
  }
  model::write_cover(path, {.kernel = cover.kernel,
                            .input = state_->input,
                            .columns = cover.shadow.centres().cols(),
                            .centres = Matrix<double>(cover.shadow.centres()),
                            .weights = cover.weights,
                            .radius = cover.shadow.radius(),
                            .reach = cover.reach,
                            .rows = cover.rows,
                            .weight = cover.sums.weight,
                            .squared_distance = cover.sums.squared_distance,
                            .feature_distance = cover.sums.feature_distance,
                            .operator_distance = cover.sums.operator_distance});
}

Cover Cover::load(const std::filesystem::path& path) {
  auto numbers = model::read_cover(path);
  try {
    methods::CoverState cover = empty_cover(numbers.kernel, numbers.columns, numbers.radius);
    if (!numbers.weights.empty()) {
      cover = {numbers.kernel, std::move(numbers.centres), numbers.radius};
    }
    cover.weights = std::move(numbers.weights);
    cover.reach = numbers.reach;
    cover.rows = numbers.rows;
    cover.sums.weight = numbers.weight;
    cover.sums.squared_distance = numbers.squared_distance;
    cover.sums.feature_distance = numbers.feature_distance;
    cover.sums.operator_distance = numbers.operator_distance;
    return Cover(std::make_unique<State>(
        State{.input = std::move(numbers.input), .cover = std::move(cover)}));
  } catch (const InvalidArgument& e) {
    throw FileError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

}  // namespace mercer
