// The Gram matrix as an exact fit keeps it (one triangle, in blocks) and its products with a block
// of vectors: what an eigensolver waits for.

#include <benchmark/benchmark.h>

#include <mercer/kernel.h>
#include <mercer/run.h>

#include "bench/micro/best_time.h"
#include "bench/micro/random_points.h"
#include "engine/gram.h"
#include "engine/parallel.h"

namespace mercer::bench {
namespace {

constexpr std::size_t kColumns = 16;
constexpr std::size_t kDepth = 16;

void store_gram(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto points = normal_points(n, kDepth);
  engine::Workers workers(RunOptions{.threads = 1});
  MachineBound<double> bound;
  const double seconds = best_time(state, bound, [&] {
    benchmark::DoNotOptimize(
        engine::make_gram(Gaussian{.gamma = typical_gamma(kDepth)}, points, {}, workers));
  });
  const double pairs = static_cast<double>(n) * static_cast<double>(n + 1) / 2;
  state.counters["gpairs"] = pairs / seconds * 1e-9;
  state.counters["share_of_bound"] = bound.seconds(2 * kDepth * pairs, pairs) / seconds;
}

struct Product {
  double seconds = 0;
  double pairs = 0;  ///< in the triangle that is stored or computed
  double flops = 0;  ///< of the product alone
};

Product product_time(benchmark::State& state, MachineBound<double>& bound, bool stored) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto points = normal_points(n, kDepth);
  const auto v = normal_points(n, kColumns);
  Matrix<double> y(n, kColumns);
  engine::Workers workers(RunOptions{.threads = 1});
  const auto gram = engine::make_gram(Gaussian{.gamma = typical_gamma(kDepth)}, points,
                                      {.stored = stored}, workers);
  const auto size = static_cast<double>(n);
  return {.seconds = best_time(state, bound, [&] { gram->multiply(v, y, workers); }),
          .pairs = size * (size + 1) / 2,
          .flops = 2 * size * size * kColumns};
}

void stored_gram_product(benchmark::State& state) {
  MachineBound<double> bound;
  const Product product = product_time(state, bound, true);
  state.counters["gflops"] = product.flops / product.seconds * 1e-9;
  state.counters["share_of_fma_peak"] = bound.seconds(product.flops, 0) / product.seconds;
  state.counters["gigabytes_read_per_second"] =
      product.pairs * sizeof(double) / product.seconds * 1e-9;
}

void matrix_free_product(benchmark::State& state) {
  MachineBound<double> bound;
  const Product product = product_time(state, bound, false);
  state.counters["gpairs"] = product.pairs / product.seconds * 1e-9;
  state.counters["share_of_bound"] =
      bound.seconds(2 * kDepth * product.pairs + product.flops, product.pairs) / product.seconds;
}

BENCHMARK(store_gram)->Arg(2000)->Arg(5000)->UseManualTime();
BENCHMARK(stored_gram_product)->Arg(2000)->Arg(5000)->Arg(10000)->UseManualTime();
BENCHMARK(matrix_free_product)->Arg(2000)->Arg(5000)->UseManualTime();

}  // namespace
}  // namespace mercer::bench
