#pragma once

#include <cstddef>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tile.h"

namespace mercer::engine {

/// Whether the kernel is a function of x - y with k(x, x) = 1 whose Fourier transform is known, so
/// that inner products of `FourierFeatures` can have it as their mean.
bool has_fourier_features(const Kernel& kernel);

/// phi(x) = sqrt(2 / D) [cos w_1 x, sin w_1 x, cos w_2 x, sin w_2 x, ...] for D / 2 frequencies
/// w_j, so |phi(x)| = 1. Cosine and sine of a frequency stand side by side, which leaves no holes
/// between panels, whatever D and the panel width.
///
/// Phases are always made in double precision: their error, about 1e-16 |w| |x|, is that of the
/// features.
class FourierFeatures {
 public:
  /// Features whose frequencies belong to one block of the tile.
  static constexpr std::size_t kBlockFeatures = 2 * kBlock;

  explicit FourierFeatures(MatrixView<const double> frequencies);

  /// D.
  std::size_t size() const { return 2 * turns_.size(); }
  std::size_t blocks() const { return turns_.blocks(); }
  std::size_t block_size(std::size_t b) const { return 2 * turns_.block_size(b); }

  /// Points as `block` takes them.
  static KernelPoints<double> pack(MatrixView<const double> points);

  /// Features [b kBlockFeatures, ...) of at most kBlock points, as [panel][point][feature in
  /// panel]. Panels stand `panel_points` points apart; there must be room for the features rounded
  /// up to kBlock.
  void block(std::size_t b, const KernelPoints<double>& points, double* out,
             std::size_t panel_points = kBlock) const;
  /// All features of at most kBlock points, in the same layout.
  void panels(MatrixView<const double> points, double* out, std::size_t panel_points) const;

  /// One row of features for each point.
  Matrix<double> rows(MatrixView<const double> points, Workers& workers) const;

 private:
  KernelPoints<double> turns_;  // frequencies / 2 pi: inner products with them count whole turns
  double scale_;
};

}  // namespace mercer::engine
