#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"

namespace mercer::engine {

/// Pivots that represent given targets: functions K A over the points, one in each column. Of what
/// the pivots so far leave of them, M = (K - G G^T) A, point j represents |M_j|^2 / d_j more in
/// feature space, and the one that represents most is next (the first on ties). The largest
/// residual d_j, which looks at points and not at what they are for, takes several times as many.
///
/// Cost of a pivot: that of the factor, and 2 n flops a target.
class TargetPivots {
 public:
  /// `images` is K A for the points of the factor, which must stay and has no pivots yet.
  TargetPivots(PartialCholesky& factor, Matrix<double> images, Workers& workers);

  /// Takes one more. False when all points depend on the pivots, or the factor is full.
  bool grow();

  /// M, n x targets.
  MatrixView<const double> remainder() const { return remainder_; }

 private:
  /// M -= g w^T for the last column g of the factor, and the energies of the rows of M.
  void update(const std::vector<double>& w);

  PartialCholesky& factor_;
  Workers& workers_;
  Matrix<double> remainder_;
  std::vector<double> energies_;  // |M_j|^2
};

}  // namespace mercer::engine
