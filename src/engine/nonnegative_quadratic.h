#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

struct NonnegativeMinimum {
  std::vector<double> x;  ///< at least 0, and exactly 0 where the bound holds
  /// Largest violation of the conditions of optimality (the gradient M x - z is 0 where x > 0 and
  /// not negative elsewhere; M with its ridge), divided by max |z|.
  double kkt_residual = 0;
  std::size_t iterations = 0;  ///< linear systems solved
  bool converged = false;      ///< kkt_residual is at most 1e-9
};

/// Minimises x^T M x - 2 z^T x over x >= 0 for a symmetric positive semi-definite M (m x m). A
/// ridge of 1e-9 m times the mean of the diagonal is added to M, which bounds its condition by 1e9
/// and makes the answer unique; scaling M or z scales it.
///
/// Block principal pivoting (Kim & Park 2011, after Portugal, Judice & Vicente 1994): all variables
/// on the wrong side change it together; when that stops helping, one at a time (Murty's rule).
/// Should many exchanges not suffice, or M be indefinite, the active set method of Lawson & Hanson
/// (1974) goes on: it only ever goes down, and leaves out variables that no positive definite
/// system can take, which `converged` then tells.
///
/// For centres that keep a distance, or many columns, fewer than 10 factorisations of at most
/// m^3 / 3 multiply-adds; for random rows on a line or in a plane up to hundreds of systems, most
/// of them by O(m^2) updates. One more m x m matrix of memory. Throws NumericalError where M or z
/// is not finite. The same bits for any number of threads.
NonnegativeMinimum minimize_nonnegative(MatrixView<const double> m, std::span<const double> z,
                                        Workers& workers);

}  // namespace mercer::engine
