#pragma once

#include <algorithm>
#include <limits>

#include <benchmark/benchmark.h>

#include "bench/micro/machine_bound.h"

namespace mercer::bench {

/// Runs `work` once per iteration, alternating with measurements of the machine, and returns its
/// shortest time on this thread. Google Benchmark sees the same times (UseManualTime).
template <class T, class Work>
double best_time(benchmark::State& state, MachineBound<T>& bound, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for ([[maybe_unused]] auto iteration : state) {
    bound.measure();
    const double begin = thread_seconds();
    work();
    benchmark::ClobberMemory();
    const double elapsed = thread_seconds() - begin;
    state.SetIterationTime(elapsed);
    best = std::min(best, elapsed);
  }
  return best;
}

}  // namespace mercer::bench
