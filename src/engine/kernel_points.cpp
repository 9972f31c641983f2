#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/gram.h"
#include "engine/kernel_value.h"

namespace mercer::engine {

namespace {

constexpr double kLog2E = std::numbers::log2e;

/// How packing prepares coordinates for a tile form (tile.h): every coordinate is multiplied by
/// `scale`, and the sum starts from -(half_norm_x + half_norm_y).
struct Packing {
  TileForm form = TileForm::linear;
  double scale = 1;
  bool shifted = false;    // depends on x - y only: a common shift may be taken off first
  bool by_norms = false;   // half_norm = |x|^2 / 2, so that the sum becomes -r^2 / 2
  bool unit_rows = false;  // rows are divided by their norm first
  double bias = 0;         // half_norm = -bias / 2: the sum starts at bias
  int degree = 1;
  double alpha = 1;
};

struct ChoosePacking {
  using Result = std::optional<Packing>;

  // t = -gamma r^2 log2(e), so 2^t is the kernel.
  Result operator()(const Gaussian& k) const {
    return Packing{.form = TileForm::gaussian,
                   .scale = std::sqrt(2 * kLog2E) * std::sqrt(*k.gamma),
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const Laplacian& k) const {
    return Packing{.form = TileForm::laplacian, .scale = *k.gamma * kLog2E, .shifted = true};
  }
  Result operator()(const LaplacianL1& k) const {
    return Packing{.form = TileForm::laplacian_l1, .scale = *k.gamma * kLog2E, .shifted = true};
  }
  Result operator()(const Matern32& k) const {
    return Packing{.form = TileForm::matern32,
                   .scale = std::numbers::sqrt3 / *k.length,
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const Matern52& k) const {
    return Packing{.form = TileForm::matern52,
                   .scale = std::sqrt(5.0) / *k.length,
                   .shifted = true,
                   .by_norms = true};
  }
  Result operator()(const RationalQuadratic& k) const {
    return Packing{.form = TileForm::rational_quadratic,
                   .scale = 1 / (*k.length * std::sqrt(k.alpha)),
                   .shifted = true,
                   .by_norms = true,
                   .alpha = k.alpha};
  }
  Result operator()(const Polynomial& k) const {
    return Packing{.form = TileForm::polynomial,
                   .scale = std::sqrt(*k.gamma),
                   .bias = k.coef0,
                   .degree = k.degree};
  }
  Result operator()(const Linear&) const { return Packing{}; }
  Result operator()(const Cosine&) const { return Packing{.unit_rows = true}; }
  Result operator()(const Sigmoid& k) const {
    return Packing{.form = TileForm::sigmoid, .scale = std::sqrt(*k.gamma), .bias = k.coef0};
  }
  Result operator()(const Chi2&) const { return Packing{.form = TileForm::chi2}; }
  Result operator()(const ExponentialChi2& k) const {
    return Packing{.form = TileForm::exponential_chi2, .scale = *k.gamma * kLog2E};
  }
  Result operator()(const Precomputed&) const { return std::nullopt; }
  Result operator()(const Custom&) const { return std::nullopt; }
};

std::optional<Packing> packing_of(const Kernel& kernel) {
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel still lacks a parameter: use resolve_bandwidth first", kernel_name(kernel)));
  }
  return std::visit(ChoosePacking{}, kernel);
}

/// 1 / |x| without overflow or underflow in the squares; 0 for a row of zeros.
template <class Input>
double inverse_norm(std::span<const Input> x) {
  double largest = 0;
  for (const Input value : x) largest = std::max(largest, std::abs(static_cast<double>(value)));
  if (largest == 0) return 0;
  double sum = 0;
  for (const Input value : x) {
    const double scaled = static_cast<double>(value) / largest;
    sum += scaled * scaled;
  }
  return 1 / (std::sqrt(sum) * largest);
}

}  // namespace

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
    const double row_scale = packing->unit_rows ? inverse_norm(points.row(i)) : packing->scale;
    double norm2 = 0;
    for (std::size_t j = 0; j < depth_; ++j) {
      const double centred = static_cast<double>(points(i, j)) - (shift_.empty() ? 0 : shift_[j]);
      const T value = static_cast<T>(centred * row_scale);
      out[j * width_] = value;
      norm2 += static_cast<double>(value) * static_cast<double>(value);
    }
    if (!(norm2 <= static_cast<double>(std::numeric_limits<T>::max()))) {
      throw NumericalError(fmt::format(
          "row {} is too large for the {} kernel with its parameters: squared distances overflow; "
          "scale the data or the parameter{}",
          i + 1, kernel_name(kernel_),
          std::is_same_v<T, float> ? ", or use double precision" : ""));
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
