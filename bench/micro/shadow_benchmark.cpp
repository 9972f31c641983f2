// Shadow covers of a million rows on two threads: by tiles against the bare products of every row
// with every centre, by the grid against KD-trees. Wall time, because of the threads; both sides
// take turns.

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include <mercer/kernel.h>
#include <mercer/run.h>

#include "bench/micro/random_points.h"
#include "density/shadow.h"
#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/random.h"
#ifdef MERCER_BENCH_NANOFLANN
#include "bench/micro/nanoflann_cover.h"
#endif

namespace mercer::bench {
namespace {

using density::Hit;
using density::ShadowCover;

constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kThreads = 2;

/// The shortest of the times of some work.
class Best {
 public:
  template <class Work>
  double time(const Work& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    benchmark::ClobberMemory();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    seconds_ = std::min(seconds_, elapsed.count());
    return elapsed.count();
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = std::numeric_limits<double>::infinity();
};

std::size_t cover_size(MatrixView<const double> points, double radius, std::span<Hit> hits,
                       engine::Workers& workers) {
  ShadowCover cover(points.cols(), radius);
  cover.add(points, 0, hits, workers);
  return cover.size();
}

/// Every row with every one of `columns`, in blocks that are thrown away.
void bare_products(MatrixView<const double> points, MatrixView<const double> columns,
                   engine::Workers& workers) {
  using engine::kBlock;
  constexpr std::size_t kTaskRows = 5 * kBlock;
  const engine::KernelPoints<double> cols(Linear{}, columns, {});
  workers.for_each((points.rows() + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    const std::size_t begin = task * kTaskRows;
    const engine::KernelPoints<double> rows(
        Linear{}, points.rows_from(begin, std::min(kTaskRows, points.rows() - begin)), {});
    std::vector<double> values(kBlock * kBlock);
    for (std::size_t c = 0; c < cols.blocks(); ++c) {
      for (std::size_t r = 0; r < rows.blocks(); ++r) {
        rows.block(r, cols, c, values.data());
        benchmark::DoNotOptimize(values.data());
      }
    }
  });
}

/// Equally frequent small clusters in random order: a row goes to any centre with the same
/// probability, so that the plain loop needs half of all pairs.
Matrix<double> clustered_points(std::size_t clusters, std::size_t cols) {
  constexpr double kApart = 10;
  constexpr double kDeviation = 0.2;
  const auto middles = normal_points(clusters, cols);
  auto points = normal_points(kRows, cols);
  const engine::RandomStream stream(20260101);
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto cluster =
        static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(clusters));
    for (std::size_t j = 0; j < cols; ++j) {
      points(i, j) = kApart * middles(cluster, j) + kDeviation * points(i, j);
    }
  }
  return points;
}

void compare_with_products(benchmark::State& state, MatrixView<const double> points,
                           double radius) {
  std::vector<Hit> hits(kRows);
  engine::Workers workers(RunOptions{.threads = kThreads});
  const std::size_t m = cover_size(points, radius, hits, workers);
  Best cover;
  Best products;
  for ([[maybe_unused]] auto iteration : state) {
    products.time([&] { bare_products(points, points.rows_from(0, m), workers); });
    state.SetIterationTime(cover.time([&] { cover_size(points, radius, hits, workers); }));
  }
  double pairs = 0;
  for (const Hit& hit : hits) pairs += static_cast<double>(hit.centre + 1);
  state.counters["centres"] = static_cast<double>(m);
  state.counters["mrows"] = kRows / cover.seconds() * 1e-6;
  state.counters["pairs_per_row"] = pairs / kRows;
  state.counters["times_of_all_products"] = cover.seconds() / products.seconds();
  state.counters["times_of_needed_products"] =
      cover.seconds() / products.seconds() * (static_cast<double>(m) * kRows) / pairs;
}

void shadow_cover_by_tiles_normal(benchmark::State& state) {
  compare_with_products(state, normal_points(kRows, 16), 4.2);
}

void shadow_cover_by_tiles_clusters(benchmark::State& state) {
  compare_with_products(state, clustered_points(5000, 16), 3);
}

#ifdef MERCER_BENCH_NANOFLANN
bool same_centres(std::span<const Hit> hits, std::span<const std::size_t> centre_of) {
  return std::ranges::equal(hits, centre_of, {}, &Hit::centre);
}
#endif

void shadow_cover_by_grid(benchmark::State& state) {
  const double radius = static_cast<double>(state.range(0)) / 1e4;
  const auto points = normal_points(kRows, 2);
  std::vector<Hit> hits(kRows);
  engine::Workers workers(RunOptions{.threads = static_cast<std::size_t>(state.range(1))});
  std::size_t m = 0;
  Best cover;
  [[maybe_unused]] Best growing;
  [[maybe_unused]] Best of_rows;
  for ([[maybe_unused]] auto iteration : state) {
    state.SetIterationTime(cover.time([&] { m = cover_size(points, radius, hits, workers); }));
#ifdef MERCER_BENCH_NANOFLANN
    std::vector<std::size_t> centre_of;
    growing.time([&] { centre_of = cover_by_growing_tree(points, radius); });
    bool same = same_centres(hits, centre_of);
    of_rows.time([&] { centre_of = cover_by_tree_of_rows(points, radius); });
    same = same && same_centres(hits, centre_of);
    if (!same) {
      state.SkipWithError("nanoflann finds another cover");
      return;
    }
#endif
  }
  state.counters["centres"] = static_cast<double>(m);
  state.counters["mrows"] = kRows / cover.seconds() * 1e-6;
#ifdef MERCER_BENCH_NANOFLANN
  state.counters["faster_than_growing_tree"] = growing.seconds() / cover.seconds();
  state.counters["faster_than_tree_of_rows"] = of_rows.seconds() / cover.seconds();
#else
  state.SetLabel("nanoflann is not installed");
#endif
}

BENCHMARK(shadow_cover_by_tiles_normal)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(shadow_cover_by_tiles_clusters)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(shadow_cover_by_grid)
    ->ArgsProduct({{500, 100}, {1, kThreads}})
    ->UseManualTime()
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace mercer::bench
