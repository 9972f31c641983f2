#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// Which row joins the library next. d is the squared feature-space distance of a row from the span
/// of the library so far, r_j the energy of what is left of column j of the kernel matrix.
enum class PivotRule {
  sampled_best,  ///< largest r_j / d_j of a few candidates drawn with P(j) ~ d_j: nearly as good as
                 ///< `best` for `candidates` kernel columns a pick
  best,          ///< largest r_j / d_j of all rows, the pick that lowers the mean square most; a
                 ///< product with the n x n kernel matrix a pick
  max_residual,  ///< largest d_j: one kernel column a pick, nothing random; chases outliers and
                 ///< needs up to three times more picks where there are many directions
  random,        ///< drawn with P(j) ~ d_j: randomly pivoted Cholesky
};

/// How the library of a block of rows is chosen, and when it is large enough: at the first limit
/// that is reached, or when all rows depend on it (to 1e-10 of the largest k(x, x)).
struct LibraryOptions {
  PivotRule rule = PivotRule::sampled_best;
  /// Of `sampled_best`.
  std::size_t candidates = 10;
  /// Largest mean of d over the rows, by weight. Empty: 1e-3 of the mean of k(x, x), unless one of
  /// the other limits is given.
  std::optional<double> mse{};
  /// Largest d of any row.
  std::optional<double> max_error{};
  /// Most rows in the library.
  std::optional<std::size_t> max_library{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Greedy kernel PCA (Franc 2005): components in the span of a few rows, the library, that
/// are picked one by one so that all others are near that span.
struct GreedyOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance (of its
  /// upper end, so at least this fraction is explained).
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  /// Subtract the mean in feature space. The library is chosen about the origin all the same.
  bool center = true;
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  LibraryOptions library{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Cost with a library of s rows: n s kernel values and n s^2 flops (times `candidates` for the
/// choice with `sampled_best`; n^2 s flops more for `best`), 8 n s bytes. The summary has what the
/// library leaves of the rows, exactly. Throws InvalidArgument for kernels that are not positive
/// semi-definite and for precomputed ones.
Fit fit_greedy(MatrixView<const double> points, const Kernel& kernel,
               const GreedyOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
