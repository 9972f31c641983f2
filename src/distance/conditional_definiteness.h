#pragma once

#include <cstddef>

#include <mercer/matrix.h>

namespace mercer::distance {

// A distance embeds into a Hilbert space exactly when J (-D2/2) J, J = I - 11^T/n, is positive
// semi-definite for every set of items (Schoenberg). On one set a pass is evidence, a failure is
// proof.

struct Definiteness {
  double smallest = 0;        ///< eigenvalue
  double largest = 0;         ///< eigenvalue
  double negative_share = 0;  ///< sum |l < 0| / sum |l|
  bool holds = true;          ///< no eigenvalue is below what rounding makes of 0
};

/// Of the squared distances among some items, which are overwritten. O(n^3).
Definiteness measure_definiteness(MatrixView<double> squares);

/// The squared distances of the embedding without its negative part. O(n^3).
void clip_negative_part(Matrix<double>& squares);

/// Adds `shift` to the squares of different items. With -2 times the smallest eigenvalue the
/// matrix becomes conditionally negative definite.
void shift_squares(MatrixView<double> squares, double shift);

}  // namespace mercer::distance
