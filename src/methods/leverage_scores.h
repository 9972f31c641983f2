#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"

namespace mercer::methods {

/// Rows with their weights in an approximation of the kernel matrix: K ~ K_S V^2 K_S^T up to a
/// ridge.
struct WeightedSample {
  std::vector<std::size_t> rows;
  std::vector<double> scales;  ///< v, one over the root of the probability of having been kept
};

/// Ridge leverage scores (K' (K' + mu I)^-1)_ii of `rows`, estimated from above by a sample S:
/// l_i = (K'_ii - t^T (A + mu I)^-1 t) / mu with t = v .* K'_Si, A = diag(v) K'_SS diag(v), and
/// K' = W^1/2 K W^1/2 for weighted rows: the score of a row of weight w is the sum of the scores of
/// w copies. mu is the tail of A's eigenvalues beyond the largest `kept`, divided by `kept`.
/// With v = 1 and S all rows they are the scores themselves. At least 0.
std::vector<double> ridge_leverage_scores(const Kernel& kernel, MatrixView<const double> points,
                                          std::span<const double> weights,
                                          std::span<const std::size_t> rows,
                                          const WeightedSample& sample, std::size_t kept,
                                          engine::Workers& workers);

/// min(m, n) different rows, drawn without replacement in proportion to their recursive ridge
/// leverage scores (Musco & Musco 2017), in the order of drawing. `weights` holds one positive
/// number per row or is empty (all 1); the nested samples that estimate the scores are uniform over
/// rows. The kernel is resolved, the points finite; a precomputed kernel's points are its matrix.
/// O(n m^2) time, O(n + m^2) memory.
std::vector<std::size_t> leverage_score_rows(const Kernel& kernel, MatrixView<const double> points,
                                             std::span<const double> weights, std::size_t m,
                                             const engine::RandomStream& stream,
                                             engine::Workers& workers);

}  // namespace mercer::methods
