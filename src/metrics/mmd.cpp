#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/parallel.h"
#include "engine/tile.h"
#include "metrics/arguments.h"

namespace mercer {

namespace {

using engine::kBlock;
using engine::KernelPoints;

/// Weights that sum to 1. Divided by the largest first: sums of huge weights must not overflow.
std::vector<double> unit_weights(std::span<const double> weights, std::size_t rows,
                                 const char* name) {
  if (weights.empty()) return std::vector<double>(rows, 1 / static_cast<double>(rows));
  metrics::check_equal(weights.size(), fmt::format("weights of {}", name), rows,
                       fmt::format("rows of {}", name));
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isfinite(weights[i])) {
      throw DataError(fmt::format("weight {} of {} is {}: every weight must be finite", i + 1, name,
                                  weights[i]));
    }
    largest = std::max(largest, std::abs(weights[i]));
  }
  std::vector<double> unit(weights.begin(), weights.end());
  for (double& weight : unit) weight = largest > 0 ? weight / largest : 0;
  const double sum = std::accumulate(unit.begin(), unit.end(), 0.0);
  // Terms are at most 1: a smaller sum than this may be rounding alone.
  const double rows_rounding = static_cast<double>(rows) * std::numeric_limits<double>::epsilon();
  if (!(sum > rows_rounding)) {
    throw DataError(fmt::format("the weights of {} sum to {}: their sum must be positive", name,
                                sum * largest));
  }
  for (double& weight : unit) weight /= sum;
  return unit;
}

void check_points(const Kernel& kernel, MatrixView<const double> points, const char* name) {
  metrics::check_values(points, name);
  engine::check_new_points(kernel, points, 0);
}

void check_kernel(const Kernel& kernel) {
  validate(kernel);
  const auto* custom = std::get_if<Custom>(&kernel);
  if (std::holds_alternative<Precomputed>(kernel) || (custom != nullptr && !custom->function)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel has no formula to compare two sets of points with: give another kernel",
        kernel_name(kernel)));
  }
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel still lacks a parameter: use resolve_bandwidth first", kernel_name(kernel)));
  }
}

/// A set of points with weights, and the kernel values of its blocks.
struct WeightedPoints {
  WeightedPoints(const Kernel& kernel, MatrixView<const double> points,
                 std::span<const double> shift, std::span<const double> unit_weights)
      : packed(kernel, points, shift), weights(unit_weights) {}

  KernelPoints<double> packed;
  std::span<const double> weights;
};

/// u^T K v of one block of kernel values. Sums no longer than a block are added up first, which
/// keeps the rounding of millions of terms near that of hundreds.
double block_sum(const WeightedPoints& rows, std::size_t row_block, const WeightedPoints& cols,
                 std::size_t col_block, double* values) {
  rows.packed.block(row_block, cols.packed, col_block, values);
  const std::size_t width = engine::panel_width<double>();
  const std::size_t size = rows.packed.block_size(row_block);
  std::array<double, kBlock> image{};
  for (std::size_t begin = 0; begin < size; begin += width) {
    engine::multiply_add({.m = 1,
                          .n = width,
                          .k = cols.packed.block_size(col_block),
                          .a = cols.weights.data() + col_block * kBlock,
                          .a_row_stride = 1,
                          .a_col_stride = 1,
                          .b = values + begin * kBlock,
                          .b_stride = width,
                          .c = image.data() + begin,
                          .c_stride = width});
  }
  const auto row_weights = rows.weights.subspan(row_block * kBlock, size);
  return std::inner_product(row_weights.begin(), row_weights.end(), image.begin(), 0.0);
}

/// Sums over block rows, one task each, added up in order: the same bits for any thread count.
template <class RowSum>
double sum_block_rows(std::size_t blocks, engine::Workers& workers, const RowSum& row_sum) {
  std::vector<double> sums(blocks);
  workers.for_each(blocks, [&](std::size_t task) {
    const std::size_t block = blocks - 1 - task;  // longest rows of a triangle first: even load
    std::vector<double> values(kBlock * kBlock);
    sums[block] = row_sum(block, values.data());
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// u^T K u, half of it computed.
double squared_mean_norm(const Kernel& kernel, MatrixView<const double> points,
                         std::span<const double> weights, engine::Workers& workers) {
  const WeightedPoints set(kernel, points, engine::distance_shift(kernel, points), weights);
  return sum_block_rows(set.packed.blocks(), workers, [&](std::size_t i, double* values) {
    double off_diagonal = 0;
    for (std::size_t j = 0; j < i; ++j) {
      workers.poll();
      off_diagonal += block_sum(set, i, set, j, values);
    }
    return 2 * off_diagonal + block_sum(set, i, set, i, values);
  });
}

/// u^T K v.
double mean_product(const Kernel& kernel, MatrixView<const double> x, std::span<const double> u,
                    MatrixView<const double> y, std::span<const double> v,
                    engine::Workers& workers) {
  // Between the two means: sets far apart lose as little as they can.
  auto shift = engine::distance_shift(kernel, x);
  const auto y_shift = engine::distance_shift(kernel, y);
  for (std::size_t j = 0; j < shift.size(); ++j) shift[j] = shift[j] / 2 + y_shift[j] / 2;
  const WeightedPoints rows(kernel, x, shift, u);
  const WeightedPoints cols(kernel, y, shift, v);
  return sum_block_rows(rows.packed.blocks(), workers, [&](std::size_t i, double* values) {
    double sum = 0;
    for (std::size_t j = 0; j < cols.packed.blocks(); ++j) {
      workers.poll();
      sum += block_sum(rows, i, cols, j, values);
    }
    return sum;
  });
}

}  // namespace

double mmd_squared(const Kernel& kernel, MatrixView<const double> x,
                   std::span<const double> x_weights, MatrixView<const double> y,
                   std::span<const double> y_weights, const RunOptions& run) {
  check_kernel(kernel);
  check_points(kernel, x, "the first set of points");
  check_points(kernel, y, "the second set of points");
  metrics::check_equal(x.cols(), "columns of the first set", y.cols(), "columns of the second");
  const auto u = unit_weights(x_weights, x.rows(), "the first set");
  const auto v = unit_weights(y_weights, y.rows(), "the second set");
  engine::Workers workers(run);
  metrics::check_memory(
      static_cast<double>(x.rows() + y.rows()) * static_cast<double>(x.cols() + 2) * sizeof(double),
      "packed points", run);

  // The parts of the work, for reports of progress.
  const auto n = static_cast<double>(x.rows());
  const auto m = static_cast<double>(y.rows());
  const double total = (n + m) * (n + m) / 2;
  const double x_part = n * n / 2 / total;
  const double y_part = m * m / 2 / total;
  workers.begin_phase("discrepancy");
  workers.phase_range(0, x_part);
  const double xx = squared_mean_norm(kernel, x, u, workers);
  workers.phase_range(x_part, x_part + y_part);
  const double yy = squared_mean_norm(kernel, y, v, workers);
  workers.phase_range(x_part + y_part, 1);
  const double xy = mean_product(kernel, x, u, y, v, workers);
  const double distance2 = xx + yy - 2 * xy;
  if (!std::isfinite(distance2)) {
    throw NumericalError(
        fmt::format("sums of {} kernel values overflow: scale the data or the kernel's parameters",
                    kernel_name(kernel)));
  }
  return std::max(distance2, 0.0);
}

}  // namespace mercer
