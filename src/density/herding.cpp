#include "density/herding.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "density/kernel_sums.h"
#include "density/unit_weights.h"
#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tile.h"

namespace mercer::density {

namespace {

using engine::kBlock;
using engine::KernelPoints;

/// Row blocks of one task when a column of kernel values is added: a few microseconds of work.
constexpr std::size_t kBlocksPerTask = 16;

/// Two scores nearer than this part of their terms are equal. Herding's guarantees allow any such
/// choice (an argmax up to a constant), and rounding stays well below it.
constexpr double kTie = 1e-12;

/// mu, in pieces for the sake of progress. Half of the values would do, since K is symmetric, but
/// then the sums of equal rows would be taken in different orders and their ties be lost.
std::vector<double> feature_mean(const Kernel& kernel, MatrixView<const double> points,
                                 std::span<const double> weights, double part_of_phase,
                                 engine::Workers& workers) {
  constexpr std::size_t kPieceRows = KernelSums::kChunkRows * KernelSums::kChunksAtOnce;
  const std::size_t n = points.rows();
  const auto unit = unit_weights(weights, n, "rows");
  const auto progress = [&](std::size_t row) {
    return part_of_phase * static_cast<double>(row) / static_cast<double>(n);
  };
  KernelSums sums(kernel, points, 1);
  for (std::size_t begin = 0; begin < n; begin += kPieceRows) {
    const std::size_t rows = std::min(kPieceRows, n - begin);
    workers.phase_range(progress(begin), progress(begin + rows));
    sums.add(points.rows_from(begin, rows), std::span(unit).subspan(begin, rows), workers);
  }
  auto mean = sums.sums();
  if (!std::ranges::all_of(mean, [](double value) { return std::isfinite(value); })) {
    throw NumericalError(
        fmt::format("sums of {} kernel values overflow: scale the data or the kernel's parameters",
                    kernel_name(kernel)));
  }
  return mean;
}

/// Sums of the kernel values of every row with the rows picked so far.
class PickSums {
 public:
  PickSums(const Kernel& kernel, MatrixView<const double> points)
      : kernel_(kernel),
        points_(points),
        packed_(kernel, points, engine::distance_shift(kernel, points)),
        sums_(points.rows(), 0.0) {}

  double operator[](std::size_t row) const { return sums_[row]; }

  void add(std::size_t pick, engine::Workers& workers) {
    const KernelPoints<double> picked(kernel_, points_.rows_from(pick, 1), packed_.shift());
    const std::size_t tasks = (packed_.blocks() + kBlocksPerTask - 1) / kBlocksPerTask;
    workers.for_each(tasks, [&](std::size_t task) {
      std::vector<double> values(kBlock * engine::kProductColumns);
      const std::size_t end = std::min((task + 1) * kBlocksPerTask, packed_.blocks());
      for (std::size_t block = task * kBlocksPerTask; block < end; ++block) {
        add_block(block, picked, values);
      }
    });
  }

 private:
  void add_block(std::size_t block, const KernelPoints<double>& picked, std::span<double> values) {
    const std::size_t width = engine::panel_width<double>();
    packed_.block(block, picked, 0, values.data(), engine::kProductColumns);
    for (std::size_t i = 0; i < packed_.block_size(block); ++i) {
      sums_[block * kBlock + i] += values[i / width * engine::kProductColumns * width + i % width];
    }
  }

  const Kernel& kernel_;
  MatrixView<const double> points_;
  KernelPoints<double> packed_;
  std::vector<double> sums_;
};

std::size_t next_pick(std::span<const double> mean, const PickSums& sums, std::size_t picked) {
  const double share = 1 / static_cast<double>(picked + 1);
  const auto score = [&](std::size_t row) { return mean[row] - share * sums[row]; };
  std::size_t best = 0;
  for (std::size_t row = 1; row < mean.size(); ++row) {
    if (score(row) > score(best)) best = row;
  }
  const double terms = std::abs(mean[best]) + std::abs(share * sums[best]);
  const double enough = score(best) - kTie * terms;
  std::size_t first = 0;
  while (first < best && !(score(first) >= enough)) ++first;
  return first;
}

}  // namespace

Herd herd(const Kernel& kernel, MatrixView<const double> points, std::span<const double> weights,
          std::size_t m, engine::Workers& workers) {
  if (points.empty()) {
    throw DataError(fmt::format("there are no points to pick from: the table is {} x {}",
                                points.rows(), points.cols()));
  }
  const std::uint64_t n = points.rows();
  const auto columns = static_cast<double>(n + m);
  const auto mean =
      feature_mean(kernel, points, weights, static_cast<double>(n) / columns, workers);
  Herd herd{.picks = {}, .kernel_evaluations = n * n};
  PickSums sums(kernel, points);
  while (herd.picks.size() < m) {
    herd.picks.push_back(next_pick(mean, sums, herd.picks.size()));
    const double done = static_cast<double>(n + herd.picks.size()) / columns;
    workers.phase_range(done, done);
    sums.add(herd.picks.back(), workers);
    herd.kernel_evaluations += n;
  }
  return herd;
}

}  // namespace mercer::density
