// Scores of new points.

#include <benchmark/benchmark.h>

#include <mercer/exact.h>
#include <mercer/model.h>
#include <mercer/run.h>

#include "bench/micro/best_time.h"
#include "bench/micro/random_points.h"

namespace mercer::bench {
namespace {

template <class T>
Matrix<T> rounded(MatrixView<const double> points) {
  auto result = Matrix<T>::uninitialized(points.rows(), points.cols());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.data()[i] = static_cast<T>(points.data()[i]);
  }
  return result;
}

template <class T>
void transform(benchmark::State& state) {
  constexpr std::size_t kDepth = 16;
  constexpr std::size_t kComponents = 10;
  constexpr std::size_t kLibrary = 2000;
  constexpr std::size_t kNewPoints = 2000;
  const RunOptions one_thread{.threads = 1};
  const auto points = normal_points(kLibrary + kNewPoints, kDepth);
  const auto fit =
      fit_exact(points.view().rows_from(0, kLibrary), Gaussian{.gamma = typical_gamma(kDepth)},
                {.components = kComponents}, one_thread);
  const auto fresh = rounded<T>(points.view().rows_from(kLibrary, kNewPoints));
  MachineBound<T> bound;
  const double seconds = best_time(
      state, bound, [&] { benchmark::DoNotOptimize(fit.model.transform(fresh, one_thread)); });
  constexpr double kPairs = static_cast<double>(kLibrary) * kNewPoints;
  state.counters["gpairs"] = kPairs / seconds * 1e-9;
  state.counters["share_of_bound"] =
      bound.seconds(2 * (kDepth + kComponents) * kPairs, kPairs) / seconds;
}

BENCHMARK(transform<double>)->UseManualTime();
BENCHMARK(transform<float>)->UseManualTime();

}  // namespace
}  // namespace mercer::bench
