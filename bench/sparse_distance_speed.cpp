// sparse_distance_speed
//
// What sparse distances save where one distance is dear: L1 (half a microsecond), chi2 and
// Jensen-Shannon (several) of rows of 4,096 columns, 2,000 items and 256 queries, all measured or
// estimated from 32 landmarks, on one thread. And how long the choice of 64 landmarks among 5,000
// items takes, on all threads.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include <fmt/format.h>

#include <mercer/mercer.h>

namespace {

using mercer::Matrix;

Matrix<double> images(std::size_t n, std::size_t columns, std::uint64_t seed) {
  constexpr std::size_t kFactors = 12;
  std::mt19937_64 common(1);
  std::mt19937_64 own(seed);
  std::uniform_real_distribution<double> uniform;
  Matrix<double> loadings(kFactors, columns);
  for (std::size_t i = 0; i < loadings.size(); ++i) loadings.data()[i] = uniform(common);
  Matrix<double> rows(n, columns);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < kFactors; ++k) {
      const double share = uniform(own) / kFactors;
      for (std::size_t j = 0; j < columns; ++j) rows(i, j) += share * loadings(k, j);
    }
  }
  return rows;
}

template <class Work>
double best_seconds(const Work& work, int repeats) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

void measure_queries(const mercer::Distance& distance) {
  constexpr std::size_t kItems = 2000;
  constexpr std::size_t kQueries = 256;
  constexpr std::size_t kLandmarks = 32;
  const auto items = images(kItems, 4096, 2);
  const auto queries = images(kQueries, 4096, 3);
  const auto fit = mercer::fit_sparse_distance(
      distance, items, {.landmarks = kLandmarks, .selection = mercer::SubsetSelection::uniform});
  const mercer::RunOptions one{.threads = 1};
  const double all = best_seconds([&] { squared_distances(distance, queries, items, one); }, 3);
  fit.model.estimate(queries, one);
  const double sparse = best_seconds([&] { fit.model.estimate(queries, one); }, 20);
  const double ceiling = static_cast<double>(kItems) / kLandmarks;
  fmt::print("{}, p = 4096, n = 2000, m = 32, 256 queries, one thread\n",
             mercer::distance_name(distance));
  fmt::print("  all distances  {:.1f} ms, {:.2f} us a pair\n", 1e3 * all,
             1e6 * all / (kItems * kQueries));
  fmt::print("  estimates      {:.2f} ms: {:.1f} times less, n/m = {:.1f}, {:.2f} of it\n",
             1e3 * sparse, all / sparse, ceiling, all / sparse / ceiling);
}

void measure_selection() {
  const auto items = images(5000, 64, 4);
  for (const auto selection : {mercer::SubsetSelection::greedy, mercer::SubsetSelection::swap}) {
    const auto fit = mercer::fit_sparse_distance(mercer::L1Distance{}, items,
                                                 {.landmarks = 64, .selection = selection});
    fmt::print("{}, n = 5000, m = 64: {:.1f} s (", fit.summary.selection, fit.summary.seconds);
    for (const auto& phase : fit.summary.phases) {
      fmt::print(" {} {:.2f}", phase.name, phase.seconds);
    }
    fmt::print(" )\n");
  }
}

}  // namespace

int main() {
  measure_queries(mercer::L1Distance{});
  measure_queries(mercer::Chi2Distance{});
  measure_queries(mercer::JensenShannonDistance{});
  measure_selection();
}
