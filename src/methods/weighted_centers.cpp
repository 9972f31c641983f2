#include "methods/weighted_centers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "density/kmeans.h"
#include "engine/kernel_value.h"
#include "methods/fit_record.h"

namespace mercer::methods {

Fit fit_weighted_centers(MatrixView<const double> centres, const Kernel& kernel,
                         ExactOptions options, const RunOptions& run) {
  Matrix<double> kept(centres);
  std::size_t count = 0;
  for (std::size_t i = 0; i < centres.rows(); ++i) {
    if (!(options.weights[i] > 0)) continue;
    std::ranges::copy(centres.row(i), kept.row(count).begin());
    options.weights[count++] = options.weights[i];
  }
  options.weights.resize(count);
  RunOptions silent = run;
  silent.progress = nullptr;
  return fit_exact(std::as_const(kept).view().rows_from(0, count), kernel, options, silent);
}

void check_set(const WeightedSet& set, const Kernel& kernel) {
  check_kernel(kernel);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "centres are points, which a precomputed kernel has not: use the exact method");
  }
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format("the {} kernel has no scale yet", kernel_name(kernel)));
  }
  engine::check_training_points(kernel, set.centers);
  if (set.weights.empty()) throw InvalidArgument("the weighted set has no weights: give 1 each");
  check_weights(set.weights, set.size());
}

std::size_t rows_of(const WeightedSet& set) {
  return set.data_rows > 0 ? set.data_rows : set.size();
}

double row_weight_of(const WeightedSet& set) {
  return set.data_weight > 0 ? set.data_weight : set.total_weight();
}

std::vector<double> cell_weights(MatrixView<const double> points, std::span<const double> weights,
                                 MatrixView<const double> centres, engine::Workers& workers) {
  const auto nearest = density::assign_nearest(points, centres, workers);
  std::vector<double> sums(centres.rows(), 0.0);
  for (std::size_t i = 0; i < nearest.size(); ++i) {
    sums[nearest[i]] += weights.empty() ? 1 : weights[i];
  }
  return sums;
}

ModelParts parts_of(const Model& model) {
  ModelParts parts;
  parts.kernel = model.kernel();
  parts.library = Matrix<double>(model.library());
  parts.coefficients = Matrix<double>(model.coefficients());
  parts.offset.assign(model.offset().begin(), model.offset().end());
  parts.eigenvalues.assign(model.eigenvalues().begin(), model.eigenvalues().end());
  parts.total_weight = model.total_weight();
  parts.mean_coefficients.assign(model.mean_coefficients().begin(),
                                 model.mean_coefficients().end());
  parts.mean_norm2 = model.mean_norm2();
  parts.centered = model.centered();
  parts.degree_weights.assign(model.degree_weights().begin(), model.degree_weights().end());
  parts.degree_shift.assign(model.degree_shift().begin(), model.degree_shift().end());
  return parts;
}

}  // namespace mercer::methods
