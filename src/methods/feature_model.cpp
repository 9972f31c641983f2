#include "methods/feature_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/blas.h"
#include "engine/kernel_matrix.h"
#include "engine/tall.h"
#include "methods/landmark_set.h"
#include "methods/pca.h"

namespace mercer::methods {

namespace {

/// C = L^-T: feature i is sum_t C_ti phi_pivot(t) (of centred phi), and C_ii > 0. By substitution,
/// column i of C from those before it: (12) and (13) of the paper.
Matrix<double> feature_coefficients(const Matrix<double>& lower) {
  const std::size_t l = lower.rows();
  Matrix<double> c(l, l);
  for (std::size_t i = 0; i < l; ++i) {
    c(i, i) = 1 / lower(i, i);
    for (std::size_t t = 0; t < i; ++t) {
      double sum = 0;
      for (std::size_t j = t; j < i; ++j) sum += c(t, j) * lower(i, j);
      c(t, i) = -sum * c(i, i);
    }
  }
  return c;
}

/// s_i = sum_t C_ti.
std::vector<double> column_sums(MatrixView<const double> c) {
  std::vector<double> sums(c.cols(), 0.0);
  for (std::size_t t = 0; t < c.rows(); ++t) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += c(t, i);
  }
  return sums;
}

/// nu with sum_t nu_t phi_pivot(t) the projection of the mean on the pivots, K_II nu = m_I. Pivots
/// that are independent about the mean may depend on each other about the origin, within 1e-10:
/// those that do have no part in it.
std::vector<double> projected_mean(const engine::PartialCholesky& factor,
                                   MatrixView<const double> pivots,
                                   const std::vector<double>& products, engine::Workers& workers) {
  engine::PartialCholesky library(factor.kernel(), pivots, pivots.rows(), workers);
  engine::append_first(library, pivots.rows());
  Matrix<double> solution(library.rank(), 1);
  for (std::size_t i = 0; i < library.rank(); ++i) solution(i, 0) = products[library.pivots()[i]];
  const Matrix<double> lower = library.pivot_factor();
  engine::solve_lower(lower, solution);
  engine::solve_lower_transposed(lower, solution);
  std::vector<double> nu(pivots.rows(), 0.0);
  for (std::size_t i = 0; i < library.rank(); ++i) nu[library.pivots()[i]] = solution(i, 0);
  return nu;
}

/// A linear model needs no library: its features are directions in the space of the points.
void collapse_library(ModelParts& parts) {
  if (!std::holds_alternative<Linear>(parts.kernel)) return;
  parts.coefficients = collapse(parts.library, parts.coefficients);
  if (parts.centered) {
    const Matrix<double> mean = collapse(
        parts.library, {parts.mean_coefficients.data(), parts.mean_coefficients.size(), 1});
    parts.mean_coefficients.assign(mean.data(), mean.data() + mean.size());
  }
  parts.library = {};
}

/// Scores of row t differ by s e_t, where e_t is <phi_t, mean> less the same with the mean in its
/// place, both about their mean over the rows.
double score_error(const engine::PartialCholesky& factor, const FeatureModel& model,
                   const engine::FeatureMean& mean, std::span<const double> sums,
                   std::span<const double> weights, engine::Workers& workers) {
  const Matrix<double> values =
      engine::kernel_matrix(factor.kernel(), factor.points(), model.parts.library, workers);
  const auto& nu = model.parts.mean_coefficients;
  double squares = 0;
  for (std::size_t t = 0; t < values.rows(); ++t) {
    const auto row = values.row(t);
    const double error = mean.products[t] - mean.norm2 + model.parts.mean_norm2 -
                         std::inner_product(row.begin(), row.end(), nu.begin(), 0.0);
    squares += (weights.empty() ? 1 : weights[t]) * error * error;
  }
  const double sums2 = std::inner_product(sums.begin(), sums.end(), sums.begin(), 0.0);
  return std::sqrt(squares / model.parts.total_weight * sums2);
}

}  // namespace

// With m_t = <phi_t, mean>, the scores of x are
//     C^T (k_I(x) - m(x) - m_I + |mean|^2),     m(x) = sum_t nu_t k(x, x_t)
// where nu is w / N over all rows, or over the pivots for the projected mean: then m_I is the same
// and |mean|^2 that of the projection, so that scores of the rows still have mean 0.
FeatureModel feature_model(const engine::PartialCholesky& factor, const engine::FeatureMean& mean,
                           std::span<const double> weights, MeanProjection projection,
                           engine::Workers& workers) {
  const std::size_t l = factor.rank();
  const bool centered = !mean.products.empty();
  const bool all_rows = centered && projection == MeanProjection::exact;
  FeatureModel model;
  ModelParts& parts = model.parts;
  parts.kernel = factor.kernel();
  parts.total_weight = weights.empty() ? static_cast<double>(factor.size())
                                       : std::accumulate(weights.begin(), weights.end(), 0.0);
  parts.centered = centered;
  parts.offset.assign(l, 0.0);
  const Matrix<double> pivots = engine::pick_rows(factor.points(), factor.pivots());
  parts.library = all_rows ? Matrix<double>(factor.points()) : pivots;
  const Matrix<double> c = feature_coefficients(factor.pivot_factor());
  parts.coefficients = Matrix<double>(parts.library.rows(), l);
  for (std::size_t t = 0; t < l; ++t) {
    std::ranges::copy(c.row(t), parts.coefficients.row(all_rows ? factor.pivots()[t] : t).begin());
  }
  if (!centered) {
    collapse_library(parts);
    return model;
  }

  std::vector<double> products;  // m_I
  for (const std::size_t pivot : factor.pivots()) products.push_back(mean.products[pivot]);
  parts.mean_norm2 = mean.norm2;
  if (all_rows) {
    parts.mean_coefficients.assign(factor.size(), 1 / parts.total_weight);
    for (std::size_t t = 0; t < weights.size(); ++t) parts.mean_coefficients[t] *= weights[t];
  } else {
    parts.mean_coefficients = projected_mean(factor, pivots, products, workers);
    parts.mean_norm2 =
        std::inner_product(products.begin(), products.end(), parts.mean_coefficients.begin(), 0.0);
  }
  const std::vector<double> sums = column_sums(c);
  for (std::size_t t = 0; t < parts.library.rows(); ++t) {
    for (std::size_t i = 0; i < l; ++i) {
      parts.coefficients(t, i) -= parts.mean_coefficients[t] * sums[i];
    }
  }
  for (std::size_t t = 0; t < l; ++t) {
    for (std::size_t i = 0; i < l; ++i) {
      parts.offset[i] -= c(t, i) * (products[t] - parts.mean_norm2);
    }
  }
  if (!all_rows) {
    model.mean_error =
        SparseMeanError{.squared = std::max(mean.norm2 - parts.mean_norm2, 0.0),
                        .of_scores = score_error(factor, model, mean, sums, weights, workers)};
  }
  collapse_library(parts);
  return model;
}

}  // namespace mercer::methods
