#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/tile.h"

namespace mercer::engine {

/// Columns that products are made for at a time: four vectors of the widest instruction set, which
/// fill the accumulators best.
inline constexpr std::size_t kStrip = 4 * kProductColumns;

/// Some columns of at most kBlock rows of a row-major matrix.
struct RowBlock {
  double* values;
  std::size_t count;
  std::size_t stride;

  RowBlock from(std::size_t column) const { return {values + column, count, stride}; }
};

/// Columns [begin, end) of one strip.
struct StripRange {
  std::size_t begin;
  std::size_t end;
};

/// A matrix with its columns in strips, [strip][row][column of the strip], padded with zeros. Read
/// strip by strip its rows follow each other in memory; those of a wide row-major matrix stand a
/// page apart and fall into the same few places of the cache.
class Strips {
 public:
  Strips(std::size_t rows, std::size_t cols)
      : rows_(rows), cols_(cols), values_(rows * ((cols + kStrip - 1) / kStrip) * kStrip) {}

  double& operator()(std::size_t i, std::size_t j) { return values_[position(i, j)]; }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  /// Calls visit(StripRange) for every strip that begins before column `end`.
  template <class Visit>
  void for_each_until(std::size_t end, const Visit& visit) const {
    for (std::size_t begin = 0; begin < end; begin += kStrip) {
      visit(StripRange{begin, std::min(begin + kStrip, cols_)});
    }
  }

  /// Row `top` of the strip that begins at this column; rows follow kStrip numbers apart.
  const double* strip(std::size_t top, std::size_t column) const {
    return values_.data() + position(top, column);
  }

  /// The columns of `range` (and up to kProductColumns - 1 after it) of y += x times the rows
  /// [top, top + depth) of this.
  void add_product(const RowBlock& x, std::size_t top, std::size_t depth, StripRange range,
                   const RowBlock& y) const {
    multiply_add({.m = y.count,
                  .n = padded_columns(range.end - range.begin),
                  .k = depth,
                  .a = x.values,
                  .a_row_stride = x.stride,
                  .a_col_stride = 1,
                  .b = strip(top, range.begin),
                  .b_stride = kStrip,
                  .c = y.values + range.begin,
                  .c_stride = y.stride});
  }

 private:
  std::size_t position(std::size_t i, std::size_t j) const {
    return (j / kStrip * rows_ + i) * kStrip + j % kStrip;
  }

  std::size_t rows_;
  std::size_t cols_;
  std::vector<double> values_;
};

/// The columns of a strip of y become those of y L^-T, the strips before it being done; `squares`
/// += the squared norms of the results. `negative` is -L^T.
void solve_strip(const RowBlock& y, const Matrix<double>& lower, const Strips& negative,
                 StripRange strip, std::array<double, kBlock>& squares);

}  // namespace mercer::engine
