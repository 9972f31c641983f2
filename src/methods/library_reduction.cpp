// A smaller library for the same components: what keeps the memory of an endless stream flat.
//
// Points are chosen from the library C itself by partial Cholesky with the pivot that represents
// most of A = [components diag(S), sqrt(d) mean] (TargetPivots; the largest residual loses ten
// times the variance). Components and mean are then projected on the span of the points chosen, and
// orthogonalised anew.
//
// Cost: s^2 kernel values and s^2 r flops for M, 2 s s' r for the choice of s' points.

#include <cmath>

#include "engine/dense_product.h"
#include "engine/gram.h"
#include "engine/pivoted_cholesky.h"
#include "engine/target_pivots.h"
#include "methods/block_merge.h"

namespace mercer::methods {

namespace {

/// K [A diag(S), sqrt(d) nu].
Matrix<double> images(const BlockNumbers& block, engine::Workers& workers) {
  const std::size_t r = block.singular_values.size();
  auto columns = Matrix<double>::uninitialized(block.terms(), r + 1);
  for (std::size_t i = 0; i < block.terms(); ++i) {
    for (std::size_t j = 0; j < r; ++j) {
      columns(i, j) = block.components(i, j) * block.singular_values[j];
    }
    columns(i, r) = std::sqrt(block.weight) * block.mean_coefficients[i];
  }
  const auto gram = engine::kernel_matrix(block.kernel, block.library, block.library, workers);
  return engine::dense_product(gram, columns, workers);
}

}  // namespace

BlockNumbers reduce_library(const BlockNumbers& block, std::size_t size, double memory_limit_bytes,
                            engine::Workers& workers) {
  const std::size_t s = block.library.rows();
  if (s <= size) return block;
  require_room(2 * sizeof(double) * static_cast<double>(s) * static_cast<double>(s) +
                   engine::PartialCholesky::bytes(s, size),
               memory_limit_bytes, "reducing a library");
  engine::PartialCholesky factor(block.kernel, block.library, size, workers);
  engine::TargetPivots pivots(factor, images(block, workers), workers);
  while (factor.rank() < size && pivots.grow()) {
  }

  BlockNumbers reduced = block;
  reduced.kernel_evaluations +=
      factor.kernel_evaluations() + static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(s);
  const auto seen = coordinates_of(block, factor.factor(), workers);
  give_up_unseen(reduced, block, seen);
  Matrix<double> scatter(factor.rank(), factor.rank());
  add_scatter(scatter, seen.root, workers);
  const LandmarkSet set{.points = pick_rows(block.library, factor.pivots()),
                        .lower = factor.pivot_factor()};
  set_components(reduced, set, std::move(scatter), seen.mean, {});
  return reduced;
}

}  // namespace mercer::methods
