// Few points of a library that give nearly the same scores.
//
// 1. Points are chosen by partial Cholesky, K ~ G G^T, with the pivot that represents most of the
//    components and the mean (TargetPivots). What is left of K B is at hand after every choice, so
//    the choice ends when the orthogonal projection of the components in feature space on the
//    points meets the error.
// 2. With K_C = G L^T for the points C chosen, L = G[C], scores over C are G Y for coefficients
//    L^-T Y. Orthogonal projection has Y = G^T B. Least squares over the library,
//        G'^T G' Y = G'^T T',    T = K B,  G' and T' about their column means for centred models,
//    halves the error on USPS digits, so the first points alone do: one Cholesky factor of G'^T G'
//    = S S^T tells the error for any number m of them, |T'|^2 - sum of the first m rows of |S^-1
//    G'^T T'|^2.
//
// The offset makes up for the means. The mean in feature space is projected orthogonally: it has no
// offset, and residuals need it everywhere, not at the library alone.
//
// Cost: s m kernel values, 2 s m^2 flops, 8 s m bytes.

#include "methods/library_projection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/pivoted_cholesky.h"
#include "engine/target_pivots.h"
#include "methods/factor_moments.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

/// Sum of squares of the first k columns, about their means where these are free.
double energy(MatrixView<const double> values, std::size_t k, bool centered) {
  std::vector<double> means(k, 0.0);
  for (std::size_t i = 0; centered && i < values.rows(); ++i) {
    for (std::size_t j = 0; j < k; ++j) means[j] += values(i, j);
  }
  for (double& mean : means) mean /= static_cast<double>(values.rows());
  double total = 0;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      total += (values(i, j) - means[j]) * (values(i, j) - means[j]);
    }
  }
  return total;
}

/// Room for G, and for the moments of its rows and their factor (at most three halves of it).
std::size_t affordable_points(std::size_t s, double memory_limit_bytes) {
  const std::size_t most = engine::PartialCholesky::capacity_within(s, memory_limit_bytes / 2.5);
  if (most > 0) return most;
  throw MemoryLimitError(fmt::format(
      "projecting a library of {} points takes more than the limit of {}: compress by rounding", s,
      system::format_bytes(memory_limit_bytes)));
}

/// Coordinates Y of the components in the span of the points, a row for each of these.
struct Coordinates {
  Matrix<double> y;
  std::vector<double> factor_means;  ///< of the columns of G
};

/// Least squares on the first points that are enough; nothing where the normal equations are
/// singular to working precision.
std::optional<Coordinates> least_squares(MatrixView<const double> g, const LibraryImages& images,
                                         bool centered, double squared_error,
                                         engine::Workers& workers) {
  const std::size_t m = g.cols();
  const auto moments = factor_moments(g, {}, workers);
  Matrix<double> normal = moments.scatter();
  const auto means = moments.mean();
  Matrix<double> target = images.values;
  if (centered) {
    for (std::size_t i = 0; i < target.rows(); ++i) {
      for (std::size_t j = 0; j < target.cols(); ++j) target(i, j) -= images.means[j];
    }
  } else {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        normal(i, j) += static_cast<double>(g.rows()) * means[i] * means[j];
      }
    }
  }
  if (!engine::cholesky_lower(normal)) return std::nullopt;
  Matrix<double> v = engine::dense_transposed_product(g, target, workers);
  engine::solve_lower(normal, v);
  double left = energy(target, target.cols(), false);
  std::size_t enough = 0;
  while (enough < m && left > squared_error) {
    for (const double value : v.row(enough)) left -= value * value;
    ++enough;
  }
  enough = std::max<std::size_t>(enough, 1);
  Matrix<double> y(std::as_const(v).view().rows_from(0, enough));
  engine::solve_lower_transposed(
      std::as_const(normal).view().rows_from(0, enough).cols_from(0, enough), y);
  return Coordinates{.y = std::move(y), .factor_means = means};
}

/// Orthogonal projection in feature space: Y = G^T B, which always exists.
Coordinates orthogonal(MatrixView<const double> g, const Model& model, engine::Workers& workers) {
  Coordinates result{.y = engine::dense_transposed_product(g, model.coefficients(), workers),
                     .factor_means = std::vector<double>(g.cols(), 0.0)};
  for (std::size_t i = 0; i < g.rows(); ++i) {
    for (std::size_t j = 0; j < g.cols(); ++j) {
      result.factor_means[j] += g(i, j) / static_cast<double>(g.rows());
    }
  }
  return result;
}

Matrix<double> mean_coordinates(MatrixView<const double> g, std::span<const double> mean,
                                engine::Workers& workers) {
  const MatrixView<const double> column(mean.data(), mean.size(), 1);
  return engine::dense_transposed_product(g, column, workers);
}

}  // namespace

ProjectedModel project_on_subset(const Model& model, const LibraryImages& images,
                                 double squared_error, double memory_limit_bytes,
                                 engine::Workers& workers) {
  const std::size_t s = model.library_size();
  const std::size_t k = model.components();
  const bool centered = model.centered();
  engine::PartialCholesky factor(model.kernel(), model.library(),
                                 affordable_points(s, memory_limit_bytes), workers);
  engine::TargetPivots pivots(factor, images.targets, workers);
  ProjectedModel result;
  while (energy(pivots.remainder(), k, centered) > squared_error && pivots.grow()) {
  }
  result.limited_by_memory = factor.rank() == factor.capacity() && factor.rank() < s;
  if (factor.rank() == 0) pivots.grow();  // the offset alone would do: a model has a library

  const auto g = factor.factor();
  const auto fitted = least_squares(g, images, centered, squared_error, workers);
  const Coordinates coordinates = fitted ? *fitted : orthogonal(g, model, workers);
  const std::size_t m = coordinates.y.rows();
  const Matrix<double> all_lower = factor.pivot_factor();
  const auto lower = all_lower.view().rows_from(0, m).cols_from(0, m);
  result.rows.assign(factor.pivots().begin(),
                     factor.pivots().begin() + static_cast<std::ptrdiff_t>(m));
  result.coefficients = coordinates.y;
  engine::solve_lower_transposed(lower, result.coefficients);
  result.offset.assign(model.offset().begin(), model.offset().end());
  for (std::size_t j = 0; centered && j < k; ++j) {
    result.offset[j] += images.means[j];
    for (std::size_t i = 0; i < m; ++i) {
      result.offset[j] -= coordinates.factor_means[i] * coordinates.y(i, j);
    }
  }
  if (!model.mean_coefficients().empty()) {
    Matrix<double> mean = mean_coordinates(g.cols_from(0, m), model.mean_coefficients(), workers);
    engine::solve_lower_transposed(lower, mean);
    result.mean_coefficients.assign(mean.data(), mean.data() + m);
  }
  result.kernel_evaluations = factor.kernel_evaluations();
  return result;
}

}  // namespace mercer::methods
