#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/input.h>

#include "model/utf8.h"

namespace mercer {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

struct ColumnRange {
  double low = kLargest;
  double high = -kLargest;

  bool constant() const { return low == high; }
};

std::vector<ColumnRange> column_ranges(MatrixView<const double> points) {
  if (points.empty())
    throw DataError(fmt::format("cannot scale the columns of an empty table ({} x {})",
                                points.rows(), points.cols()));
  std::vector<ColumnRange> ranges(points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < points.cols(); ++j) {
      const double x = points(i, j);
      if (!std::isfinite(x))
        throw DataError(fmt::format("row {}, column {} is {}; only finite numbers can be scaled",
                                    i + 1, j + 1, x));
      ranges[j].low = std::min(ranges[j].low, x);
      ranges[j].high = std::max(ranges[j].high, x);
    }
  for (std::size_t j = 0; j < ranges.size(); ++j)
    if (!std::isfinite(ranges[j].high - ranges[j].low))
      throw DataError(fmt::format(
          "column {} reaches from {:g} to {:g}, further than a double can express; divide it by a "
          "constant first",
          j + 1, ranges[j].low, ranges[j].high));
  return ranges;
}

// Columns whose spread is subnormal have no finite reciprocal; they come out smaller than 1
// instead.
double reciprocal(double spread) {
  return std::min(1 / spread, kLargest);
}

void require_utf8(const std::string& text, const std::string& what) {
  if (!model::is_utf8(text))
    throw InvalidArgument(fmt::format(
        "{} is not UTF-8 text; convert the table, for example with: iconv -f latin1 -t utf-8",
        what));
}

void require_new_column(std::size_t column, std::size_t table_columns,
                        std::set<std::size_t>& seen) {
  if (column >= table_columns)
    throw InvalidArgument(fmt::format("column rules name column {} of a table with {} columns",
                                      column + 1, table_columns));
  if (!seen.insert(column).second)
    throw InvalidArgument(fmt::format("column rules name column {} twice", column + 1));
}

}  // namespace

std::size_t ColumnRules::point_columns() const {
  std::size_t columns = table_columns - left_out.size() - one_hot.size();
  for (const OneHot& rule : one_hot) columns += rule.categories.size();
  return columns;
}

void ColumnRules::validate() const {
  std::set<std::size_t> seen;
  for (const std::size_t column : left_out) require_new_column(column, table_columns, seen);
  for (const OneHot& rule : one_hot) {
    require_new_column(rule.column, table_columns, seen);
    std::set<std::string_view> categories;
    for (const std::string& category : rule.categories) {
      require_utf8(category, fmt::format("a category of column {}", rule.column + 1));
      if (!categories.insert(category).second)
        throw InvalidArgument(fmt::format("column rules list the category '{}' of column {} twice",
                                          category, rule.column + 1));
    }
  }
  if (!names.empty() && names.size() != table_columns)
    throw InvalidArgument(
        fmt::format("column rules have {} names for {} columns", names.size(), table_columns));
  for (std::size_t j = 0; j < names.size(); ++j)
    require_utf8(names[j], fmt::format("the name of column {}", j + 1));
}

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
  const std::vector<ColumnRange> ranges = column_ranges(points);
  const std::size_t d = ranges.size();
  const auto n = static_cast<double>(points.rows());
  // Both passes work on y = (x - low) / (high - low) in [0, 1], so that neither the squares nor the
  // sums leave the range of doubles, and a large common offset costs no digits.
  const auto relative = [&](std::size_t i, std::size_t j) {
    return (points(i, j) - ranges[j].low) / (ranges[j].high - ranges[j].low);
  };
  std::vector<double> mean(d, 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j)
      if (!ranges[j].constant()) mean[j] += relative(i, j);
  for (double& m : mean) m /= n;

  // The sum of deviations would be 0 without rounding; it corrects the mean and the variance.
  std::vector<double> deviations(d, 0.0);
  std::vector<double> squares(d, 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) {
      if (ranges[j].constant()) continue;
      const double deviation = relative(i, j) - mean[j];
      deviations[j] += deviation;
      squares[j] += deviation * deviation;
    }

  ColumnScaling scaling{.shift = std::vector<double>(d), .multiply = std::vector<double>(d, 1.0)};
  for (std::size_t j = 0; j < d; ++j) {
    scaling.shift[j] = -ranges[j].low;
    if (ranges[j].constant()) continue;
    const double correction = deviations[j] / n;
    const double variance = squares[j] / n - correction * correction;
    const double range = ranges[j].high - ranges[j].low;
    scaling.shift[j] -= (mean[j] + correction) * range;
    scaling.multiply[j] = reciprocal(range * std::sqrt(variance));
  }
  return scaling;
}

ColumnScaling minmax_scaling(MatrixView<const double> points) {
  ColumnScaling scaling;
  for (const ColumnRange& range : column_ranges(points)) {
    // Halved first: the sum of two large ends would overflow. Constant columns meet their own
    // value.
    scaling.shift.push_back(range.constant() ? -range.low : -(range.low / 2 + range.high / 2));
    scaling.multiply.push_back(range.constant() ? 1.0 : reciprocal((range.high - range.low) / 2));
  }
  return scaling;
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
