// feature_analysis [N...]
//
// Kernel feature analysis beside kernel PCA of the same points, a noisy circle as in Jiang, Snapp,
// Motai & Zhu 2006 (radius 8, noise 1, Gaussian kernel with sigma 4, ten features), all of it in
// one run: the dense way that the paper compares with (all eigenvectors of the centred kernel
// matrix, LAPACK's dsyevd), this library's own exact kernel PCA, and SKFA, AKFA and ACKFA with
// delta 0.4. The kernel matrix is part of every time. Without arguments n = 3500.
//
// LAPACK is as fast as the core that OpenBLAS takes the processor for. Where that is wrong, the
// dense way is measured once more with the right one, which has to be set before a process starts:
//
// feature_analysis --dense N
//
// is that process, and prints seconds and error.

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
  std::string short_name;  ///< of a column of ratios to it; empty: none
  std::size_t rounds = 15;
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

/// With a column of ratios for each way that others are compared with.
void print_table(std::size_t n, const std::vector<Way>& ways) {
  const auto for_each_ratio = [&](const auto& print) {
    for (const Way& other : ways) {
      if (!other.short_name.empty()) print(other);
    }
  };
  fmt::print("{:<40} {:>9} {:>8}", fmt::format("n = {}", n), "ms", "error");
  for_each_ratio([](const Way& other) { fmt::print(" {:>14}", "vs " + other.short_name); });
  fmt::print("\n");
  for (const Way& way : ways) {
    fmt::print("{:<40} {:>9.2f} {:>8.4f}", way.name, 1e3 * way.seconds, way.left);
    for_each_ratio(
        [&](const Way& other) { fmt::print(" {:>14.2f}", other.seconds / way.seconds); });
    fmt::print("\n");
  }
}

mercer::Matrix<double> circle(std::size_t n) {
  return mercer::generate("circle", {.n = n, .d = 2, .noise = 1, .seed = 1}).points;
}

Way dense_way(mercer::MatrixView<const double> points, const std::string& core) {
  return {.name = fmt::format("dense kernel PCA (dsyevd, {})", core),
          .short_name = core,
          .rounds = 2,
          .error = [points] { return dense_kernel_pca(points); }};
}

/// Measured by another process of this program, with another core.
Way dense_way_with_core(const std::string& program, std::size_t n, const std::string& core) {
  Way way = dense_way({}, core);
  const std::string command = fmt::format("OPENBLAS_CORETYPE={} '{}' --dense {}", core, program, n);
  FILE* output = popen(command.c_str(), "r");
  const bool understood =
      output != nullptr && std::fscanf(output, "%lf %lf", &way.seconds, &way.left) == 2;
  if (output == nullptr || pclose(output) != 0 || !understood) {
    throw std::runtime_error(fmt::format("failed: {}", command));
  }
  way.rounds = 0;
  return way;
}

void print_dense(std::size_t n) {
  const auto points = circle(n);
  std::vector<Way> ways{dense_way(points, mercer::blas_core())};
  measure(ways);
  fmt::print("{} {}\n", ways[0].seconds, ways[0].left);
}

void run(const std::string& program, std::size_t n) {
  const auto points = circle(n);
  const mercer::Kernel kernel = mercer::Gaussian{.gamma = kGamma};
  const auto features = [&](mercer::FeatureAnalysisOptions options) {
    options.features = kFeatures;
    return [&, options] {
      return *mercer::fit_feature_analysis(points, kernel, options).summary.reconstruction_error;
    };
  };
  using mercer::FeatureRule;
  using mercer::GramStorage;
  std::vector<Way> ways{dense_way(points, mercer::blas_core())};
  if (const auto core = mercer::suggested_blas_core()) {
    ways.push_back(dense_way_with_core(program, n, *core));
  }
  ways.push_back({.name = "exact kernel PCA (Krylov)", .short_name = "Krylov", .error = [&] {
                    return *mercer::fit_exact(points, kernel, {.components = kFeatures})
                                .summary.reconstruction_error;
                  }});
  const auto add = [&](const char* name, const mercer::FeatureAnalysisOptions& options) {
    ways.push_back({.name = name, .short_name = {}, .error = features(options)});
  };
  add("SKFA", {.rule = FeatureRule::skfa});
  add("AKFA", {});
  add("AKFA, stored", {.storage = GramStorage::stored});
  add("ACKFA, delta 0.4", {.rule = FeatureRule::ackfa, .delta = 0.4});
  measure(ways);
  print_table(n, ways);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "--dense") {
      print_dense(std::stoul(arguments[1]));
      return 0;
    }
    fmt::print("BLAS core {}, {}\n", mercer::blas_core(), mercer::simd_name());
    if (arguments.empty()) run(argv[0], 3500);
    for (const std::string& argument : arguments) run(argv[0], std::stoul(argument));
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
