#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/tile.h"

namespace mercer::density {

/// Points packed in the panels of the engine's tiles (engine/tile.h), in whole blocks of
/// engine::kBlock; what is missing to a whole block is never a candidate.
template <class T>
class CoverPanels {
 public:
  explicit CoverPanels(std::size_t cols, std::size_t expected = 0);

  std::size_t size() const { return size_; }
  std::size_t cols() const { return cols_; }
  /// The value of a tile starts at minus the sum of both half norms.
  void append(std::span<const T> point, T half_norm);
  /// Point i will be no candidate any more.
  void dismiss(std::size_t i);
  /// Moves the others up, in their order.
  void drop_dismissed();

  const T* panel(std::size_t p) const { return values_.data() + p * width_ * cols_; }
  const T* half_norms(std::size_t p) const { return half_norms_.data() + p * width_; }
  std::size_t panel_width() const { return width_; }
  std::size_t panels() const { return (size_ + width_ - 1) / width_; }

 private:
  T* first_coordinate(std::size_t i) {
    return values_.data() + i / width_ * width_ * cols_ + i % width_;
  }

  std::size_t cols_;
  std::size_t width_;
  std::size_t size_ = 0;
  std::vector<T> values_;
  std::vector<T> half_norms_;
};

/// Tile values of a panel of `rows` with `columns` points of `cols` from `first_column` on, the
/// first of a panel, as [column][row]; at most kBlock columns. One panel at a time: its values are
/// looked at while they are in the first-level cache.
template <class T>
void tile_values(const CoverPanels<T>& rows, std::size_t panel, const CoverPanels<T>& cols,
                 std::size_t first_column, std::size_t columns, T* out);

/// Columns of a tile that are looked at together: a multiple of what register tiles hold.
inline constexpr std::size_t kCandidateGroup = engine::kProductColumns;

template <class T>
bool all_negative(const T* values, std::size_t count);

/// Calls candidate(column, row) for the values that are not negative, column by column.
template <class T, class Candidate>
void for_each_candidate(const T* values, std::size_t columns, std::size_t width,
                        const Candidate& candidate) {
  const std::size_t whole = (columns + kCandidateGroup - 1) / kCandidateGroup * kCandidateGroup;
  // Mostly: a row has few candidates among thousands of centres.
  if (all_negative(values, whole * width)) return;
  for (std::size_t group = 0; group < whole; group += kCandidateGroup) {
    if (all_negative(values + group * width, kCandidateGroup * width)) continue;
    for (std::size_t column = group; column < group + kCandidateGroup; ++column) {
      const T* of_column = values + column * width;
      if (all_negative(of_column, width)) continue;
      for (std::size_t row = 0; row < width; ++row) {
        if (!std::signbit(of_column[row])) candidate(column, row);
      }
    }
  }
}

}  // namespace mercer::density
