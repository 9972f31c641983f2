#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/input.h>

#include "model/column_statistics.h"

namespace mercer {

namespace {

using model::ColumnMoments;
using model::ColumnRanges;

// Columns whose spread is subnormal have no finite reciprocal; they come out smaller than 1
// instead.
double reciprocal(double spread) {
  return std::min(1 / spread, std::numeric_limits<double>::max());
}

void require_rows(std::size_t rows, std::size_t cols) {
  if (rows == 0 || cols == 0)
    throw DataError(
        fmt::format("cannot scale the columns of an empty table ({} x {})", rows, cols));
}

/// Blocks have the same rows whatever the points come from, so the sums have the same bits.
template <class Statistics>
Statistics statistics_of(MatrixView<const double> points) {
  require_rows(points.rows(), points.cols());
  Statistics statistics(points.cols());
  const std::size_t at_once = model::rows_per_block(points.cols());
  for (std::size_t i = 0; i < points.rows(); i += at_once)
    statistics.add(points.rows_from(i, std::min(at_once, points.rows() - i)));
  return statistics;
}

template <class Statistics>
Statistics statistics_of(RowSource& source) {
  source.rewind();
  const std::size_t cols = source.cols();
  require_rows(source.rows().value_or(1), cols);
  Statistics statistics(cols);
  while (auto block = source.next(model::rows_per_block(cols)))
    statistics.add(std::move(*block).dense());
  require_rows(statistics.rows(), cols);
  return statistics;
}

ColumnScaling standard_scaling_of(const ColumnMoments& moments) {
  ColumnScaling scaling;
  for (std::size_t j = 0; j < moments.cols(); ++j) {
    scaling.shift.push_back(-moments.mean(j));
    scaling.multiply.push_back(moments.constant(j) ? 1.0 : reciprocal(moments.deviation(j)));
  }
  return scaling;
}

ColumnScaling minmax_scaling_of(const ColumnRanges& ranges) {
  ColumnScaling scaling;
  for (std::size_t j = 0; j < ranges.cols(); ++j) {
    const double low = ranges.low(j);
    const double high = ranges.high(j);
    const bool constant = low == high;
    // Halved first: the sum of two large ends would overflow. Constant columns meet their own
    // value.
    scaling.shift.push_back(constant ? -low : -(low / 2 + high / 2));
    scaling.multiply.push_back(constant ? 1.0 : reciprocal((high - low) / 2));
  }
  return scaling;
}

}  // namespace

void ColumnScaling::apply(MatrixView<double> points) const {
  if (empty()) return;
  if (points.cols() != shift.size())
    throw DataError(fmt::format("the points have {} columns, but the scaling is for {}",
                                points.cols(), shift.size()));
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const std::span<double> row = points.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = (row[j] + shift[j]) * multiply[j];
  }
}

ColumnScaling standard_scaling(MatrixView<const double> points) {
  return standard_scaling_of(statistics_of<ColumnMoments>(points));
}

ColumnScaling standard_scaling(RowSource& source) {
  return standard_scaling_of(statistics_of<ColumnMoments>(source));
}

ColumnScaling minmax_scaling(MatrixView<const double> points) {
  return minmax_scaling_of(statistics_of<ColumnRanges>(points));
}

ColumnScaling minmax_scaling(RowSource& source) {
  return minmax_scaling_of(statistics_of<ColumnRanges>(source));
}

ColumnScaling fixed_scaling(std::size_t columns, double shift, double multiply) {
  if (!std::isfinite(shift) || !std::isfinite(multiply) || multiply == 0)
    throw InvalidArgument(
        fmt::format("cannot scale by (x + {}) * {}: both must be finite and the factor not 0",
                    shift, multiply));
  return {.shift = std::vector<double>(columns, shift),
          .multiply = std::vector<double>(columns, multiply)};
}

ColumnScaling compose(const ColumnScaling& first, const ColumnScaling& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  if (first.shift.size() != second.shift.size())
    throw InvalidArgument(fmt::format("cannot compose scalings of {} and {} columns",
                                      first.shift.size(), second.shift.size()));
  ColumnScaling both = first;
  for (std::size_t j = 0; j < both.shift.size(); ++j) {
    both.shift[j] += second.shift[j] / first.multiply[j];
    both.multiply[j] *= second.multiply[j];
    if (!std::isfinite(both.shift[j]) || !std::isnormal(both.multiply[j]))
      throw InvalidArgument(fmt::format(
          "the two scalings of column {} together leave the range of doubles; divide the column by "
          "a constant in the file",
          j + 1));
  }
  return both;
}

}  // namespace mercer
