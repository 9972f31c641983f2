// The classic Nystrom extension. C. Williams, M. Seeger, "Using the Nystrom method to speed up
// kernel machines", NIPS 2001; K. Zhang, J. Kwok, "Density-weighted Nystrom method", IEEE Trans.
// Neural Networks 21 (2010).
//
//   symbol      meaning
//   z(x)        component values of a row under kernel PCA of the landmarks, eigenvalues lambda
//   u           z / sqrt(lambda): an approximate eigenvector of K, not exactly of unit norm
//   B           w u / sqrt(lambda), coefficients of all rows
//
// Cost: n m kernel values and n (d + k) numbers in the model, so n kernel values a new point: the
// orthogonal evaluation of the same landmarks is more accurate and needs m.

#include "methods/nystrom.h"

#include <numeric>
#include <utility>
#include <vector>

#include "methods/component_choice.h"
#include "methods/pca.h"
#include "methods/weighted_centers.h"

namespace mercer::methods {

namespace {

/// Inner products of the points with the feature-space mean that the model was centred by.
std::vector<double> kernel_means(const Model& model, MatrixView<const double> points,
                                 const RunOptions& run) {
  ModelParts parts = parts_of(model);
  parts.coefficients = Matrix<double>(
      MatrixView<const double>(parts.mean_coefficients.data(), parts.mean_coefficients.size(), 1));
  parts.offset = {0.0};
  parts.eigenvalues = {1.0};
  const auto means = Model(std::move(parts)).transform(points, run);
  return {means.data(), means.data() + means.size()};
}

/// Makes the columns of b sum to 0: the origin is then a matter of the offset alone.
void take_out_sums(Matrix<double>& b, std::span<const double> shares) {
  std::vector<double> sums(b.cols(), 0.0);
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) sums[j] += b(i, j);
  }
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) b(i, j) -= shares[i] * sums[j];
  }
}

}  // namespace

ModelParts extend_to_rows(const Model& reduced, MatrixView<const double> points,
                          std::span<const double> weights, const RunOptions& run) {
  RunOptions silent = run;
  silent.progress = nullptr;
  std::vector<double> w(weights.begin(), weights.end());
  if (w.empty()) w.assign(points.rows(), 1.0);
  const double total_weight = std::accumulate(w.begin(), w.end(), 0.0);

  Matrix<double> b = reduced.transform(points, silent);
  const std::size_t k = b.cols();
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < k; ++j) b(i, j) *= w[i] / reduced.eigenvalues()[j];
  }
  if (reduced.centered()) {
    std::vector<double> shares(w);
    for (double& share : shares) share /= total_weight;
    take_out_sums(b, shares);
  }
  fix_signs(b);

  ModelParts parts;
  parts.kernel = reduced.kernel();
  parts.offset.assign(k, 0.0);
  if (reduced.centered()) {
    const auto origin = kernel_means(reduced, points, silent);
    for (std::size_t i = 0; i < b.rows(); ++i) {
      for (std::size_t j = 0; j < k; ++j) parts.offset[j] -= b(i, j) * origin[i];
    }
  }
  if (std::holds_alternative<Linear>(parts.kernel)) {
    parts.coefficients = collapse(points, b);
  } else {
    parts.library = Matrix<double>(points);
    parts.coefficients = std::move(b);
  }
  parts.eigenvalues.assign(reduced.eigenvalues().begin(), reduced.eigenvalues().end());
  parts.total_weight = total_weight;
  parts.centered = reduced.centered();
  return parts;
}

}  // namespace mercer::methods
