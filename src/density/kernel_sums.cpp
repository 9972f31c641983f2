#include "density/kernel_sums.h"

#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::density {

namespace {

using engine::kBlock;
using engine::KernelPoints;

KernelPoints<double> pack_centres(const Kernel& kernel, MatrixView<const double> centres) {
  check_formula(kernel);
  if (centres.empty()) {
    throw InvalidArgument(fmt::format("there are no centres to sum kernel values at: {} x {}",
                                      centres.rows(), centres.cols()));
  }
  return {kernel, centres, engine::distance_shift(kernel, centres)};
}

}  // namespace

void check_formula(const Kernel& kernel) {
  validate(kernel);
  const auto* custom = std::get_if<Custom>(&kernel);
  if (std::holds_alternative<Precomputed>(kernel) || (custom != nullptr && !custom->function)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel has no formula for the values of points and centres: give another kernel",
        kernel_name(kernel)));
  }
  if (!is_resolved(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel still lacks a parameter: use resolve_bandwidth first", kernel_name(kernel)));
  }
}

void add_block_sums(const KernelPoints<double>& centres, std::size_t centre_block,
                    const KernelPoints<double>& points, std::span<const double> weights, int power,
                    double* sums, engine::Workers& workers) {
  const std::size_t width = engine::panel_width<double>();
  const std::size_t size = centres.block_size(centre_block);
  std::vector<double> values(kBlock * kBlock);
  for (std::size_t point_block = 0; point_block < points.blocks(); ++point_block) {
    workers.poll();
    // With the centres on the panel side the sum runs over whole vectors of them, each in the order
    // of the points.
    centres.block(centre_block, points, point_block, values.data());
    const std::size_t columns = points.block_size(point_block);
    for (std::size_t begin = 0; begin < size; begin += width) {
      double* panel = values.data() + begin * kBlock;
      if (power == 2) {
        for (std::size_t i = 0; i < columns * width; ++i) panel[i] *= panel[i];
      }
      engine::multiply_add({.m = 1,
                            .n = width,
                            .k = columns,
                            .a = weights.data() + point_block * kBlock,
                            .a_row_stride = 1,
                            .a_col_stride = 1,
                            .b = panel,
                            .b_stride = width,
                            .c = sums + begin,
                            .c_stride = width});
    }
  }
}

KernelSums::KernelSums(const Kernel& kernel, MatrixView<const double> centres, int power)
    : kernel_(kernel),
      power_(power),
      centres_(pack_centres(kernel, centres)),
      sums_(centres_.blocks() * kBlock, 0.0) {
  if (power != 1 && power != 2) {
    throw InvalidArgument(
        fmt::format("kernel values cannot be summed with power {}: it is 1 or 2", power));
  }
}

void KernelSums::add(MatrixView<const double> points, std::span<const double> weights,
                     engine::Workers& workers) {
  if (points.cols() != centres_.depth()) {
    throw InvalidArgument(fmt::format("points with {} columns do not fit centres with {}",
                                      points.cols(), centres_.depth()));
  }
  if (!weights.empty() && weights.size() != points.rows()) {
    throw InvalidArgument(
        fmt::format("there are {} weights for {} rows", weights.size(), points.rows()));
  }
  const std::size_t chunks = (points.rows() + kChunkRows - 1) / kChunkRows;
  // Chunks have sums of their own, added up in order: neither threads nor pieces change the bits.
  Matrix<double> partial(std::min(chunks, kChunksAtOnce), sums_.size());
  for (std::size_t first = 0; first < chunks; first += kChunksAtOnce) {
    const std::size_t count = std::min(kChunksAtOnce, chunks - first);
    workers.for_each(count, [&](std::size_t task) {
      const std::size_t begin = (first + task) * kChunkRows;
      const std::size_t rows = std::min(kChunkRows, points.rows() - begin);
      add_chunk(points.rows_from(begin, rows),
                weights.empty() ? weights : weights.subspan(begin, rows), partial.row(task),
                workers);
    });
    for (std::size_t task = 0; task < count; ++task) {
      const auto chunk_sums = partial.row(task);
      for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += chunk_sums[j];
    }
  }
}

void KernelSums::add_chunk(MatrixView<const double> points, std::span<const double> weights,
                           std::span<double> sums, engine::Workers& workers) const {
  const KernelPoints<double> packed(kernel_, points, centres_.shift());
  const std::vector<double> ones(weights.empty() ? points.rows() : 0, 1.0);
  std::ranges::fill(sums, 0.0);
  for (std::size_t block = 0; block < centres_.blocks(); ++block) {
    add_block_sums(centres_, block, packed, weights.empty() ? ones : weights, power_,
                   sums.data() + block * kBlock, workers);
  }
}

std::vector<double> KernelSums::sums() const {
  return {sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(centres_.size())};
}

}  // namespace mercer::density
