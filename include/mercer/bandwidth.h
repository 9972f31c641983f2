#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

namespace mercer {

/// A kernel with every parameter set, and how the missing ones were found.
struct ResolvedKernel {
  Kernel kernel;
  std::string parameter;  ///< the parameter that was chosen, empty when none was missing
  double value = 0;       ///< what it was set to
  std::string reason;     ///< one line for the summary
  std::vector<std::string> warnings;
};

struct BandwidthOptions {
  /// Rows drawn without replacement; all their pairs are used. gamma varies by 0.1-0.5 % between
  /// samples of this size on ordinary data.
  std::size_t sample_rows = 1000;
  std::uint64_t seed = 0;
};

/// Fills in what the kernel leaves open. Scale parameters follow the median heuristic in the
/// kernel's own distance: gamma = 1/(2 median(r^2)) (Gaussian), gamma = 1/median (Laplacian, L1,
/// exponential chi2), length = median (Matern, rational quadratic). When more than a tenth of the
/// sampled pairs coincide the median is taken over the others. Polynomial and sigmoid: gamma = 1/d.
/// Throws DataError when all sampled rows are equal.
ResolvedKernel resolve_bandwidth(const Kernel& kernel, MatrixView<const double> points,
                                 const BandwidthOptions& options = {});

}  // namespace mercer
