#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/reduction.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// Reduced-set kernel PCA (Kingravi, Vela & Gray 2013): kernel PCA of few weighted centres in the
/// place of the rows. With a shadow cover its error is bounded by the radius and the kernel alone.
struct ReducedSetOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the variance of the centres.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  bool center = true;
  /// One positive weight per row, or empty. Sources of rows bring their own.
  std::vector<double> weights{};
  ReductionOptions reduction{};
  /// Also measure what the bounds in the summary bound: n^2 kernel values and the exact components.
  /// Rows in memory only.
  bool verify = false;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Cost: that of the reduction (n m d for a shadow cover) and of exact kernel PCA of m centres; a
/// new point takes m kernel values.
///
/// `summary.bounds` are statements on the means and covariance operators in feature space of the
/// rows and of the centres, all divided by the weight of the rows:
///     mmd                       distance of the means
///     hilbert_schmidt           distance of the operators
///     eigenvalues               root of the summed squares of the differences of all eigenvalues
///     centered_...              the last two for the centred operators, where the fit centres
///     projection                distance of the projections on the components, where their gap
///                               allows
/// each as `..._radius`, from the kernel and the radius alone, `..._rows`, from how far the rows
/// are from their centres, and, when verified, `..._measured`, to about 1e-8.
Fit fit_reduced_set(MatrixView<const double> points, const Kernel& kernel,
                    const ReducedSetOptions& options = {}, const RunOptions& run = {});
/// In one pass for shadow covers (two with `nearest` and optimal weights); never more than the
/// centres and one block of rows in memory. A kernel without a scale is given one by a sample of
/// the rows, in a pass of its own. The same bits as from memory.
Fit fit_reduced_set(RowSource& rows, const Kernel& kernel, const ReducedSetOptions& options = {},
                    const RunOptions& run = {});
/// Of a set that was made before; the kernel needs all its parameters. Of the options, the
/// reduction and the weights do not count.
Fit fit_reduced_set(const WeightedSet& set, const Kernel& kernel,
                    const ReducedSetOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
