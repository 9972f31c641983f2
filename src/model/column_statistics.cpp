#include "model/column_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::model {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
/// The reciprocal of 2^kSmallestExponent is finite.
constexpr int kSmallestExponent = std::numeric_limits<double>::min_exponent - 1;

void require_finite(std::span<const double> row, std::size_t i) {
  // Without a branch, so that it vectorises.
  bool finite = true;
  for (const double x : row) finite &= std::abs(x) <= kLargest;
  if (finite) return;
  const auto bad = std::ranges::find_if_not(row, [](double x) { return std::isfinite(x); });
  throw DataError(fmt::format("row {}, column {} is {}; only finite numbers can be scaled", i + 1,
                              bad - row.begin() + 1, *bad));
}

}  // namespace

std::size_t rows_per_block(std::size_t cols) {
  constexpr std::size_t kMostNumbers = std::size_t{1} << 16;
  constexpr std::size_t kMostRows = 1024;
  return std::clamp<std::size_t>(kMostNumbers / std::max<std::size_t>(cols, 1), 1, kMostRows);
}

ColumnRanges::ColumnRanges(std::size_t cols) : low_(cols, kLargest), high_(cols, -kLargest) {}

void ColumnRanges::add(MatrixView<const double> rows) {
  double* const low = low_.data();
  double* const high = high_.data();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::span<const double> row = rows.row(i);
    require_finite(row, rows_ + i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      low[j] = std::min(low[j], row[j]);
      high[j] = std::max(high[j], row[j]);
    }
  }
  rows_ += rows.rows();
  check_span();
}

void ColumnRanges::check_span() const {
  for (std::size_t j = 0; j < cols(); ++j)
    if (!std::isfinite(high_[j] - low_[j]))
      throw DataError(fmt::format(
          "column {} reaches from {:g} to {:g}, further than a double can express; divide it by a "
          "constant first",
          j + 1, low_[j], high_[j]));
}

ColumnMoments::ColumnMoments(std::size_t cols)
    : ranges_(cols),
      exponent_(cols, kSmallestExponent),
      per_unit_(cols, std::ldexp(1.0, -kSmallestExponent)),
      mean_(cols, 0.0),
      scatter_(cols, 0.0),
      block_mean_(cols),
      deviations_(cols),
      squares_(cols) {}

void ColumnMoments::add(MatrixView<const double> rows) {
  if (rows.rows() == 0) return;
  if (origin_.empty()) origin_.assign(rows.row(0).begin(), rows.row(0).end());
  ranges_.add(rows);
  widen_units();
  sum_block(rows);
  merge_block(rows.rows());
}

double ColumnMoments::mean(std::size_t j) const {
  return origin_[j] + std::ldexp(mean_[j], exponent_[j]);
}

double ColumnMoments::deviation(std::size_t j) const {
  return std::ldexp(std::sqrt(scatter_[j] / static_cast<double>(rows())), exponent_[j]);
}

void ColumnMoments::widen_units() {
  for (std::size_t j = 0; j < cols(); ++j) {
    const double largest = std::max(ranges_.high(j) - origin_[j], origin_[j] - ranges_.low(j));
    const int exponent = largest > 0 ? std::ilogb(largest) : kSmallestExponent;
    if (exponent <= exponent_[j]) continue;
    // Exact, or too small to matter beside the value that made the unit wider.
    const double factor = std::ldexp(1.0, exponent_[j] - exponent);
    mean_[j] *= factor;
    scatter_[j] *= factor * factor;
    exponent_[j] = exponent;
    per_unit_[j] = std::ldexp(1.0, -exponent);
  }
}

void ColumnMoments::sum_block(MatrixView<const double> rows) {
  const std::size_t d = cols();
  const double* const origin = origin_.data();
  const double* const per_unit = per_unit_.data();
  double* const mean = block_mean_.data();
  double* const deviations = deviations_.data();
  double* const squares = squares_.data();
  std::fill_n(mean, d, 0.0);
  std::fill_n(deviations, d, 0.0);
  std::fill_n(squares, d, 0.0);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double* const x = rows.row(i).data();
    for (std::size_t j = 0; j < d; ++j) mean[j] += (x[j] - origin[j]) * per_unit[j];
  }
  for (std::size_t j = 0; j < d; ++j) mean[j] /= static_cast<double>(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double* const x = rows.row(i).data();
    for (std::size_t j = 0; j < d; ++j) {
      const double deviation = (x[j] - origin[j]) * per_unit[j] - mean[j];
      deviations[j] += deviation;
      squares[j] += deviation * deviation;
    }
  }
}

void ColumnMoments::merge_block(std::size_t block_rows) {
  const auto added = static_cast<double>(block_rows);
  const auto all = static_cast<double>(rows());
  const double before = all - added;
  for (std::size_t j = 0; j < cols(); ++j) {
    const double correction = deviations_[j] / added;
    const double difference = block_mean_[j] + correction - mean_[j];
    mean_[j] += difference * (added / all);
    scatter_[j] += squares_[j] - deviations_[j] * correction +
                   difference * difference * (before * (added / all));
  }
}

}  // namespace mercer::model
