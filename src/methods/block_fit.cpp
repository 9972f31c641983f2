// The model that a block stands for, and what is certain about it.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "methods/block_state.h"
#include "methods/component_choice.h"

namespace mercer::methods {

BlockModel make_block_model(model::BlockNumbers numbers) {
  return BlockModel(
      std::make_shared<const BlockModel::State>(BlockModel::State{.numbers = std::move(numbers)}));
}

void check_block_kernel(const Kernel& kernel) {
  check_kernel(kernel);
  require_positive_semidefinite(kernel, "blocks");
  if (is_resolved(kernel)) return;
  throw InvalidArgument(
      fmt::format("the {} kernel has a parameter without a value, and blocks that merge must have "
                  "it in common: "
                  "set it (resolve_bandwidth finds one)",
                  kernel_name(kernel)));
}

namespace {

ModelParts parts_of_block(const model::BlockNumbers& block, std::size_t k) {
  ModelParts parts;
  parts.kernel = block.kernel;
  parts.input = block.input;
  parts.library = block.library;
  parts.coefficients = Matrix<double>(block.components.view().cols_from(0, k));
  for (std::size_t j = 0; j < k; ++j) {
    parts.eigenvalues.push_back(block.singular_values[j] * block.singular_values[j]);
    parts.offset.push_back(block.centered ? -block.mean_scores[j] : 0);
  }
  fix_signs(parts.coefficients, parts.offset);
  parts.total_weight = block.weight;
  parts.centered = block.centered;
  if (block.centered) {
    parts.mean_coefficients = block.mean_coefficients;
    parts.mean_norm2 = block.mean_norm2;
  }
  return parts;
}

/// The singular values of what the model represents and of the rows themselves, both about their
/// means, differ by no more than the deviation (Weyl). That gives what eigenvalues, and the mean
/// distance of the rows from the kept subspace, are certain to be.
void add_certainties(Summary& summary, const model::BlockNumbers& block, std::size_t k) {
  for (std::size_t j = 0; j < k; ++j) {
    const double low = std::max(block.singular_values[j] - block.deviation, 0.0);
    const double high = block.singular_values[j] + block.deviation;
    summary.eigenvalue_intervals.push_back({.low = low * low, .high = high * high});
  }
  double left_out = 0;
  for (std::size_t j = k; j < block.singular_values.size(); ++j) {
    left_out += block.singular_values[j] * block.singular_values[j];
  }
  const double root = std::sqrt(left_out) + block.deviation;
  summary.bounds.push_back(
      {.name = "mean_square_residual", .value = block.residual / block.weight, .rigorous = true});
  summary.bounds.push_back(
      {.name = "reconstruction_error", .value = root * root / block.weight, .rigorous = true});
}

}  // namespace

Fit fit_of_block(const model::BlockNumbers& block, const BlockFitOptions& options,
                 FitRecord& record) {
  const ComponentChoice choice(options.components, options.retain, options.min_eigenvalue);
  std::vector<double> variances;
  double kept = 0;
  for (const double value : block.singular_values) {
    variances.push_back(value * value);
    kept += value * value;
  }
  // About the mean of the model: the trace without N |mean|^2.
  const double total = kept + block.lost + block.lost_mean + block.residual;
  const std::size_t k = choice.count(variances, total, 0).value_or(variances.size());
  Summary& summary = record.summary();
  summary.kernel_evaluations = block.kernel_evaluations;
  summary.residual_trace_fraction = block.trace > 0 ? block.residual / block.trace : 0;
  add_certainties(summary, block, k);
  return record.finish(parts_of_block(block, k), block.rows, block.columns,
                       Interval{.low = kept, .high = total},
                       choice.is_open() ? 0 : options.components);
}

}  // namespace mercer::methods
