#pragma once

#include <cstddef>
#include <optional>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// To which two numbers the entries of the kernel matrix off the diagonal are rounded, each with
/// the chance that makes the mean right. The standard deviation of an entry r is the root of (r -
/// low) (high - r): close levels are good levels.
enum class EntryLevels {
  none,      ///< entries as they are
  sign,      ///< -b and b, b the largest magnitude: the paper's, and the noisiest
  zero_one,  ///< 0 and b, for kernels without negative values: at most half the noise
  min_max,   ///< the smallest and the largest entry: the least noise, for a pass to find them
};

/// A matrix K0 of low rank that is known without rounding, so that only K - K0 is rounded. Most of
/// a wide kernel is one huge eigenvalue, which rounding would turn into noise that drowns all
/// others.
enum class ControlVariate {
  none,         ///< K itself is rounded: the paper's
  mean,         ///< a constant, the mean of K
  row_columns,  ///< mean of the row plus mean of the column less the mean of K
  nystrom,      ///< K restricted to landmarks, by randomly pivoted Cholesky
};

enum class RandomizedSolver {
  krylov,      ///< block Krylov: few products
  orthogonal,  ///< orthogonal iteration: the paper's, simple, three to ten times the products
};

/// Kernel PCA of a random kernel matrix that is right in expectation (Achlioptas, McSherry &
/// Schoelkopf 2001): most entries left out, or one bit each. Saves memory, and kernel values where
/// these are expensive. Its error E = K' - K is that of a random matrix, of norm about sqrt(n), so
/// components are right whose eigenvalues stand apart by more than that; the summary says which.
struct RandomizedOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance, both of the
  /// random matrix.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  /// Subtract the mean in feature space.
  bool center = true;

  /// s: an entry off the diagonal is kept with probability 1 / s, and then s times itself. Only
  /// what is kept is computed: n^2 / (2 s) kernel values, 5 n^2 / s bytes (n^2 / s when quantised).
  /// Variance (s - 1) r^2 of an entry r. Default 10, or 1 with a quantisation, which then takes
  /// n^2 / 16 bytes. 1 without quantisation is the exact method done the slow way.
  std::optional<double> sparsify{};
  EntryLevels quantize = EntryLevels::none;
  /// Default nystrom; row_columns for kernels that are not positive semi-definite, none with
  /// zero_one, whose levels need entries without a sign.
  std::optional<ControlVariate> control{};
  /// Landmarks q of the nystrom control: n q kernel values and 8 n q bytes.
  std::size_t control_landmarks = 100;

  RandomizedSolver solver = RandomizedSolver::krylov;
  /// Largest residual |A u - lambda u| allowed, relative to lambda_1. The matrix itself is random:
  /// there is no use in more digits.
  double solver_tolerance = 1e-8;
  /// Most products with the matrix before the solver gives up (and says so in the summary).
  std::size_t max_products = 1000;
  /// The best components in the span of those found, by the true kernel matrix: eigenvalues err by
  /// the square of the error only, and are those of the components. All n^2 / 2 kernel values once
  /// more, twice with centring, none of them stored.
  bool rayleigh = false;
  /// Also measure the norm of the error, and make its bound rigorous: 10 to 40 passes over all
  /// kernel values.
  bool certify = false;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Any kernel but a precomputed one, whose matrix is there already: fit_exact costs no more. There
/// are no weights. All n rows stay in the model, and a new point costs n kernel values.
///
/// `bounds` of the summary: `error_norm_predicted`, twice the root of the largest sum of variances
/// of a row, which the norm of E comes close to; `error_norm_bernstein`, which it exceeds with
/// probability 0.01 at most; `error_norm_measured` on request. `certified_ratio` has c = gap / (2
/// |E|) for every component, by the norm measured or else predicted: where c >= 1, the eigenvectors
/// up to this one are the exact ones, rotated among themselves, to within pi / (4 c) (theorem 3 of
/// the paper, with the constant that is best possible).
///
/// Components are eigenvectors u of the random matrix over the root of its eigenvalue, so
/// transform(rows) is not u sqrt(lambda), which it would be for the exact matrix: the two differ by
/// |E| / sqrt(lambda) at most, as a vector over the rows.
Fit fit_randomized(MatrixView<const double> points, const Kernel& kernel,
                   const RandomizedOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
