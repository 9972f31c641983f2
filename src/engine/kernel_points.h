#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/tile.h"

namespace mercer::engine {

/// Points made ready for blocks of kernel values of one kernel: packed in panels where the kernel
/// has a tile form, otherwise a view of their rows. `T` is the precision of the kernel values.
template <class T>
class KernelPoints {
 public:
  /// `shift` is subtracted before distances are taken by norms, which keeps them accurate for data
  /// far from the origin (error at an offset of 1000 in float: 0.35 without, 8e-7 with). Both sides
  /// of a block must have the same shift: the middle of the training points. Empty: none.
  /// Points of kernels without a tile form are viewed, not copied, and must stay.
  KernelPoints(const Kernel& kernel, MatrixView<const double> points,
               std::span<const double> shift);
  KernelPoints(const Kernel& kernel, MatrixView<const float> points, std::span<const double> shift);

  std::size_t size() const { return size_; }
  std::size_t depth() const { return depth_; }
  std::span<const double> shift() const { return shift_; }
  /// Whether the kernel has a tile form. Then it is symmetric to the last bit.
  bool tiled() const { return !panels_.empty(); }
  std::size_t blocks() const { return (size_ + kBlock - 1) / kBlock; }
  /// Points in block b.
  std::size_t block_size(std::size_t b) const { return std::min(kBlock, size_ - b * kBlock); }

  /// Kernel values of the points in this set's block `row_block` with those in block `col_block` of
  /// `cols`, laid out as [row panel][column][row in panel]. Panels stand `panel_columns` columns
  /// apart, and each must have room for the columns of the block rounded up to kProductColumns.
  void block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
             std::size_t panel_columns = kBlock) const;

 private:
  KernelPoints(Kernel kernel, std::size_t size, std::size_t depth, std::span<const double> shift);
  template <class Input>
  bool pack(MatrixView<const Input> points);
  void tile_block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
                  std::size_t panel_columns) const;
  void scalar_block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
                    std::size_t panel_columns) const;

  Kernel kernel_;
  std::vector<double> shift_;
  std::size_t size_ = 0;
  std::size_t depth_ = 0;
  std::size_t width_ = 0;
  TileArgs<T> form_;  // form, degree and alpha only
  Matrix<T> panels_;  // a row each; empty when the kernel has no tile form
  std::vector<T> half_norms_;
  MatrixView<const double> rows_;  // used when it has none
};

/// The middle of each column, from up to 255 rows spread evenly. Not the mean: one far outlier
/// would carry that away from all other points, and their distances would lose the digits.
std::vector<double> column_medians(MatrixView<const double> points);

/// Column medians of the points where the kernel depends on differences only, otherwise empty.
std::vector<double> distance_shift(const Kernel& kernel, MatrixView<const double> points);

}  // namespace mercer::engine
