#include "density/cover_panels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace mercer::density {

using engine::kBlock;

namespace {

template <class T>
constexpr T kNeverCandidate = std::numeric_limits<T>::infinity();

}  // namespace

template <class T>
CoverPanels<T>::CoverPanels(std::size_t cols, std::size_t expected)
    : cols_(cols), width_(engine::panel_width<T>()) {
  const std::size_t room = (expected + kBlock - 1) / kBlock * kBlock;
  values_.reserve(room * cols);
  half_norms_.reserve(room);
}

template <class T>
void CoverPanels<T>::append(std::span<const T> point, T half_norm) {
  if (size_ % kBlock == 0) {
    values_.resize((size_ + kBlock) * cols_, T{0});
    half_norms_.resize(size_ + kBlock, kNeverCandidate<T>);
  }
  T* out = first_coordinate(size_);
  for (std::size_t j = 0; j < cols_; ++j) out[j * width_] = point[j];
  half_norms_[size_] = half_norm;
  ++size_;
}

template <class T>
void CoverPanels<T>::dismiss(std::size_t i) {
  half_norms_[i] = kNeverCandidate<T>;
}

template <class T>
void CoverPanels<T>::drop_dismissed() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (half_norms_[i] == kNeverCandidate<T>) continue;
    const T* from = first_coordinate(i);
    T* to = first_coordinate(kept);
    for (std::size_t j = 0; j < cols_; ++j) to[j * width_] = from[j * width_];
    half_norms_[kept] = half_norms_[i];
    ++kept;
  }
  std::fill(half_norms_.begin() + static_cast<std::ptrdiff_t>(kept), half_norms_.end(),
            kNeverCandidate<T>);
  size_ = kept;
}

template class CoverPanels<double>;
template class CoverPanels<float>;

template <class T>
void tile_values(const CoverPanels<T>& rows, std::size_t panel, const CoverPanels<T>& cols,
                 std::size_t first_column, std::size_t columns, T* out) {
  const std::size_t width = rows.panel_width();
  engine::TileArgs<T> args;
  args.form = engine::TileForm::linear;
  args.depth = rows.cols();
  args.rows = rows.panel(panel);
  args.row_half_norms = rows.half_norms(panel);
  args.row_panels = 1;
  args.cols = cols.panel(first_column / width);
  args.col_half_norms = cols.half_norms(first_column / width);
  args.col_count = (columns + kCandidateGroup - 1) / kCandidateGroup * kCandidateGroup;
  args.out = out;
  args.panel_stride = kBlock * width;
  engine::kernel_tile(args);
}

template void tile_values(const CoverPanels<double>&, std::size_t, const CoverPanels<double>&,
                          std::size_t, std::size_t, double*);
template void tile_values(const CoverPanels<float>&, std::size_t, const CoverPanels<float>&,
                          std::size_t, std::size_t, float*);

template <class T>
bool all_negative(const T* values, std::size_t count) {
  // By sign bits, several at a time and independent of each other: this reads every value of every
  // tile.
  constexpr std::size_t kLanes = 64 / sizeof(T);
  using Bits = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  std::array<Bits, kLanes> signs;
  signs.fill(~Bits{0});
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      signs[lane] &= std::bit_cast<Bits>(values[i + lane]);
    }
  }
  for (; i < count; ++i) signs[0] &= std::bit_cast<Bits>(values[i]);
  for (const Bits lane : signs) signs[0] &= lane;
  return std::bit_cast<std::make_signed_t<Bits>>(signs[0]) < 0;
}

template bool all_negative(const double*, std::size_t);
template bool all_negative(const float*, std::size_t);

}  // namespace mercer::density
