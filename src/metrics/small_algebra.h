#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::metrics {

// Algebra of matrices as small as the number of components.

/// a b.
Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b);
/// a^T.
Matrix<double> transpose(MatrixView<const double> a);
/// a -= factor b.
void subtract(MatrixView<double> a, double factor, MatrixView<const double> b);
/// Square root of the sum of squares.
double frobenius_norm(MatrixView<const double> a);

/// The space spanned by the columns of a matrix: with unit columns it is U S V^T.
struct ColumnSpace {
  Matrix<double> basis;         ///< U^T, one direction a row, as many as the rank
  std::vector<double> values;   ///< S
  Matrix<double> right;         ///< V^T, one vector a row
  std::vector<double> inverse;  ///< 1 / norm of each column, 0 for columns of zeros

  std::size_t rank() const { return values.size(); }
};

/// Unit columns, so that components of small variance count like the others; singular values below
/// max(tall_rows, columns) * 2.2e-16 of the largest are taken for rounding. `tall_rows` is the
/// number of rows that the matrix had before it was reduced.
ColumnSpace column_space(MatrixView<const double> a, std::size_t tall_rows);

}  // namespace mercer::metrics
