#include "methods/weighted_centers.h"

#include <algorithm>
#include <utility>

#include "density/kmeans.h"

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
