#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// Kernel PCA through random Fourier features (Rahimi & Recht 2007): ordinary PCA of features whose
/// inner products have the kernel as their mean. They are drawn without a look at the data, so the
/// error falls with the square root of their number and nothing certifies it; landmarks of a tenth
/// as many usually do better. For comparison, and for streams too large for anything else.
struct RandomFeatureOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the variance of the features.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  bool center = true;
  /// One positive weight per row, or empty. Sources of rows bring their own.
  std::vector<double> weights{};

  /// Number of features D, even: a cosine and a sine for each of D / 2 frequencies.
  std::size_t features = 2048;
  /// Frequencies at right angles to each other in groups of d (Yu et al. 2016): half the error
  /// unless d is tiny. The number of features stays D; the last group may have fewer than d
  /// frequencies.
  bool orthogonal = false;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Kernels: gaussian, laplacian, laplacian_l1 (not orthogonal), matern32, matern52,
/// rational_quadratic; throws InvalidArgument for others.
/// Cost: n D (d + D) / 2 multiply-adds and n D cosines and sines, memory about 20 D^2 bytes.
Fit fit_random_features(MatrixView<const double> points, const Kernel& kernel,
                        const RandomFeatureOptions& options = {}, const RunOptions& run = {});

/// Reads the rows twice (a sample for bandwidth and error estimate, then the sums); never more than
/// the sample and one block of them is in memory. The same bits as from memory.
Fit fit_random_features(RowSource& rows, const Kernel& kernel,
                        const RandomFeatureOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
