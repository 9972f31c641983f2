#pragma once

#include <cstddef>
#include <span>

#include <mercer/matrix.h>

namespace mercer::engine {

/// The Cholesky factor of a symmetric matrix that gains and loses rows (with their columns), as
/// active set methods need it: O(size^2) for a row in place of size^3 / 3 for a new factor.
class PrincipalCholesky {
 public:
  /// Memory for at most `capacity` rows is taken at once.
  explicit PrincipalCholesky(std::size_t capacity);

  std::size_t size() const { return size_; }

  /// Room for a new matrix of `size` rows: write its lower triangle, then call `factorize`.
  MatrixView<double> reset(std::size_t size);
  /// False when the matrix is not positive definite to working precision; it then has no rows.
  bool factorize();

  /// Adds a row at the end: its products with the rows so far, then its diagonal entry. False,
  /// changing nothing, when the matrix would not be positive definite.
  bool append(std::span<const double> row);
  /// Takes out a row; those after it move up. Givens rotations: no digits are lost.
  void remove(std::size_t position);

  /// b := A^-1 b.
  void solve(std::span<double> b) const;

 private:
  Matrix<double> factor_;  // lower triangle of the leading size_ rows
  std::size_t size_ = 0;
};

}  // namespace mercer::engine
