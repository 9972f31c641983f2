// Sums of a part of the data for landmark kernel PCA, to be merged with those of other parts.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/landmarks.h>

#include "methods/fit_record.h"
#include "methods/landmark_model.h"
#include "methods/landmark_pass.h"
#include "methods/merge_checks.h"
#include "model/part_file.h"

namespace mercer {

struct LandmarkPart::State {
  Kernel kernel;
  InputMaps input;
  methods::LandmarkSet set;
  methods::LandmarkSums sums;

  State(Kernel resolved, InputMaps maps, MatrixView<const double> library)
      : kernel(std::move(resolved)), input(std::move(maps)), sums{engine::Moments({})} {
    engine::Workers workers{RunOptions{.threads = 1}};
    set = methods::independent_landmarks(kernel, library, workers);
    if (set.size() != library.rows()) {
      throw InvalidArgument(
          "the landmarks depend on each other: they are not those of an orthogonal landmark fit");
    }
    sums = methods::landmark_sums(set);
  }
};

LandmarkPart::LandmarkPart(const Model& landmarks) {
  if (landmarks.summary().method != "landmarks" || landmarks.library_size() == 0 ||
      landmarks.summary().landmarks != landmarks.library_size()) {
    throw InvalidArgument(
        "parts are summarised with the landmarks of a model that keeps just these: fit one with "
        "the "
        "landmarks method and the orthogonal evaluation");
  }
  state_ = std::make_unique<State>(landmarks.kernel(), landmarks.input(), landmarks.library());
}

LandmarkPart::~LandmarkPart() = default;
LandmarkPart::LandmarkPart(const LandmarkPart& other)
    : state_(std::make_unique<State>(*other.state_)) {}
LandmarkPart::LandmarkPart(LandmarkPart&&) noexcept = default;
LandmarkPart& LandmarkPart::operator=(const LandmarkPart& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
LandmarkPart& LandmarkPart::operator=(LandmarkPart&&) noexcept = default;

void LandmarkPart::add(MatrixView<const double> points, std::span<const double> weights,
                       const RunOptions& run) {
  const auto source = rows_in_memory(points, weights);
  add(*source, run);
}

void LandmarkPart::add(RowSource& rows, const RunOptions& run) {
  const std::size_t cols = state_->input.row_columns(state_->set.points.cols());
  if (rows.cols() != cols) {
    throw DataError(fmt::format("the rows have {} columns, the landmarks {}", rows.cols(), cols));
  }
  const auto mapped = mapped_rows(rows, state_->input, run);
  engine::Workers workers(run);
  workers.begin_phase("pass");
  methods::TrainingRows data(*mapped);
  auto sums = methods::landmark_sums(state_->set);
  methods::add_rows(sums, state_->kernel, state_->set, data, {}, workers);
  state_->sums.moments.add(sums.moments);
  state_->sums.trace += sums.trace;
  state_->sums.kernel_evaluations += sums.kernel_evaluations;
}

void LandmarkPart::merge(const LandmarkPart& other) {
  const State& theirs = *other.state_;
  methods::require_same_kernel(state_->kernel, theirs.kernel);
  if (!methods::same_numbers(state_->set.points, theirs.set.points)) {
    throw InvalidArgument("the parts were made with different landmarks");
  }
  methods::require_same_input(state_->input, theirs.input);
  if (state_->sums.of_coordinates != theirs.sums.of_coordinates) {
    throw InvalidArgument(
        "the landmarks nearly depend on each other, and the machines that made the parts judged "
        "this "
        "differently: make them on one kind of machine, or with fewer landmarks");
  }
  state_->sums.moments.add(theirs.sums.moments);
  state_->sums.trace += theirs.sums.trace;
  state_->sums.kernel_evaluations += theirs.sums.kernel_evaluations;
}

std::size_t LandmarkPart::rows() const {
  return state_->sums.moments.rows();
}

double LandmarkPart::total_weight() const {
  return state_->sums.moments.weight();
}

std::size_t LandmarkPart::landmarks() const {
  return state_->set.size();
}

MatrixView<const double> LandmarkPart::library() const {
  return state_->set.points;
}

const Kernel& LandmarkPart::kernel() const {
  return state_->kernel;
}

const InputMaps& LandmarkPart::input() const {
  return state_->input;
}

Fit LandmarkPart::finish(const LandmarkOptions& options, const RunOptions& run) const {
  options.validate();
  if (rows() == 0) throw DataError("the parts have no rows");
  methods::FitRecord record("landmarks", run);
  record.begin("components");
  const auto spectrum =
      methods::spectrum_of(state_->sums, state_->set, options.center, record.workers());
  record.summary().kernel_evaluations = state_->sums.kernel_evaluations;
  record.choice("landmarks", std::to_string(landmarks()), "those that the parts were made with");
  Fit fit = methods::landmark_fit(state_->kernel, state_->set, spectrum, options, rows(),
                                  /*single_precision=*/false, record);
  return {.model = fit.model.with_input(state_->input), .summary = std::move(fit.summary)};
}

void LandmarkPart::save(const std::filesystem::path& path) const {
  const auto sums = state_->sums.moments.sums();
  model::write_part(path, {.kernel = state_->kernel,
                           .input = state_->input,
                           .library = state_->set.points,
                           .shift = sums.shift,
                           .sum = sums.sum,
                           .triangle = sums.triangle,
                           .weight = sums.weight,
                           .rows = sums.rows,
                           .trace = state_->sums.trace,
                           .kernel_evaluations = state_->sums.kernel_evaluations,
                           .of_coordinates = state_->sums.of_coordinates});
}

LandmarkPart LandmarkPart::load(const std::filesystem::path& path) {
  auto part = model::read_part(path);
  try {
    LandmarkPart loaded(
        std::make_unique<State>(std::move(part.kernel), std::move(part.input), part.library));
    if (loaded.state_->sums.moments.shift().size() != part.shift.size()) {
      throw InvalidArgument("the sums do not belong to the landmarks");
    }
    loaded.state_->sums = {
        .moments = engine::Moments::from_sums({.shift = std::move(part.shift),
                                               .sum = std::move(part.sum),
                                               .triangle = std::move(part.triangle),
                                               .weight = part.weight,
                                               .rows = part.rows}),
        .trace = part.trace,
        .kernel_evaluations = part.kernel_evaluations,
        .of_coordinates = part.of_coordinates};
    return loaded;
  } catch (const InvalidArgument& e) {
    throw FileError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

LandmarkPart::LandmarkPart(std::unique_ptr<State> state) : state_(std::move(state)) {}

}  // namespace mercer
