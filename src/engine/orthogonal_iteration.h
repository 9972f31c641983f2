#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/eigensolver.h"
#include "engine/parallel.h"

namespace mercer::engine {

struct OrthogonalIterationOptions {
  std::size_t count = 10;   ///< eigenpairs wanted
  double tolerance = 1e-8;  ///< residual |A u - theta u| allowed, relative to the largest |theta|
  std::size_t max_products = 300;
  std::uint64_t seed = 0;
  /// A unit vector that A maps to 0 and that the result must not contain; empty when there is none.
  std::span<const double> null_vector{};
};

/// Columns that are iterated: the wanted ones and at least max(5, count / 2) guard vectors, which
/// make the error fall as |lambda_(l + guards + 1) / lambda_l| a product instead of
/// |lambda_(l + 1) / lambda_l|, rounded up to whole vectors of the product code.
std::size_t iterated_columns(std::size_t count);

/// Whether A is large enough for so many columns.
bool orthogonal_iteration_is_suitable(std::size_t n, std::size_t count);

double orthogonal_iteration_bytes(std::size_t n, std::size_t count);

/// The algebraically largest eigenpairs by orthogonal iteration (Golub & Van Loan, Matrix
/// computations, 8.2.4; the method of Achlioptas, McSherry & Schoelkopf 2001, section 2), with a
/// Rayleigh-Ritz step after each product and true residuals to stop by. It converges to the largest
/// magnitudes; once a negative Ritz value -t is seen, A + t I is iterated, whose order is the
/// algebraic one. Simple, and slow: block Krylov (eigensolver.h) needs a third to a tenth of the
/// products.
IterativeEigenpairs orthogonal_iteration(SymmetricOperator& a,
                                         const OrthogonalIterationOptions& options,
                                         Workers& workers);

}  // namespace mercer::engine
