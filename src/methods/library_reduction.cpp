// A smaller library for the same components: what keeps the memory of an endless stream flat.
//
// Points are chosen from the library C itself for what they represent of A = [components diag(S),
// sqrt(d) mean] (engine/representing_pivots.h). (The largest residual, which looks at points and
// not at what they are for, loses ten times the variance.) Components and mean are then projected
// on the span of the points chosen, and orthogonalised anew.
//
// Cost: s^2 kernel values, s^2 (4 r + 3 s') flops for s' points, 48 s^2 bytes.

#include <cmath>

#include "engine/kernel_matrix.h"
#include "engine/representing_pivots.h"
#include "methods/block_merge.h"

namespace mercer::methods {

namespace {

/// [A diag(S), sqrt(d) nu].
Matrix<double> scaled_components(const BlockNumbers& block) {
  const std::size_t r = block.singular_values.size();
  auto columns = Matrix<double>::uninitialized(block.terms(), r + 1);
  for (std::size_t i = 0; i < block.terms(); ++i) {
    for (std::size_t j = 0; j < r; ++j) {
      columns(i, j) = block.components(i, j) * block.singular_values[j];
    }
    columns(i, r) = std::sqrt(block.weight) * block.mean_coefficients[i];
  }
  return columns;
}

}  // namespace

BlockNumbers reduce_library(const BlockNumbers& block, std::size_t size, double memory_limit_bytes,
                            engine::Workers& workers) {
  const std::size_t s = block.library.rows();
  if (s <= size) return block;
  // The kernel matrix, the two matrices of the choice, its vectors and their images, the factor.
  require_room(6 * sizeof(double) * static_cast<double>(s) * static_cast<double>(s),
               memory_limit_bytes, "reducing a library");
  const auto chosen = engine::representing_pivots(
      engine::kernel_matrix(block.kernel, block.library, block.library, workers),
      scaled_components(block), size, workers);

  BlockNumbers reduced = block;
  reduced.kernel_evaluations += static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(s);
  const auto seen = coordinates_of(block, chosen.factor, workers);
  give_up_unseen(reduced, block, seen);
  Matrix<double> scatter(chosen.pivots.size(), chosen.pivots.size());
  add_scatter(scatter, seen.root, workers);
  const LandmarkSet set{.points = pick_rows(block.library, chosen.pivots),
                        .lower = chosen.pivot_factor()};
  set_components(reduced, set, std::move(scatter), seen.mean, {});
  return reduced;
}

}  // namespace mercer::methods
