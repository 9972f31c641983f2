// Kernel values: the machine's limits, the Gaussian tile against them, and every kernel.

#include <cmath>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/kernel.h>

#include "bench/micro/best_time.h"
#include "bench/micro/random_points.h"
#include "engine/kernel_points.h"

namespace mercer::bench {
namespace {

constexpr double kPairs = static_cast<double>(engine::kBlock * engine::kBlock);

/// Time of one block, from runs of about a millisecond.
template <class T>
double block_time(benchmark::State& state, MachineBound<T>& bound, const Kernel& kernel,
                  MatrixView<const double> points) {
  const engine::KernelPoints<T> packed(kernel, points, engine::distance_shift(kernel, points));
  std::vector<T> values(engine::kBlock * engine::kBlock);
  const std::size_t repeats = 1 + 400 / points.cols();
  return best_time(state, bound,
                   [&] {
                     for (std::size_t r = 0; r < repeats; ++r) {
                       packed.block(0, packed, 0, values.data());
                       benchmark::ClobberMemory();
                     }
                   }) /
         static_cast<double>(repeats);
}

template <class T>
void machine_limits(benchmark::State& state) {
  MachineBound<T> bound;
  best_time(state, bound, [&] { bound.measure(); });
  state.counters["gflops"] = bound.flops_per_second() * 1e-9;
  state.counters["gexps"] = bound.exps_per_second() * 1e-9;
}

template <class T>
void gaussian_tile(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto points = normal_points(engine::kBlock, d);
  MachineBound<T> bound;
  const double seconds = block_time(state, bound, Gaussian{.gamma = typical_gamma(d)}, points);
  state.counters["gpairs"] = kPairs / seconds * 1e-9;
  state.counters["share_of_bound"] =
      bound.seconds(2 * static_cast<double>(d) * kPairs, kPairs) / seconds;
}

template <class T>
void kernel_tile(benchmark::State& state, const std::string& name) {
  auto points = normal_points(engine::kBlock, 16);
  // Chi-squared kernels take histograms.
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = std::abs(points.data()[i]);
  const Kernel kernel = resolve_bandwidth(make_kernel(name, {}), points).kernel;
  MachineBound<T> bound;
  state.counters["gpairs"] = kPairs / block_time(state, bound, kernel, points) * 1e-9;
}

template <class T>
void add_kernel_tiles(const std::string& type) {
  for (const std::string& name : kernel_names()) {
    const Kernel kernel = make_kernel(name, {});
    if (std::holds_alternative<Precomputed>(kernel) || std::holds_alternative<Custom>(kernel)) {
      continue;  // no arithmetic of ours
    }
    benchmark::RegisterBenchmark(fmt::format("kernel_tile<{}>/{}", type, name).c_str(),
                                 kernel_tile<T>, name)
        ->UseManualTime();
  }
}

BENCHMARK(machine_limits<double>)->UseManualTime();
BENCHMARK(machine_limits<float>)->UseManualTime();
BENCHMARK(gaussian_tile<double>)->Arg(8)->Arg(16)->Arg(64)->Arg(256)->Arg(784)->UseManualTime();
BENCHMARK(gaussian_tile<float>)->Arg(8)->Arg(16)->Arg(64)->Arg(256)->Arg(784)->UseManualTime();
[[maybe_unused]] const bool kKernelTilesAdded = [] {
  add_kernel_tiles<double>("double");
  add_kernel_tiles<float>("float");
  return true;
}();

}  // namespace
}  // namespace mercer::bench
