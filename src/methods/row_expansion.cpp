#include "methods/row_expansion.h"

#include <utility>
#include <vector>

#include "methods/component_choice.h"
#include "methods/pca.h"

namespace mercer::methods {

ModelParts row_expansion(MatrixView<const double> points, const Kernel& kernel,
                         RitzComponents components, std::span<const double> row_means,
                         double mean_norm2, bool center) {
  const std::size_t n = points.rows();
  ModelParts parts;
  parts.kernel = kernel;
  parts.eigenvalues = std::move(components.values);
  parts.total_weight = static_cast<double>(n);
  parts.centered = center;
  std::vector<double> means(row_means.begin(), row_means.end());
  if (std::holds_alternative<Linear>(kernel)) {
    parts.coefficients = collapse(points, components.coefficients);
    means = center ? weighted_mean(points, {}) : std::vector<double>(points.cols(), 0.0);
    for (const double mean : means) parts.mean_norm2 += mean * mean;
    if (center) parts.mean_coefficients = means;
  } else {
    parts.library = Matrix<double>(points);
    parts.coefficients = std::move(components.coefficients);
    parts.mean_norm2 = mean_norm2;
    if (center) parts.mean_coefficients.assign(n, 1 / static_cast<double>(n));
  }
  fix_signs(parts.coefficients);
  parts.offset.assign(parts.eigenvalues.size(), 0.0);
  for (std::size_t i = 0; i < means.size(); ++i) {
    for (std::size_t j = 0; j < parts.offset.size(); ++j) {
      parts.offset[j] -= parts.coefficients(i, j) * means[i];
    }
  }
  return parts;
}

}  // namespace mercer::methods
