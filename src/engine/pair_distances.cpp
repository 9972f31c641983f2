#include "engine/pair_distances.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/distance_value.h"

namespace mercer::engine {

namespace {

// Some columns stay in the second-level cache while the rows of a task pass over them.
constexpr std::size_t kRows = 32;
constexpr std::size_t kColumns = 64;

constexpr std::size_t kNotInSample = static_cast<std::size_t>(-1);

}  // namespace

void IndexedPairs::squares(std::size_t row, std::span<const std::size_t> items, double* out) const {
  for (std::size_t c = 0; c < items.size(); ++c) {
    out[c] = checked_square(distance_.squared(row, items[c]), row, items[c]);
  }
}

Matrix<double> distance_block(const PairDistances& pairs, std::size_t first, std::size_t count,
                              std::span<const std::size_t> items, Workers& workers) {
  auto result = Matrix<double>::uninitialized(count, items.size());
  workers.for_each((count + kRows - 1) / kRows, [&](std::size_t task) {
    const std::size_t end = std::min(count, (task + 1) * kRows);
    for (std::size_t column = 0; column < items.size(); column += kColumns) {
      const auto some = items.subspan(column, std::min(kColumns, items.size() - column));
      for (std::size_t i = task * kRows; i < end; ++i) {
        pairs.squares(first + i, some, &result(i, column));
      }
    }
  });
  return result;
}

Matrix<double> item_distances(const PairDistances& pairs, std::span<const std::size_t> sample,
                              Workers& workers) {
  const std::size_t n = pairs.size();
  std::vector<std::size_t> position(n, kNotInSample);
  for (std::size_t c = 0; c < sample.size(); ++c) position[sample[c]] = c;
  Matrix<double> result(n, sample.size());
  workers.for_each((n + kRows - 1) / kRows, [&](std::size_t task) {
    // A pair within the sample is evaluated for the later of the two.
    const auto columns_of = [&](std::size_t i) {
      return position[i] == kNotInSample ? sample.size() : position[i];
    };
    const std::size_t end = std::min(n, (task + 1) * kRows);
    for (std::size_t column = 0; column < sample.size(); column += kColumns) {
      for (std::size_t i = task * kRows; i < end; ++i) {
        if (columns_of(i) <= column) continue;
        const std::size_t count = std::min(kColumns, columns_of(i) - column);
        pairs.squares(i, sample.subspan(column, count), &result(i, column));
      }
    }
  });
  for (std::size_t c = 0; c < sample.size(); ++c) {
    for (std::size_t other = 0; other < c; ++other) {
      result(sample[other], c) = result(sample[c], other);
    }
  }
  return result;
}

double item_distance_count(std::size_t n, std::size_t sample) {
  const auto s = static_cast<double>(sample);
  return s * (s - 1) / 2 + (static_cast<double>(n) - s) * s;
}

}  // namespace mercer::engine

namespace mercer {

Matrix<double> squared_distances(const Distance& distance, MatrixView<const double> a,
                                 MatrixView<const double> b, const RunOptions& run) {
  validate(distance);
  if (std::holds_alternative<PrecomputedDistance>(distance)) {
    throw InvalidArgument("precomputed distances are there already");
  }
  if (a.cols() != b.cols()) {
    throw InvalidArgument(
        fmt::format("rows of {} and {} columns have no distance", a.cols(), b.cols()));
  }
  engine::check_distance_points(distance, a, 0);
  engine::check_distance_points(distance, b, 0);
  engine::Workers workers(run);
  const engine::DistanceRows to(distance, b);
  const engine::DistanceRows from = to.queries(a);
  std::vector<std::size_t> columns(b.rows());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return engine::distance_block(engine::RowPairs(from, to), 0, a.rows(), columns, workers);
}

}  // namespace mercer
