// Kernel PCA of parts of the data as a value that can be merged, reduced, saved and finished.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/block_model.h>
#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "methods/block_algebra.h"
#include "methods/block_merge.h"
#include "methods/block_state.h"
#include "methods/component_choice.h"
#include "methods/merge_checks.h"
#include "model/input_maps.h"
#include "system/memory.h"

namespace mercer {

namespace {

using model::BlockNumbers;

constexpr std::uint64_t kPivotStream = 0x7069766f74;

double limit_bytes(const RunOptions& run) {
  return static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
}

}  // namespace

void MergeOptions::validate() const {
  if (!(keep > 0 && keep <= 1)) {
    throw InvalidArgument(
        fmt::format("keep is {}: it is a fraction of the variance, above 0 and at most 1", keep));
  }
  if (max_components && *max_components == 0) {
    throw InvalidArgument("max_components is 0: keep at least one");
  }
}

void BlockOptions::validate() const {
  library.validate();
}

void BlockFitOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
}

BlockModel::BlockModel(std::shared_ptr<const State> state) : state_(std::move(state)) {}

BlockModel BlockModel::of_rows(MatrixView<const double> points, const Kernel& kernel,
                               const BlockOptions& options, const RunOptions& run,
                               const InputMaps& input) {
  options.validate();
  methods::check_block_kernel(kernel);
  methods::check_weights(options.weights, points.rows());
  if (points.rows() == 0) throw DataError("the block has no rows");
  model::check_input(input, kernel, input.point_columns(points.cols()));
  Matrix<double> mapped;
  if (!input.leaves_rows()) {
    mapped = input.apply(Matrix<double>(points), run);
    points = mapped;
  }
  engine::check_training_points(kernel, points);
  engine::Workers workers(run);
  workers.begin_phase("library");
  const methods::GreedyLibrary library(
      kernel, points, options.weights, 0,
      methods::with_target(options.library,
                           methods::mean_diagonal(kernel, points, options.weights)),
      engine::RandomStream(run.seed).substream(kPivotStream), limit_bytes(run), workers);
  workers.begin_phase("components");
  auto block = methods::block_of_library(library, kernel, points.cols(), options.center,
                                         options.weights, {}, workers);
  block.input = input;
  return methods::make_block_model(std::move(block));
}

const Kernel& BlockModel::kernel() const {
  return state_->numbers.kernel;
}

const InputMaps& BlockModel::input() const {
  return state_->numbers.input;
}

bool BlockModel::centered() const {
  return state_->numbers.centered;
}

std::size_t BlockModel::columns() const {
  return state_->numbers.columns;
}

std::uint64_t BlockModel::rows() const {
  return state_->numbers.rows;
}

double BlockModel::total_weight() const {
  return state_->numbers.weight;
}

MatrixView<const double> BlockModel::library() const {
  return state_->numbers.library;
}

MatrixView<const double> BlockModel::coefficients() const {
  return state_->numbers.components;
}

std::span<const double> BlockModel::singular_values() const {
  return state_->numbers.singular_values;
}

std::span<const double> BlockModel::mean_coefficients() const {
  return state_->numbers.mean_coefficients;
}

std::span<const double> BlockModel::mean_scores() const {
  return state_->numbers.mean_scores;
}

double BlockModel::mean_norm2() const {
  return state_->numbers.mean_norm2;
}

double BlockModel::trace() const {
  return state_->numbers.trace;
}

double BlockModel::residual() const {
  return state_->numbers.residual;
}

double BlockModel::lost() const {
  return state_->numbers.lost;
}

double BlockModel::lost_mean() const {
  return state_->numbers.lost_mean;
}

double BlockModel::deviation() const {
  return state_->numbers.deviation;
}

std::uint64_t BlockModel::kernel_evaluations() const {
  return state_->numbers.kernel_evaluations;
}

BlockModel BlockModel::deflated(const MergeOptions& options) const {
  options.validate();
  BlockNumbers block = state_->numbers;
  std::vector<double> variances;
  double total = 0;
  for (const double value : block.singular_values) {
    variances.push_back(value * value);
    total += value * value;
  }
  const std::size_t r = methods::components_kept(variances, total, block.lost, 0, options);
  if (r == variances.size()) return *this;
  double given_up = 0;
  for (std::size_t j = r; j < variances.size(); ++j) given_up += variances[j];
  block.singular_values.resize(r);
  block.mean_scores.resize(r);
  block.components = Matrix<double>(std::as_const(block.components).view().cols_from(0, r));
  methods::give_up(block, given_up);
  return methods::make_block_model(std::move(block));
}

BlockModel BlockModel::reduced(std::size_t size, const RunOptions& run) const {
  if (size == 0) throw InvalidArgument("size is 0: leave at least one point in the library");
  engine::Workers workers(run);
  workers.begin_phase("reduction");
  return methods::make_block_model(
      methods::reduce_library(state_->numbers, size, limit_bytes(run), workers));
}

Fit BlockModel::finish(const BlockFitOptions& options, const RunOptions& run) const {
  methods::FitRecord record("partitioned", run);
  record.begin("components");
  return methods::fit_of_block(state_->numbers, options, record);
}

void BlockModel::save(const std::filesystem::path& path) const {
  model::write_block(path, state_->numbers);
}

BlockModel BlockModel::load(const std::filesystem::path& path) {
  return methods::make_block_model(model::read_block(path).block);
}

void require_mergeable(const BlockModel& first, const BlockModel& second) {
  const BlockNumbers& a = first.state().numbers;
  const BlockNumbers& b = second.state().numbers;
  methods::require_same_kernel(a.kernel, b.kernel);
  methods::require_same_input(a.input, b.input);
  if (a.columns != b.columns) {
    throw InvalidArgument(
        fmt::format("the blocks are of rows with {} and with {} columns", a.columns, b.columns));
  }
  if (a.centered != b.centered) {
    throw InvalidArgument("one of the blocks is centred and the other is not");
  }
}

BlockModel merge(const BlockModel& a, const BlockModel& b, const MergeOptions& options,
                 const RunOptions& run) {
  options.validate();
  require_mergeable(a, b);
  engine::Workers workers(run);
  workers.begin_phase("merge");
  return methods::make_block_model(methods::merge_blocks(a.state().numbers, b.state().numbers,
                                                         options, limit_bytes(run), workers));
}

BlockModel merge(std::span<const BlockModel> blocks, const MergeOptions& options,
                 const RunOptions& run) {
  if (blocks.empty()) throw InvalidArgument("there are no blocks to merge");
  options.validate();
  for (const BlockModel& block : blocks) require_mergeable(blocks.front(), block);
  engine::Workers workers(run);
  workers.begin_phase("merge");
  return methods::merge_tree({blocks.begin(), blocks.end()}, options, limit_bytes(run), workers);
}

}  // namespace mercer
