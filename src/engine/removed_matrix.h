#pragma once

#include <mercer/matrix.h>

#include "engine/tile.h"

namespace mercer::engine {

/// A symmetric matrix of low rank that is taken off a kernel matrix: M M^T with a row of M for
/// every point, or M J M^T where J makes the last two columns change places, which is how centring
/// enters (a_i + a_j from columns 1 and a).
struct RemovedMatrix {
  MatrixView<const double> rows;
  bool swapped = false;
};

/// The rows M_i of the points in the rows of a block, ready to be taken off it.
class RemovedRows {
 public:
  /// For these points only.
  explicit RemovedRows(const RemovedMatrix& of_rows);

  /// Makes sums over a block those of the squares of what is left without M_i J M_j^T; `of_cols`
  /// are the M_j of the points in its columns. Both must stay.
  template <class T>
  void make_energies(BlockSumArgs<T>& sums, MatrixView<const double> of_cols) const {
    sums.squared = true;
    sums.rank = of_cols.cols();
    sums.row_factors = negative_.data();
    sums.row_factor_stride = negative_.cols();
    sums.col_factors = of_cols.data();
    sums.col_factor_stride = of_cols.stride();
  }

 private:
  Matrix<double> negative_;  // -(M_i J)^T
};

}  // namespace mercer::engine
