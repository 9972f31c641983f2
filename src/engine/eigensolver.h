#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

/// A symmetric matrix that is known by its products only.
class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;
  virtual std::size_t size() const = 0;
  /// y = A v; both have a multiple of kProductColumns columns.
  virtual void apply(MatrixView<const double> v, MatrixView<double> y) = 0;
};

struct KrylovOptions {
  std::size_t count = 10;    ///< eigenpairs wanted
  std::size_t block = 16;    ///< columns per product, a multiple of kProductColumns
  double tolerance = 1e-12;  ///< residual |A u - theta u| allowed, relative to the largest |theta|
  std::size_t max_products = 300;
  std::uint64_t seed = 0;
  /// A unit vector that A maps to 0 and that the result must not contain (the centred Gram matrix
  /// has one); empty when there is none.
  std::span<const double> null_vector{};
};

struct IterativeEigenpairs {
  std::vector<double> values;  ///< algebraically largest first
  Matrix<double> vectors;      ///< n x count, orthonormal columns
  /// True residual norms |A u - theta u|, from one product more.
  std::vector<double> residuals;
  double largest_magnitude = 0;     ///< estimate of the norm of A
  double smallest_value = 0;        ///< smallest Ritz value seen: below 0 proves A indefinite
  std::size_t negative_values = 0;  ///< Ritz values below -1e-8 times the largest: at least as many
                                    ///< eigenvalues are negative
  std::size_t products = 0;
  bool converged = false;
};

/// |A u_j - value_j u_j| for the columns u_j of `vectors`, by one product.
std::vector<double> residual_norms(SymmetricOperator& a, std::span<const double> values,
                                   MatrixView<const double> vectors);

/// True when the block method is in its element: n large against the subspace it builds.
bool krylov_is_suitable(std::size_t n, std::size_t count, std::size_t block);

/// Bytes of the basis and its workspace.
double krylov_bytes(std::size_t n, std::size_t count, std::size_t block);

/// Block Krylov iteration with full reorthogonalisation and thick restart (Saad, Numerical methods
/// for large eigenvalue problems, ch. 6-7; Wu & Simon 2000 for the restart). Blocks trade three to
/// five times the arithmetic of single-vector Lanczos for four to eight times fewer passes over A,
/// which is what costs when A is read from memory or recomputed.
IterativeEigenpairs krylov_eigenpairs(SymmetricOperator& a, const KrylovOptions& options,
                                      Workers& workers);

}  // namespace mercer::engine
