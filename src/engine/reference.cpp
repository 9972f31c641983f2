#include "engine/reference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "engine/kernel_value.h"

namespace mercer::engine::reference {

Matrix<double> kernel_matrix(const Kernel& kernel, MatrixView<const double> a,
                             MatrixView<const double> b) {
  Matrix<double> k(a.rows(), b.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.rows(); ++j) k(i, j) = kernel_value(kernel, a.row(i), b.row(j));
  }
  return k;
}

Matrix<double> multiply(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.cols(); ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Eigen symmetric_eigen(MatrixView<const double> matrix) {
  const std::size_t n = matrix.rows();
  Matrix<double> a(matrix);
  Matrix<double> v(n, n);
  for (std::size_t i = 0; i < n; ++i) v(i, i) = 1;
  for (int sweep = 0; sweep < 100; ++sweep) {
    double off = 0;
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        all += a(i, j) * a(i, j);
        if (i != j) off += a(i, j) * a(i, j);
      }
    }
    if (off <= 1e-32 * all) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::hypot(theta, 1));
        const double c = 1 / std::hypot(t, 1);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double akp = a(k, p);
          const double akq = a(k, q);
          a(k, p) = c * akp - s * akq;
          a(k, q) = s * akp + c * akq;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double apk = a(p, k);
          const double aqk = a(q, k);
          a(p, k) = c * apk - s * aqk;
          a(q, k) = s * apk + c * aqk;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double vkp = v(k, p);
          const double vkq = v(k, q);
          v(k, p) = c * vkp - s * vkq;
          v(k, q) = s * vkp + c * vkq;
        }
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
  Eigen result{.values = std::vector<double>(n), .vectors = Matrix<double>(n, n)};
  for (std::size_t j = 0; j < n; ++j) {
    result.values[j] = a(order[j], order[j]);
    for (std::size_t i = 0; i < n; ++i) result.vectors(i, j) = v(i, order[j]);
  }
  return result;
}

KernelPca kernel_pca(MatrixView<const double> gram, MatrixView<const double> cross,
                     std::size_t components, bool center) {
  const std::size_t n = gram.rows();
  std::vector<double> row_mean(n, 0.0);
  double grand_mean = 0;
  if (center) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) row_mean[i] += gram(i, j) / static_cast<double>(n);
    }
    for (const double mean : row_mean) grand_mean += mean / static_cast<double>(n);
  }
  Matrix<double> centred(n, n);
  KernelPca result;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      centred(i, j) = gram(i, j) - row_mean[i] - row_mean[j] + grand_mean;
    }
    result.total_variance += centred(i, i);
  }
  const Eigen eigen = symmetric_eigen(centred);
  const std::size_t k = std::min(components, n);
  result.eigenvalues.assign(eigen.values.begin(),
                            eigen.values.begin() + static_cast<std::ptrdiff_t>(k));
  result.training_scores = Matrix<double>(n, k);
  result.new_scores = Matrix<double>(cross.rows(), k);
  for (std::size_t j = 0; j < k; ++j) {
    const double root = std::sqrt(eigen.values[j]);
    for (std::size_t i = 0; i < n; ++i) {
      result.training_scores(i, j) = root * eigen.vectors(i, j);
    }
    for (std::size_t r = 0; r < cross.rows(); ++r) {
      double mean = 0;
      for (std::size_t i = 0; i < n && center; ++i) mean += cross(r, i) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) {
        result.new_scores(r, j) +=
            eigen.vectors(i, j) / root * (cross(r, i) - mean - row_mean[i] + grand_mean);
      }
    }
  }
  return result;
}

namespace {

/// Cholesky by elimination in a copy of the matrix; `choose` names the next pivot from the
/// residuals, or nothing to stop.
Pivots pivoted_cholesky(
    MatrixView<const double> gram, std::span<const double> weights,
    const std::function<std::optional<std::size_t>(const std::vector<double>&)>& choose) {
  const std::size_t n = gram.rows();
  Matrix<double> left(gram);
  Pivots pivots;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    pivots.residuals.push_back(std::max(gram(i, i), 0.0));
    total += (weights.empty() ? 1 : weights[i]) * gram(i, i);
  }
  const double negligible = 1e-10 * std::ranges::max(pivots.residuals);
  while (std::ranges::max(pivots.residuals) > negligible) {
    const auto next = choose(pivots.residuals);
    if (!next) break;
    const std::size_t pivot = *next;
    std::vector<double> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = left(i, pivot) / std::sqrt(left(pivot, pivot));
    for (const std::size_t before : pivots.rows) column[before] = 0;
    pivots.rows.push_back(pivot);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) left(i, j) -= column[i] * column[j];
      pivots.residuals[i] = std::max(left(i, i), 0.0);
    }
    for (const std::size_t row : pivots.rows) pivots.residuals[row] = 0;
  }
  double residual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    residual += (weights.empty() ? 1 : weights[i]) * pivots.residuals[i];
  }
  pivots.residual_fraction = total > 0 ? residual / total : 0;
  return pivots;
}

}  // namespace

Pivots randomly_pivoted_cholesky(MatrixView<const double> gram, std::span<const double> weights,
                                 std::span<const double> uniforms) {
  std::size_t draw = 0;
  return pivoted_cholesky(
      gram, weights, [&](const std::vector<double>& residuals) -> std::optional<std::size_t> {
        if (draw == uniforms.size()) return std::nullopt;
        std::vector<double> cumulative;
        double sum = 0;
        for (std::size_t i = 0; i < residuals.size(); ++i) {
          sum += (weights.empty() ? 1 : weights[i]) * residuals[i];
          cumulative.push_back(sum);
        }
        const double target = uniforms[draw++] * sum;
        const auto row = std::ranges::find_if(cumulative, [&](double c) { return c > target; });
        return static_cast<std::size_t>(row - cumulative.begin());
      });
}

Pivots greedily_pivoted_cholesky(MatrixView<const double> gram, std::size_t count) {
  std::size_t taken = 0;
  return pivoted_cholesky(
      gram, {}, [&](const std::vector<double>& residuals) -> std::optional<std::size_t> {
        if (taken++ == count) return std::nullopt;
        return static_cast<std::size_t>(std::ranges::max_element(residuals) - residuals.begin());
      });
}

}  // namespace mercer::engine::reference
