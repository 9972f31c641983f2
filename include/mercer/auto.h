#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/precision.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// Kernel PCA by whatever method suits the size: what to compute, not how.
struct AutoOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  bool center = true;
  /// One positive weight per row, or empty. Sources of rows bring their own.
  std::vector<double> weights{};
  Precision precision = Precision::float64;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Exact kernel PCA where that is cheap, landmarks otherwise, as many as an estimated angle of 0.02
/// to the exact components needs. Decided by n, d, the components and the memory limit, never by
/// timings; each choice and its reason is in the summary.
Fit fit_auto(MatrixView<const double> points, const Kernel& kernel, const AutoOptions& options = {},
             const RunOptions& run = {});

/// Small sources are read into memory as a whole, large ones are read block by block.
Fit fit_auto(RowSource& rows, const Kernel& kernel, const AutoOptions& options = {},
             const RunOptions& run = {});

}  // namespace mercer
