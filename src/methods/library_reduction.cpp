// A smaller library for the same components: what keeps the memory of an endless stream flat.
//
// Points are chosen from the library C itself by partial Cholesky with the pivot that represents
// most of A = [components diag(S), sqrt(d) mean]: with M = K A less what the points chosen before
// represent, taking point j represents |M_j|^2 / d_j more. (The largest residual d_j, which looks
// at points and not at what they are for, loses ten times the variance.) Components and mean are
// then projected on the span of the points chosen, and orthogonalised anew.
//
// Cost: s^2 kernel values and s^2 r flops for M, 2 s s' r for the choice of s' points.

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/dense_product.h"
#include "engine/gram.h"
#include "engine/pivoted_cholesky.h"
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

/// The next point, or nothing when all depend on those chosen.
std::optional<std::size_t> best_point(const engine::PartialCholesky& factor,
                                      std::span<const double> energies) {
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t j = 0; j < energies.size(); ++j) {
    const double residual = factor.residuals()[j];
    if (residual <= factor.negligible()) continue;
    const double score = energies[j] / residual;
    if (!best || score > best_score) {
      best = j;
      best_score = score;
    }
  }
  return best;
}

void choose_points(engine::PartialCholesky& factor, Matrix<double> m, std::size_t size,
                   engine::Workers& workers) {
  constexpr std::size_t kRows = 256;
  std::vector<double> energies(m.rows());
  // M -= g w^T, and the energies of its rows; without w the energies alone.
  const auto update = [&](std::span<const double> w) {
    const auto g = factor.factor();
    workers.for_each((m.rows() + kRows - 1) / kRows, [&](std::size_t chunk) {
      for (std::size_t i = chunk * kRows; i < std::min(m.rows(), (chunk + 1) * kRows); ++i) {
        const auto row = m.row(i);
        double sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) {
          if (!w.empty()) row[j] -= g(i, g.cols() - 1) * w[j];
          sum += row[j] * row[j];
        }
        energies[i] = sum;
      }
    });
  };
  update({});
  while (factor.rank() < size) {
    const auto best = best_point(factor, energies);
    if (!best) break;
    const double root = std::sqrt(factor.residuals()[*best]);
    std::vector<double> w(m.row(*best).begin(), m.row(*best).end());
    for (double& value : w) value /= root;
    if (factor.append(std::span(&*best, 1), 1).empty()) break;
    update(w);
  }
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
  choose_points(factor, images(block, workers), size, workers);

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
