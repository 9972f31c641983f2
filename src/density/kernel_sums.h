#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tile.h"

namespace mercer::density {

/// Throws InvalidArgument unless the kernel has a formula for any two points and all its
/// parameters.
void check_formula(const Kernel& kernel);

/// Adds sum_i weights[i] k(c_j, x_i)^power to sums[j] for the centres j of one block and all points
/// x_i, in their order. `weights` has one number for every point; `sums` room for kBlock numbers,
/// of which those beyond the block mean nothing.
void add_block_sums(const engine::KernelPoints<double>& centres, std::size_t centre_block,
                    const engine::KernelPoints<double>& points, std::span<const double> weights,
                    int power, double* sums, engine::Workers& workers);

/// Sums of kernel values over rows that arrive in pieces:
///
///     z_j = sum_i v_i k(c_j, x_i)^power
///
/// Equal centres have sums of the same bits. So have all sums for any number of threads, and for
/// any cut of the same rows into pieces whose lengths (but the last) are multiples of kChunkRows;
/// other cuts differ by rounding only. O(rows m d) time; a packed copy of the centres and at most
/// kChunksAtOnce m numbers of memory.
class KernelSums {
 public:
  static constexpr std::size_t kChunkRows = 5 * engine::kBlock;
  static constexpr std::size_t kChunksAtOnce = 32;

  /// Power 1 or 2. The centres must stay while a custom kernel needs them; others copy them.
  KernelSums(const Kernel& kernel, MatrixView<const double> centres, int power);

  /// Points are finite. Weights may have any sign; empty: 1 each.
  void add(MatrixView<const double> points, std::span<const double> weights,
           engine::Workers& workers);

  /// z, one number for every centre.
  std::vector<double> sums() const;

 private:
  void add_chunk(MatrixView<const double> points, std::span<const double> weights,
                 std::span<double> sums, engine::Workers& workers) const;

  Kernel kernel_;
  int power_;
  engine::KernelPoints<double> centres_;
  std::vector<double> sums_;  // room for whole blocks
};

}  // namespace mercer::density
