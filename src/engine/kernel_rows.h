#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/packing.h"

namespace mercer::engine {

/// Points made ready for single kernel values, where KernelPoints (gram.h) are for whole blocks: a
/// prepared copy row by row where the kernel has a tile form, otherwise a view. Not for precomputed
/// kernels.
class KernelRows {
 public:
  /// `shift` as for KernelPoints. Points of kernels without a tile form must stay.
  KernelRows(const Kernel& kernel, MatrixView<const double> points, std::span<const double> shift);

  std::size_t size() const { return points_.rows(); }

  /// out[c] = k(row `row` of `from`, row first + columns[c] of this). Both sets were made with the
  /// same kernel and shift. Throws NumericalError on values of custom kernels that are not finite.
  void values(const KernelRows& from, std::size_t row, std::size_t first,
              std::span<const std::uint16_t> columns, double* out) const;

  static double bytes(std::size_t n, std::size_t d);

 private:
  Kernel kernel_;
  MatrixView<const double> points_;
  std::optional<Packing> packing_;
  Matrix<double> rows_;  // empty when the kernel has no tile form
  std::vector<double> half_norms_;
};

}  // namespace mercer::engine
