#include "engine/kernel_points.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "engine/packing.h"

namespace mercer::engine {

std::vector<double> distance_shift(const Kernel& kernel, MatrixView<const double> points) {
  const auto packing = packing_of(kernel);
  if (!packing || !packing->shifted) return {};
  return column_medians(points);
}

std::vector<double> column_medians(MatrixView<const double> points) {
  // 255 rows place the middle of a column far more exactly than the digits need that it saves.
  constexpr std::size_t kRows = 255;
  const std::size_t count = std::min(points.rows(), kRows);
  std::vector<double> medians(points.cols(), 0.0);
  std::vector<double> column(count);
  for (std::size_t j = 0; j < points.cols() && count > 0; ++j) {
    for (std::size_t i = 0; i < count; ++i) column[i] = points(i * points.rows() / count, j);
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::ranges::nth_element(column, middle);
    medians[j] = *middle;
  }
  return medians;
}

template <class T>
KernelPoints<T>::KernelPoints(Kernel kernel, std::size_t size, std::size_t depth,
                              std::span<const double> shift)
    : kernel_(std::move(kernel)),
      shift_(shift.begin(), shift.end()),
      size_(size),
      depth_(depth),
      width_(panel_width<T>()) {}

template <class T>
KernelPoints<T>::KernelPoints(const Kernel& kernel, MatrixView<const double> points,
                              std::span<const double> shift)
    : KernelPoints(kernel, points.rows(), points.cols(), shift) {
  if (!pack(points)) rows_ = points;
}

template <class T>
KernelPoints<T>::KernelPoints(const Kernel& kernel, MatrixView<const float> points,
                              std::span<const double> shift)
    : KernelPoints(kernel, points.rows(), points.cols(), shift) {
  if (pack(points)) return;
  throw InvalidArgument(
      fmt::format("{} kernels take points in double precision only", kernel_name(kernel)));
}

/// Returns false, having done nothing, when the kernel has no tile form.
template <class T>
template <class Input>
bool KernelPoints<T>::pack(MatrixView<const Input> points) {
  const auto packing = packing_of(kernel_);
  if (!packing) return false;
  form_.form = packing->form;
  form_.degree = packing->degree;
  form_.alpha = packing->alpha;
  const std::size_t panel_count = (size_ + width_ - 1) / width_;
  panels_ = Matrix<T>(panel_count, width_ * depth_);
  half_norms_.assign(panel_count * width_, static_cast<T>(-packing->bias / 2));
  for (std::size_t i = 0; i < size_; ++i) {
    T* out = panels_.row(i / width_).data() + i % width_;
    const double scale = row_scale<Input>(*packing, points.row(i));
    double norm2 = 0;
    for (std::size_t j = 0; j < depth_; ++j) {
      const double centred = static_cast<double>(points(i, j)) - (shift_.empty() ? 0 : shift_[j]);
      const T value = static_cast<T>(centred * scale);
      out[j * width_] = value;
      norm2 += static_cast<double>(value) * static_cast<double>(value);
    }
    if (!(norm2 <= static_cast<double>(std::numeric_limits<T>::max()))) {
      throw_row_too_large(kernel_, i, std::is_same_v<T, float>);
    }
    if (packing->by_norms) half_norms_[i] = static_cast<T>(norm2 / 2);
  }
  return true;
}

template <class T>
void KernelPoints<T>::block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block,
                            T* out, std::size_t panel_columns) const {
  if (panels_.empty()) {
    scalar_block(row_block, cols, col_block, out, panel_columns);
  } else {
    tile_block(row_block, cols, col_block, out, panel_columns);
  }
}

template <class T>
void KernelPoints<T>::tile_block(std::size_t row_block, const KernelPoints& cols,
                                 std::size_t col_block, T* out, std::size_t panel_columns) const {
  const std::size_t row_begin = row_block * kBlock;
  const std::size_t col_begin = col_block * kBlock;
  TileArgs<T> args = form_;
  args.depth = depth_;
  args.rows = panels_.data() + row_begin * depth_;
  args.row_half_norms = half_norms_.data() + row_begin;
  args.row_panels = (block_size(row_block) + width_ - 1) / width_;
  args.cols = cols.panels_.data() + col_begin * depth_;
  args.col_half_norms = cols.half_norms_.data() + col_begin;
  args.col_count = cols.block_size(col_block);
  args.out = out;
  args.panel_stride = panel_columns * width_;
  kernel_tile(args);
}

template <class T>
void KernelPoints<T>::scalar_block(std::size_t row_block, const KernelPoints& cols,
                                   std::size_t col_block, T* out, std::size_t panel_columns) const {
  const bool precomputed = std::holds_alternative<Precomputed>(kernel_);
  for (std::size_t i = 0; i < block_size(row_block); ++i) {
    const std::size_t row = row_block * kBlock + i;
    T* panel = out + (i / width_) * panel_columns * width_ + i % width_;
    for (std::size_t j = 0; j < cols.block_size(col_block); ++j) {
      const std::size_t col = col_block * kBlock + j;
      const double value = precomputed ? rows_(row, col)
                                       : kernel_value(kernel_, rows_.row(row), cols.rows_.row(col));
      if (!std::isfinite(value)) {
        throw NumericalError(
            fmt::format("the kernel of rows {} and {} is {}", row + 1, col + 1, value));
      }
      panel[j * width_] = static_cast<T>(value);
    }
  }
}

template class KernelPoints<double>;
template class KernelPoints<float>;

}  // namespace mercer::engine
