// The coefficient form of a merge (block_merge.cpp has the derivation and the symbols):
// eigenvectors Q of the (r1 + r2 + 1) square N = W^T W, which needs kernel values between the two
// libraries alone, and components W Q / S over both. s1 s2 (d + r1) + (r1 + r2)^3 + (s1 r1 + s2 r2)
// r flops, memory s r.

#include <algorithm>
#include <cmath>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/kernel_matrix.h"
#include "methods/block_merge.h"

namespace mercer::methods {

namespace {

/// v as a row with a column for each entry.
MatrixView<const double> as_row(const std::vector<double>& v) {
  return {v.data(), 1, v.size()};
}
MatrixView<const double> as_column(const std::vector<double>& v) {
  return {v.data(), v.size(), 1};
}

/// Products of the two blocks in feature space.
struct CrossProducts {
  Matrix<double> components;  ///< A1^T K12 A2
  Matrix<double> with_mean2;  ///< A1^T K12 nu2, a column
  Matrix<double> with_mean1;  ///< nu1^T K12 A2, a row
  double means = 0;           ///< nu1^T K12 nu2
  std::uint64_t kernel_evaluations = 0;
};

CrossProducts cross_products(const BlockNumbers& a, const BlockNumbers& b,
                             engine::Workers& workers) {
  CrossProducts cross;
  // [A1, nu1]^T K12; for a linear kernel K12 is the identity.
  auto left = Matrix<double>::uninitialized(a.terms(), a.singular_values.size() + 1);
  for (std::size_t i = 0; i < a.terms(); ++i) {
    std::ranges::copy(a.components.row(i), left.row(i).begin());
    left(i, left.cols() - 1) = a.mean_coefficients[i];
  }
  Matrix<double> projected;
  if (a.linear()) {
    projected = Matrix<double>::uninitialized(left.cols(), left.rows());
    for (std::size_t i = 0; i < left.rows(); ++i) {
      for (std::size_t j = 0; j < left.cols(); ++j) projected(j, i) = left(i, j);
    }
  } else if (a.terms() > 0 && b.terms() > 0) {
    const auto k12 = engine::kernel_matrix(a.kernel, a.library, b.library, workers);
    cross.kernel_evaluations = static_cast<std::uint64_t>(k12.rows()) * k12.cols();
    projected = engine::dense_transposed_product(left, k12, workers);
  } else {
    projected = Matrix<double>(left.cols(), b.terms());
  }
  const std::size_t r1 = a.singular_values.size();
  const auto of_components = projected.view().rows_from(0, r1);
  const auto of_mean = projected.view().rows_from(r1, 1);
  cross.components = engine::dense_product(of_components, b.components, workers);
  cross.with_mean2 = engine::dense_product(of_components, as_column(b.mean_coefficients), workers);
  cross.with_mean1 = engine::dense_product(of_mean, b.components, workers);
  cross.means = engine::dense_product(of_mean, as_column(b.mean_coefficients), workers)(0, 0);
  return cross;
}

/// N = W^T W, lower triangle.
Matrix<double> gram_of_both(const BlockNumbers& a, const BlockNumbers& b,
                            const CrossProducts& cross, double c) {
  const std::size_t r1 = a.singular_values.size();
  const std::size_t r2 = b.singular_values.size();
  const std::size_t last = r1 + r2;
  Matrix<double> n(last + 1, last + 1);
  for (std::size_t i = 0; i < r1; ++i) {
    const double s = a.singular_values[i];
    n(i, i) = s * s;
    n(last, i) = c * s * (a.mean_scores[i] - cross.with_mean2(i, 0));
    for (std::size_t j = 0; j < r2; ++j) {
      n(r1 + j, i) = s * cross.components(i, j) * b.singular_values[j];
    }
  }
  for (std::size_t j = 0; j < r2; ++j) {
    const double s = b.singular_values[j];
    n(r1 + j, r1 + j) = s * s;
    n(last, r1 + j) = c * s * (cross.with_mean1(0, j) - b.mean_scores[j]);
  }
  n(last, last) = std::max(c * c * (a.mean_norm2 - 2 * cross.means + b.mean_norm2), 0.0);
  return n;
}

/// The products of the three parts of W with the mean of both blocks.
std::vector<double> products_with_mean(const BlockNumbers& a, const BlockNumbers& b,
                                       const CrossProducts& cross, double c) {
  const double share1 = a.weight / (a.weight + b.weight);
  const double share2 = b.weight / (a.weight + b.weight);
  std::vector<double> products;
  for (std::size_t i = 0; i < a.singular_values.size(); ++i) {
    products.push_back(a.singular_values[i] *
                       (share1 * a.mean_scores[i] + share2 * cross.with_mean2(i, 0)));
  }
  for (std::size_t j = 0; j < b.singular_values.size(); ++j) {
    products.push_back(b.singular_values[j] *
                       (share1 * cross.with_mean1(0, j) + share2 * b.mean_scores[j]));
  }
  products.push_back(
      c * (share1 * (a.mean_norm2 - cross.means) + share2 * (cross.means - b.mean_norm2)));
  return products;
}

/// What a block gives to the coefficients of the merged components: A S Q_rows + c nu q_last.
Matrix<double> expanded(const BlockNumbers& block, MatrixView<const double> q,
                        std::span<const double> q_mean, double c, engine::Workers& workers) {
  Matrix<double> scaled(q);
  for (std::size_t i = 0; i < scaled.rows(); ++i) {
    for (double& value : scaled.row(i)) value *= block.singular_values[i];
  }
  auto result = engine::dense_product(block.components, scaled, workers);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    for (std::size_t j = 0; j < result.cols(); ++j) {
      result(i, j) += c * block.mean_coefficients[i] * q_mean[j];
    }
  }
  return result;
}

/// Sets the singular values from the eigenvalues of N and returns Q / S, a column for each
/// component that stays. `energy` is that of the rows about the origin.
Matrix<double> rotation(BlockNumbers& both, Matrix<double> n, double energy,
                        const MergeOptions& options) {
  double total = 0;
  for (std::size_t i = 0; i < n.rows(); ++i) total += n(i, i);
  const auto pairs = engine::largest_eigenpairs(n, n.rows());
  const double noise = negligible_variance(pairs.values.front(), total + energy);
  const std::size_t r = components_kept(pairs.values, total, both.lost, noise, options);
  auto q = Matrix<double>::uninitialized(n.rows(), r);
  double kept = 0;
  for (std::size_t j = 0; j < r; ++j) {
    kept += pairs.values[j];
    both.singular_values.push_back(std::sqrt(pairs.values[j]));
    for (std::size_t i = 0; i < q.rows(); ++i) {
      q(i, j) = pairs.vectors(j, i) / both.singular_values[j];
    }
  }
  give_up(both, total - kept);
  return q;
}

}  // namespace

BlockNumbers merge_coefficients(const BlockNumbers& a, const BlockNumbers& b,
                                const MergeOptions& options, double memory_limit_bytes,
                                engine::Workers& workers) {
  if (!a.linear()) {
    const double entries = static_cast<double>(a.terms()) * static_cast<double>(b.terms());
    require_room(2 * sizeof(double) * entries, memory_limit_bytes, "merging");
  }
  BlockNumbers both = sums_of(a, b);
  const double share1 = a.weight / both.weight;
  const double share2 = b.weight / both.weight;
  const double c = std::sqrt(a.weight * share2);
  const std::size_t r1 = a.singular_values.size();
  const std::size_t r2 = b.singular_values.size();
  const auto cross = cross_products(a, b, workers);
  both.kernel_evaluations += cross.kernel_evaluations;

  const auto q = rotation(both, gram_of_both(a, b, cross, c),
                          a.weight * a.mean_norm2 + b.weight * b.mean_norm2, options);
  const auto q_mean = q.row(r1 + r2);
  const auto first = expanded(a, q.view().rows_from(0, r1), q_mean, c, workers);
  const auto second = expanded(b, q.view().rows_from(r1, r2), q_mean, -c, workers);
  const auto of_mean = products_with_mean(a, b, cross, c);
  const auto scores = engine::dense_product(as_row(of_mean), q, workers);
  both.mean_scores.assign(scores.row(0).begin(), scores.row(0).end());
  both.mean_norm2 = std::max(share1 * share1 * a.mean_norm2 + 2 * share1 * share2 * cross.means +
                                 share2 * share2 * b.mean_norm2,
                             0.0);
  for (const double value : a.mean_coefficients) both.mean_coefficients.push_back(share1 * value);
  if (a.linear()) {  // one basis for both
    both.components = first;
    for (std::size_t i = 0; i < first.size(); ++i) both.components.data()[i] += second.data()[i];
    for (std::size_t i = 0; i < both.terms(); ++i) {
      both.mean_coefficients[i] += share2 * b.mean_coefficients[i];
    }
    both.library = Matrix<double>(0, both.columns);
    return both;
  }
  both.components = stacked_rows(first, second, q.cols());
  for (const double value : b.mean_coefficients) both.mean_coefficients.push_back(share2 * value);
  both.library = stacked_rows(a.library, b.library, both.columns);
  return both;
}

}  // namespace mercer::methods
