#pragma once

#include <cstddef>

#include <mercer/matrix.h>

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
  /// `of_rows`: for these points only. `width` is that of the block's panels.
  RemovedRows(const RemovedMatrix& of_rows, std::size_t width);

  /// Takes M_i J M_j^T off the block; `of_cols` are the M_j of the points in its columns.
  void subtract(double* block, MatrixView<const double> of_cols) const;

 private:
  std::size_t width_;
  std::size_t panels_;
  Matrix<double> negative_;  // -(M_i J)^T, padded with zeros
};

}  // namespace mercer::engine
