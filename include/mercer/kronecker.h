#pragma once

#include <cstddef>
#include <optional>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// Which rows form a group, and where they stand in it: the product repeats one pattern in every
/// group, so the order of the rows decides how much of the kernel matrix it can hold.
enum class KroneckerOrder {
  bisection,  ///< halves by the first principal component, again and again
  principal,  ///< along the first principal component
  file,       ///< as given: for grids, whose product is exact
  random,     ///< by the seed; the worst case
};

/// Kernel PCA through the Kronecker product of two small matrices (Wu, Zhang & Chang 2005) that is
/// nearest to the kernel matrix (Van Loan & Pitsianis 1993).
///
/// A comparator. It needs all n^2 / 2 kernel values, keeps all rows, and ten to fifty landmarks
/// leave out less from m n values. It is exact, and of use, only on a full grid listed in grid
/// order with a kernel that is a product over the axes.
struct KroneckerOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance. A product
  /// need not have the trace of the kernel matrix: where it has too little, the summary says so.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  /// Subtract the mean in feature space. Centring is no Kronecker product, so it takes one more
  /// step: Rayleigh-Ritz with the true centred kernel matrix in the span of the first k + 5
  /// eigenvectors of the product. Its eigenvalues are lower bounds of the exact ones (for a
  /// positive semi-definite kernel). Without centring, eigenvalues and components are those of the
  /// product as it is.
  bool center = true;

  KroneckerOrder order = KroneckerOrder::bisection;
  /// n1, the number of groups: the factors are n1 x n1 and n2 x n2 with n2 = floor(n / n1). For a
  /// grid, the number of values on the axis that changes slowest. Default floor(sqrt n), the
  /// cheapest; more groups fit better and cost n1^3. The last n - n1 n2 rows have no part in the
  /// product and are projected like new points.
  std::optional<std::size_t> groups{};

  /// Sweeps end when the second factor, of norm 1, changes by less.
  double sweep_tolerance = 1e-10;
  /// Most passes over the kernel matrix before they end anyway (and the summary says so).
  std::size_t max_sweeps = 100;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Any kernel but a precomputed one: orders need points, and with the matrix at hand fit_exact
/// costs no more. There are no weights. The bound `relative_frobenius_error` of the summary,
/// |K - K1 (x) K2| / |K| over the n1 n2 rows, is exact.
///
/// Cost: n^2 / 2 kernel values and 4 n^2 flops for each of about 4 to 8 sweeps (the values are
/// stored where 4 n^2 bytes fit in the memory limit), n1^3 + n2^3 for the eigenpairs, and with
/// centring one or two passes more. All n rows stay in the model.
Fit fit_kronecker(MatrixView<const double> points, const Kernel& kernel,
                  const KroneckerOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
