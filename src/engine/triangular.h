#pragma once

#include <cstddef>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

/// A lower triangular matrix made ready for many solves at once from several threads. Diagonal
/// blocks are inverted beforehand, which turns a solve into products by the engine's own loops:
/// those of OpenBLAS run at a fifth of their speed where it takes the processor for an old one.
class LowerTriangle {
 public:
  /// Only the lower triangle of `l` is read; its diagonal is not zero.
  explicit LowerTriangle(MatrixView<const double> l);

  std::size_t size() const { return blocks_.rows(); }

  /// b := L^-1 b. The columns of b are a multiple of kProductColumns or a panel width. Their bits
  /// do not depend on what other columns are solved with them.
  void solve(MatrixView<double> b) const;
  /// The same with any number of columns, by all threads.
  void solve(MatrixView<double> b, Workers& workers) const;

 private:
  Matrix<double> blocks_;  ///< inverses of the diagonal blocks; below them, L with the other sign
};

}  // namespace mercer::engine
