#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::engine {

// The dense algebra that LAPACK does for us. Sizes are checked before the call: reference LAPACK
// answers a bad argument by printing and stopping the process.

/// Eigenvalues of the symmetric matrix `a`, ascending; row i of `a` becomes the unit eigenvector of
/// value i. Only the lower triangle is read. Throws NumericalError when LAPACK does not converge.
std::vector<double> symmetric_eigen(MatrixView<double> a);

struct EigenPairs {
  std::vector<double> values;  ///< descending
  Matrix<double> vectors;      ///< row i belongs to value i
};

/// The `count` algebraically largest eigenpairs; `a` is overwritten.
EigenPairs largest_eigenpairs(MatrixView<double> a, std::size_t count);

/// All eigenvalues, descending; `a` is overwritten.
std::vector<double> symmetric_eigenvalues(MatrixView<double> a);

/// The lower triangle of the symmetric `a` becomes its Cholesky factor L, a = L L^T; only that
/// triangle is read and written. False when `a` is not positive definite to working precision: it
/// then holds a part of the factor.
bool cholesky_lower(MatrixView<double> a);

/// b := L^-1 b and b := L^-T b for a lower triangular L, of which only that triangle is read. A
/// zero on the diagonal gives infinities, as the division says.
void solve_lower(MatrixView<const double> l, MatrixView<double> b);
void solve_lower_transposed(MatrixView<const double> l, MatrixView<double> b);

/// Bytes that `largest_eigenpairs` needs for size n beside the matrix itself.
double dense_eigen_bytes(std::size_t n, std::size_t count);

/// a = left * diag(values) * right with r = min(rows, columns) of `a`.
struct SingularValues {
  std::vector<double> values;  ///< descending
  Matrix<double> left;         ///< rows x r, column i belongs to value i
  Matrix<double> right;        ///< r x columns, row i belongs to value i
};

/// Thin singular value decomposition of any small matrix, which is overwritten. Throws
/// NumericalError when LAPACK does not converge.
SingularValues singular_values(MatrixView<double> a);

/// a^T P = Q R with the columns of a^T (rows of `a`) in the order of their share: |R_jj| descends.
/// Only what is above `tolerance` * |R_00| is kept.
struct PivotedQr {
  Matrix<double> q;                ///< Q^T, rank x columns of a: orthonormal rows
  Matrix<double> lower;            ///< R^T, rows of a x rank, of which row j belongs to order[j]
  std::vector<std::size_t> order;  ///< all rows of a; the first `rank` are independent
  std::size_t rank = 0;
};

/// Householder QR with column pivoting of a^T, for wide `a`; the rank is 0 only when it is all
/// zeros. `a` is overwritten.
PivotedQr pivoted_qr(Matrix<double> a, double tolerance);

}  // namespace mercer::engine
