#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

struct Orthonormalised {
  /// Columns of length 0: directions that carried only rounding noise or nothing at all.
  std::vector<std::size_t> empty;
  /// Whether no direction was so short beside its column that another pass is needed.
  bool well_conditioned = true;
};

/// One pass that makes the columns of the tall matrix b orthonormal: b is rotated to its principal
/// directions and scaled to unit columns; `coupling` (square) is updated so that (b before) =
/// (b after) * (coupling before, updated). A direction with less than `negligible` of coupling
/// becomes a zero column, with a zero row in the coupling. The columns of b are a multiple of
/// kProductColumns.
///
/// The norms are taken after the rotation rather than from the eigenvalues of b^T b: those lose
/// everything below 1e-8 of the largest column, these nothing above 1e-15.
Orthonormalised orthonormalise_columns(MatrixView<double> b, Matrix<double>& coupling,
                                       double negligible, Workers& workers);

}  // namespace mercer::engine
