// feature_analysis [N...]
//
// Kernel feature analysis beside kernel PCA of the same points, a noisy circle as in Jiang, Snapp,
// Motai & Zhu 2006 (radius 8, noise 1, Gaussian kernel with sigma 4, ten features), all of it in
// one run: the dense way that the paper compares with (all eigenvectors of the centred kernel
// matrix, LAPACK's dsyevd), this library's own exact kernel PCA, and SKFA, AKFA and ACKFA with
// delta 0.4. The kernel matrix is part of every time. Without arguments n = 3500.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/mercer.h>

// NOLINTNEXTLINE(readability-identifier-naming): LAPACK's name
extern "C" void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda,
                        double* w, double* work, const int* lwork, int* iwork, const int* liwork,
                        int* info);

namespace {

constexpr std::size_t kFeatures = 10;
constexpr double kGamma = 1.0 / 32;

std::vector<double> centered_gram(mercer::MatrixView<const double> points) {
  const std::size_t n = points.rows();
  std::vector<double> k(n * n);
  std::vector<double> means(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double dx = points(i, 0) - points(j, 0);
      const double dy = points(i, 1) - points(j, 1);
      k[i * n + j] = std::exp(-kGamma * (dx * dx + dy * dy));
      means[i] += k[i * n + j] / static_cast<double>(n);
    }
  }
  double mean = 0;
  for (const double row : means) mean += row / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) k[i * n + j] += mean - means[i] - means[j];
  }
  return k;
}

/// What ten principal components leave of the rows, mean square.
double dense_kernel_pca(mercer::MatrixView<const double> points) {
  std::vector<double> k = centered_gram(points);
  const int n = static_cast<int>(points.rows());
  std::vector<double> values(points.rows());
  std::vector<double> work(1);
  std::vector<int> integers(1);
  for (const bool query : {true, false}) {
    const int work_size = query ? -1 : static_cast<int>(work.size());
    const int integer_size = query ? -1 : static_cast<int>(integers.size());
    int info = 0;
    dsyevd_("V", "L", &n, k.data(), &n, values.data(), work.data(), &work_size, integers.data(),
            &integer_size, &info);
    if (info != 0) throw std::runtime_error(fmt::format("dsyevd failed with {}", info));
    if (query) {
      work.resize(static_cast<std::size_t>(work[0]));
      integers.resize(static_cast<std::size_t>(integers[0]));
    }
  }
  double left = 0;
  for (std::size_t i = 0; i + kFeatures < values.size(); ++i) left += values[i];
  return left / static_cast<double>(n);
}

struct Way {
  std::string name;
  std::size_t rounds;
  std::function<double()> error;  ///< the work, and what it leaves
  double seconds = std::numeric_limits<double>::infinity();
  double left = 0;
};

void measure(std::vector<Way>& ways) {
  constexpr std::size_t kRounds = 15;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (Way& way : ways) {
      if (round >= way.rounds) continue;
      const auto start = std::chrono::steady_clock::now();
      way.left = way.error();
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      way.seconds = std::min(way.seconds, seconds.count());
    }
  }
}

void run(std::size_t n) {
  const auto points = mercer::generate("circle", {.n = n, .d = 2, .noise = 1, .seed = 1}).points;
  const mercer::Kernel kernel = mercer::Gaussian{.gamma = kGamma};
  const auto features = [&](mercer::FeatureAnalysisOptions options) {
    options.features = kFeatures;
    return [&, options] {
      return *mercer::fit_feature_analysis(points, kernel, options).summary.reconstruction_error;
    };
  };
  using mercer::FeatureRule;
  using mercer::GramStorage;
  std::vector<Way> ways{
      {.name = "dense kernel PCA (dsyevd)",
       .rounds = 2,
       .error = [&] { return dense_kernel_pca(points); }},
      {.name = "exact kernel PCA (Krylov)",
       .rounds = 15,
       .error =
           [&] {
             return *mercer::fit_exact(points, kernel, {.components = kFeatures})
                         .summary.reconstruction_error;
           }},
      {.name = "SKFA", .rounds = 15, .error = features({.rule = FeatureRule::skfa})},
      {.name = "AKFA", .rounds = 15, .error = features({})},
      {.name = "AKFA, stored", .rounds = 15, .error = features({.storage = GramStorage::stored})},
      {.name = "ACKFA, delta 0.4",
       .rounds = 15,
       .error = features({.rule = FeatureRule::ackfa, .delta = 0.4})}};
  measure(ways);
  fmt::print("n = {}\n{:<28} {:>10} {:>9} {:>9} {:>9}\n", n, "", "ms", "vs dense", "vs Krylov",
             "error");
  for (const Way& way : ways) {
    fmt::print("{:<28} {:>10.2f} {:>9.1f} {:>9.2f} {:>9.4f}\n", way.name, 1e3 * way.seconds,
               ways[0].seconds / way.seconds, ways[1].seconds / way.seconds, way.left);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto better = mercer::suggested_blas_core();
    fmt::print("BLAS core {}{}, {}\n", mercer::blas_core(),
               better ? fmt::format(" (wrong: set OPENBLAS_CORETYPE={})", *better) : "",
               mercer::simd_name());
    if (argc < 2) run(3500);
    for (int i = 1; i < argc; ++i) run(std::stoul(argv[i]));
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
