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

#include <utility>

#include "engine/greedy_pivots.h"
#include "engine/pivoted_cholesky.h"
#include "methods/block_state.h"

namespace mercer::methods {

namespace {

BlockNumbers merge_by_cholesky(const BlockNumbers& a, const BlockNumbers& b,
                               const MergeOptions& options, double memory_limit_bytes,
                               engine::Workers& workers) {
  const auto points = stacked_rows(a.library, b.library, a.columns);
  const std::size_t s = points.rows();
  require_room(4 * engine::PartialCholesky::bytes(s, s), memory_limit_bytes, "merging");
  BlockNumbers both = sums_of(a, b);
  engine::PartialCholesky factor(both.kernel, points, s, workers);
  engine::append_first(factor, a.library.rows());
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
    // Pairs side by side, with a share of the memory each that does not depend on the threads.
    const std::size_t pairs = blocks.size() / 2;
    const double share = memory_limit_bytes / static_cast<double>(std::min<std::size_t>(pairs, 16));
    std::vector<BlockNumbers> numbers(pairs);
    workers.for_each_alone(pairs, [&](std::size_t i, engine::Workers& inner) {
      numbers[i] = merge_blocks(blocks[2 * i].state().numbers, blocks[2 * i + 1].state().numbers,
                                options, share, inner);
    });
    std::vector<BlockModel> merged;
    for (auto& block : numbers) merged.push_back(make_block_model(std::move(block)));
    if (blocks.size() % 2 != 0) merged.push_back(blocks.back());
    blocks = std::move(merged);
  }
  return blocks.front();
}

}  // namespace mercer::methods
