#include "engine/kernel_rows.h"

#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "engine/row_values.h"

namespace mercer::engine {

KernelRows::KernelRows(const Kernel& kernel, MatrixView<const double> points,
                       std::span<const double> shift)
    : kernel_(kernel), points_(points), packing_(packing_of(kernel)) {
  if (!packing_) return;
  rows_ = Matrix<double>(points.rows(), padded_columns(points.cols()));
  half_norms_.assign(points.rows(), -packing_->bias / 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double scale = row_scale<double>(*packing_, points.row(i));
    double norm2 = 0;
    for (std::size_t j = 0; j < points.cols(); ++j) {
      const double value = (points(i, j) - (shift.empty() ? 0 : shift[j])) * scale;
      rows_(i, j) = value;
      norm2 += value * value;
    }
    if (!std::isfinite(norm2)) throw_row_too_large(kernel_, i, /*single_precision=*/false);
    if (packing_->by_norms) half_norms_[i] = norm2 / 2;
  }
}

double KernelRows::bytes(std::size_t n, std::size_t d) {
  return static_cast<double>(n) * static_cast<double>((padded_columns(d) + 1) * sizeof(double));
}

void KernelRows::values(const KernelRows& from, std::size_t row, std::size_t first,
                        std::span<const std::uint16_t> columns, double* out) const {
  if (packing_) {
    row_values({.form = packing_->form,
                .degree = packing_->degree,
                .alpha = packing_->alpha,
                .depth = rows_.cols(),
                .x = from.rows_.row(row).data(),
                .x_half_norm = from.half_norms_[row],
                .rows = rows_.row(first).data(),
                .half_norms = half_norms_.data() + first,
                .columns = columns.data(),
                .count = columns.size(),
                .out = out});
    return;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::size_t col = first + columns[c];
    out[c] = kernel_value(kernel_, from.points_.row(row), points_.row(col));
    if (!std::isfinite(out[c])) {
      throw NumericalError(
          fmt::format("the kernel of rows {} and {} is {}", row + 1, col + 1, out[c]));
    }
  }
}

}  // namespace mercer::engine
