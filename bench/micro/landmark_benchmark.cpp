// The two things that a landmark fit spends its time on: the pass over the rows (kernel values with
// the landmarks, products of these with each other) and the partial Cholesky factor that landmarks
// are chosen by.

#include <vector>

#include <benchmark/benchmark.h>

#include <mercer/kernel.h>
#include <mercer/run.h>

#include "bench/micro/best_time.h"
#include "bench/micro/random_points.h"
#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random.h"
#include "engine/random_pivots.h"
#include "engine/statistics.h"

namespace mercer::bench {
namespace {

constexpr std::size_t kDepth = 16;

/// n m kernel values and the lower triangle of n products m x m.
template <class T>
double least_seconds(const MachineBound<T>& bound, std::size_t n, std::size_t m) {
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  return bound.seconds(pairs * (2 * kDepth + static_cast<double>(m)), pairs);
}

template <class T>
void landmark_pass(benchmark::State& state) {
  using Pass = engine::MomentsPass<T, T>;
  using engine::kBlock;
  constexpr std::size_t kRows = 5 * Pass::kChunkRows;
  const auto m = static_cast<std::size_t>(state.range(0));
  const Kernel kernel = Gaussian{.gamma = typical_gamma(kDepth)};
  const auto points = normal_points(kRows, kDepth);
  const auto landmarks = points.view().rows_from(0, m);
  const auto shift = engine::distance_shift(kernel, landmarks);
  const engine::KernelPoints<T> library(kernel, landmarks, shift);
  engine::Workers workers(RunOptions{.threads = 1});
  // About 0.37, the mean of the kernel values, as a fit would find it among the landmarks.
  engine::Moments moments(std::vector<double>(m, 0.37));
  Pass pass(moments);
  MachineBound<T> bound;
  const double seconds = best_time(state, bound, [&] {
    for (std::size_t first = 0; first < kRows; first += Pass::kChunkRows) {
      const auto chunk = points.view().rows_from(first, Pass::kChunkRows);
      pass.add(
          chunk.rows(), {},
          [&](std::size_t block, T* panels, std::size_t panel_rows) {
            const engine::KernelPoints<T> queries(kernel, chunk.rows_from(block * kBlock, kBlock),
                                                  shift);
            for (std::size_t part = 0; part < library.blocks(); ++part) {
              library.block(part, queries, 0, panels + part * kBlock * panel_rows, panel_rows);
            }
          },
          workers);
    }
  });
  state.counters["mrows"] = kRows / seconds * 1e-6;
  state.counters["share_of_bound"] = least_seconds(bound, kRows, m) / seconds;
}

/// The bound leaves out rejected proposals: they are the price of drawing many at a time.
void randomly_pivoted_cholesky(benchmark::State& state) {
  constexpr std::size_t kRows = 20'000;
  const auto m = static_cast<std::size_t>(state.range(0));
  const Kernel kernel = Gaussian{.gamma = typical_gamma(kDepth)};
  const auto points = normal_points(kRows, kDepth);
  engine::Workers workers(RunOptions{.threads = 1});
  MachineBound<double> bound;
  const double seconds = best_time(state, bound, [&] {
    engine::PartialCholesky factor(kernel, points, m, workers);
    engine::RandomPivots pivots(factor, {}, engine::RandomStream(20260101));
    pivots.grow(m);
    benchmark::DoNotOptimize(factor.residuals().data());
  });
  state.counters["share_of_bound"] = least_seconds(bound, kRows, m) / seconds;
}

BENCHMARK(landmark_pass<double>)->Arg(500)->Arg(1000)->UseManualTime();
BENCHMARK(landmark_pass<float>)->Arg(500)->Arg(1000)->UseManualTime();
BENCHMARK(randomly_pivoted_cholesky)->Arg(500)->UseManualTime();

}  // namespace
}  // namespace mercer::bench
