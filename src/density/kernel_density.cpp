#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/reduction.h>

#include "density/kernel_sums.h"
#include "density/unit_weights.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/parallel.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer {

namespace {

using engine::kBlock;
using engine::KernelPoints;

/// Points that are packed together, one task.
constexpr std::size_t kChunkRows = 5 * kBlock;

void check_sizes(MatrixView<const double> centers, MatrixView<const double> points) {
  if (centers.empty()) {
    throw DataError(fmt::format("a density needs centers: there are {} with {} columns",
                                centers.rows(), centers.cols()));
  }
  if (points.cols() != centers.cols()) {
    throw InvalidArgument(fmt::format("points with {} columns do not fit centers with {}",
                                      points.cols(), centers.cols()));
  }
}

void check_memory(MatrixView<const double> centers, std::size_t points, const RunOptions& run) {
  const double numbers = static_cast<double>(centers.rows()) *
                             (static_cast<double>(centers.cols()) + 2) +  // packed, with weights
                         static_cast<double>(points);
  const double bytes = numbers * sizeof(double);
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  if (bytes <= limit) return;
  throw MemoryLimitError(fmt::format(
      "the densities of {} points from {} centers need {}, but the memory limit is {}; give fewer "
      "points at a time, use fewer centers, or raise the limit",
      points, centers.rows(), system::format_bytes(bytes), system::format_bytes(limit)));
}

/// Densities of the points of one chunk. The sum of a point runs over the centres in order, so its
/// bits do not depend on the points beside it.
void evaluate(const Kernel& kernel, const KernelPoints<double>& centers,
              std::span<const double> weights, MatrixView<const double> points,
              std::span<double> densities, engine::Workers& workers) {
  const KernelPoints<double> packed(kernel, points, centers.shift());
  std::vector<double> sums(packed.blocks() * kBlock, 0.0);
  for (std::size_t block = 0; block < packed.blocks(); ++block) {
    density::add_block_sums(packed, block, centers, weights, 1, sums.data() + block * kBlock,
                            workers);
  }
  std::copy_n(sums.begin(), densities.size(), densities.begin());
}

}  // namespace

std::vector<double> kernel_density(const Kernel& kernel, MatrixView<const double> centers,
                                   std::span<const double> weights, MatrixView<const double> points,
                                   const RunOptions& run) {
  density::check_formula(kernel);
  check_sizes(centers, points);
  engine::check_new_points(kernel, centers, 0);
  engine::check_new_points(kernel, points, 0);
  check_memory(centers, points.rows(), run);
  const auto unit = density::unit_weights(weights, centers.rows(), "centers");
  const KernelPoints<double> packed(kernel, centers, engine::distance_shift(kernel, centers));
  std::vector<double> densities(points.rows());
  engine::Workers workers(run);
  workers.begin_phase("density");
  workers.for_each((points.rows() + kChunkRows - 1) / kChunkRows, [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunkRows;
    const std::size_t rows = std::min(kChunkRows, points.rows() - begin);
    evaluate(kernel, packed, unit, points.rows_from(begin, rows),
             std::span(densities).subspan(begin, rows), workers);
  });
  if (!std::ranges::all_of(densities, [](double value) { return std::isfinite(value); })) {
    throw NumericalError(
        fmt::format("sums of {} kernel values overflow: scale the data or the kernel's parameters",
                    kernel_name(kernel)));
  }
  return densities;
}

std::vector<double> kernel_density(const WeightedSet& set, const Kernel& kernel,
                                   MatrixView<const double> points, const RunOptions& run) {
  return kernel_density(kernel, set.centers, set.weights, points, run);
}

}  // namespace mercer
