#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

/// A partial Cholesky factor G (n x c), K ~ G G^T, with the rows that were its pivots.
struct RepresentingFactor {
  Matrix<double> factor;
  std::vector<std::size_t> pivots;

  /// G[pivots], lower triangular.
  Matrix<double> pivot_factor() const;
};

/// At most `count` pivots for the vectors Phi A of feature space, A n x r, rather than for the
/// points themselves: with M = (K - G G^T) A, taking point j represents |M_j|^2 / d_j more of them
/// (lowest index on ties). Ends early when all points depend on the pivots, to 1e-10 of the largest
/// k(x, x), or when nothing but rounding is left of the vectors.
///
/// All that a choice needs is a column of R = K - G G^T and one of P = M M^T, which are kept and
/// brought up to date for some pivots at a time:
///     R -= g g^T,   P -= g a^T + a g^T,   a = P_j / sqrt(d_j) - (P_jj / (2 d_j)) g.
/// P loses a digit with every ten-fold drop, so it is computed anew from R when its trace has
/// fallen to 1e-4. These are the pivots of TargetPivots, by products of matrices, for where the
/// memory can be spared.
///
/// Cost: n^2 (4 r + 3 c) flops, 24 n^2 bytes beside the arguments.
RepresentingFactor representing_pivots(MatrixView<const double> kernel_values,
                                       MatrixView<const double> vectors, std::size_t count,
                                       Workers& workers);

}  // namespace mercer::engine
