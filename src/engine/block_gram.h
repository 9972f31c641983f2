#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "system/memory.h"

namespace mercer::engine {

/// The kernel matrix K of n1 n2 points as n1 x n1 blocks K_ij of n2 x n2 values: block (i, j) has
/// the points [i n2, (i + 1) n2) in its rows and [j n2, (j + 1) n2) in its columns. Only blocks
/// with j <= i are ever computed; they are stored or recomputed in each pass.
///
/// All values are divided by `scale()`, a power of two near the largest diagonal entry, so that
/// their squares stay in range.
class BlockGram {
 public:
  /// The number of points is a multiple of `block_size`. `points` must outlive the matrix when the
  /// kernel has no tile form. Precomputed kernels have no points: not for them.
  BlockGram(const Kernel& kernel, MatrixView<const double> points, std::size_t block_size,
            bool stored, Workers& workers);

  std::size_t blocks() const { return points_.size(); }
  std::size_t block_size() const { return block_size_; }
  double scale() const { return scale_; }
  std::uint64_t kernel_evaluations() const { return evaluations_; }

  /// sum_i K_ii, n2 x n2, symmetric.
  Matrix<double> partial_trace(Workers& workers);

  /// What one pass over the blocks says about a unit-norm symmetric n2 x n2 matrix S.
  struct Projection {
    Matrix<double> coefficients;  ///< T, n1 x n1: T_ij = <K_ij, S>, so T (x) S is nearest to K
    Matrix<double> combination;   ///< sum_ij T_ij K_ij, n2 x n2, symmetric
    double residual2 = 0;         ///< |K - T (x) S|_F^2, summed from the differences
    double norm2 = 0;             ///< |K|_F^2
  };
  /// The same bits for any number of threads. Cost: the blocks where they are not stored, and
  /// 4 (n1 n2)^2 flops.
  Projection project(const Matrix<double>& s, Workers& workers);

  /// Bytes of stored blocks, and of the workspace of a pass by `threads` threads.
  static double stored_bytes(std::size_t blocks, std::size_t block_size);
  static double pass_bytes(std::size_t blocks, std::size_t block_size, std::size_t threads);

 private:
  void compute_block(std::size_t i, std::size_t j, double* out) const;
  void store(Workers& workers);
  /// Block (i, j) row by row: where it is stored, or in `scratch` after computing it there.
  const double* block(std::size_t i, std::size_t j, std::vector<double>& scratch) const;
  std::uint64_t block_values() const {
    return static_cast<std::uint64_t>(block_size_) * block_size_;
  }

  std::size_t block_size_;
  std::vector<KernelPoints<double>> points_;  // block by block
  std::vector<double> diagonal_;
  double scale_ = 1;
  std::uint64_t evaluations_ = 0;
  system::LargeBuffer stored_;
};

}  // namespace mercer::engine
