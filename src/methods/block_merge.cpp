// Merging kernel PCA of two blocks without their rows.
//
//   T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006
//
//   symbol         meaning
//   C1, A1, S1     library, components and singular values of the first block, s1 x d, s1 x r1, r1
//   nu1, d1        coefficients of its mean, its weight; b1 = A1^T K nu1, q1 = nu1^T K nu1
//   K12            kernel values of the two libraries
//   c^2            d1 d2 / (d1 + d2)
//
// Scatter matrices of parts add up, with one term for the distance of their means:
//     S_12 = W W^T,   W = [Phi1 A1 S1,  Phi2 A2 S2,  c (Phi1 nu1 - Phi2 nu2)].
// The paper orthogonalises the second block, row by row, against the first and updates right
// singular vectors V* as well. Neither is needed: rows enter S_12 only through their own
// components, and V* only as an orthogonal factor on the right. So a merge costs nothing that grows
// with the number of rows, and merged models are of the same type as blocks.
//
// coefficient form   eigenvectors Q of the (r1 + r2 + 1) square N = W^T W, which needs K12 alone;
//                    components W Q / S over both libraries
// Cholesky form      the same in orthonormal coordinates of both libraries, by a partial Cholesky
//                    factor that skips points depending on those before

#include "methods/block_merge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/gram.h"
#include "engine/pivoted_cholesky.h"
#include "methods/block_state.h"

namespace mercer::methods {

namespace {

Matrix<double> stacked(MatrixView<const double> a, MatrixView<const double> b, std::size_t cols) {
  auto both = Matrix<double>::uninitialized(a.rows() + b.rows(), cols);
  for (std::size_t i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), both.row(i).begin());
  for (std::size_t i = 0; i < b.rows(); ++i) {
    std::ranges::copy(b.row(i), both.row(a.rows() + i).begin());
  }
  return both;
}

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

  Matrix<double> n = gram_of_both(a, b, cross, c);
  double total = 0;
  for (std::size_t i = 0; i < n.rows(); ++i) total += n(i, i);
  const auto pairs = engine::largest_eigenpairs(n, n.rows());
  const double energy = total + a.weight * a.mean_norm2 + b.weight * b.mean_norm2;
  const std::size_t r = components_kept(pairs.values, total, both.lost,
                                        negligible_variance(pairs.values.front(), energy), options);
  // Q / S, one column a component.
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

  const auto q_mean = std::as_const(q).row(r1 + r2);
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
  both.components = stacked(first, second, r);
  for (const double value : b.mean_coefficients) both.mean_coefficients.push_back(share2 * value);
  both.library = stacked(a.library, b.library, both.columns);
  return both;
}

BlockNumbers merge_by_cholesky(const BlockNumbers& a, const BlockNumbers& b,
                               const MergeOptions& options, double memory_limit_bytes,
                               engine::Workers& workers) {
  const auto points = stacked(a.library, b.library, a.columns);
  const std::size_t s = points.rows();
  require_room(4 * engine::PartialCholesky::bytes(s, s), memory_limit_bytes, "merging");
  BlockNumbers both = sums_of(a, b);
  engine::PartialCholesky factor(both.kernel, points, s, workers);
  std::vector<std::size_t> first(a.library.rows());
  std::iota(first.begin(), first.end(), std::size_t{0});
  factor.append(first, first.size());
  engine::grow_greedily(factor, s);
  both.kernel_evaluations += factor.kernel_evaluations();
  const auto g = factor.factor();
  const auto of_a = coordinates_of(a, g.rows_from(0, a.library.rows()), workers);
  const auto of_b = coordinates_of(b, g.rows_from(a.library.rows(), b.library.rows()), workers);
  give_up_unseen(both, a, of_a);
  give_up_unseen(both, b, of_b);
  Matrix<double> scatter(g.cols(), g.cols());
  add_scatter(scatter, of_a.root, workers);
  add_scatter(scatter, of_b.root, workers);
  add_difference(scatter, a.weight * b.weight / both.weight, of_a.mean, of_b.mean);
  std::vector<double> mean(g.cols());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = (a.weight * of_a.mean[i] + b.weight * of_b.mean[i]) / both.weight;
  }
  const LandmarkSet set{.points = pick_rows(points, factor.pivots()),
                        .lower = factor.pivot_factor()};
  set_components(both, set, std::move(scatter), mean, options);
  return both;
}

}  // namespace

BlockNumbers merge_blocks(const BlockNumbers& a, const BlockNumbers& b, const MergeOptions& options,
                          double memory_limit_bytes, engine::Workers& workers) {
  // A linear kernel has one basis for all blocks, in which nothing depends on anything.
  const bool nothing_to_drop = a.linear() || a.terms() + b.terms() == 0;
  if (options.form == MergeForm::coefficients || nothing_to_drop) {
    return merge_coefficients(a, b, options, memory_limit_bytes, workers);
  }
  return merge_by_cholesky(a, b, options, memory_limit_bytes, workers);
}

BlockModel merge_tree(std::vector<BlockModel> blocks, const MergeOptions& options,
                      double memory_limit_bytes, engine::Workers& workers) {
  while (blocks.size() > 1) {
    std::vector<BlockModel> merged;
    for (std::size_t i = 0; i + 1 < blocks.size(); i += 2) {
      workers.check_cancelled();
      merged.push_back(
          make_block_model(merge_blocks(blocks[i].state().numbers, blocks[i + 1].state().numbers,
                                        options, memory_limit_bytes, workers)));
    }
    if (blocks.size() % 2 != 0) merged.push_back(blocks.back());
    blocks = std::move(merged);
  }
  return blocks.front();
}

}  // namespace mercer::methods
