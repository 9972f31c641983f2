#pragma once

#include <span>

#include <mercer/matrix.h>

#include "engine/eigensolver.h"

namespace mercer::methods {

/// A symmetric matrix, known by its products, one eigenvector of which is known beforehand and not
/// wanted.
class DeflatedOperator : public engine::SymmetricOperator {
 public:
  /// The unit vector, which `apply` maps to 0; empty when there is none.
  virtual std::span<const double> null_vector() const = 0;
  /// The whole matrix, for dense solvers; the null vector is never among its eigenvectors of
  /// interest.
  virtual Matrix<double> dense() = 0;
};

}  // namespace mercer::methods
