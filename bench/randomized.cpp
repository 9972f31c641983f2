// randomized [POINTS | TABLE]
//
// Kernel PCA of randomised kernel matrices beside exact kernel PCA and landmarks: time to train,
// peak memory above what the process has before the fit, and how far the first five components are
// from the exact ones. Points with 64 columns, around 20 centres, and a Gaussian kernel by the
// median heuristic; 20,000 of them unless another number is given, or a table with labels in its
// first column. Every fit runs in a process of its own, because the peak of a process never falls.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <malloc.h>
#include <optional>
#include <random>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include <mercer/mercer.h>

namespace {

constexpr std::size_t kComponents = 5;
constexpr std::size_t kColumns = 64;
constexpr std::size_t kCenters = 20;

mercer::Matrix<double> make_points(std::size_t n) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  mercer::Matrix<double> centers(kCenters, kColumns);
  // Centres shrink one after another, so that the first components stand apart.
  for (std::size_t c = 0; c < kCenters; ++c) {
    const double size = 2 * std::pow(0.85, static_cast<double>(c));
    for (double& value : centers.row(c)) value = size * normal(random);
  }
  mercer::Matrix<double> points(n, kColumns);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = random() % kCenters;
    for (std::size_t j = 0; j < kColumns; ++j) points(i, j) = centers(c, j) + normal(random);
  }
  return points;
}

double resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  long pages = 0;
  long resident = 0;
  const int read = std::fscanf(file, "%ld %ld", &pages, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

struct Way {
  std::string name;
  std::function<mercer::Fit(mercer::MatrixView<const double>, const mercer::Kernel&)> fit;
};

struct Measured {
  double seconds = 0;
  double bytes = 0;
  double kernel_values = 0;
  double error_norm = 0;
};

std::vector<Way> ways() {
  using mercer::ControlVariate;
  using mercer::EntryLevels;
  const auto randomized = [](mercer::RandomizedOptions options) {
    options.components = kComponents;
    return [options](mercer::MatrixView<const double> points, const mercer::Kernel& kernel) {
      return mercer::fit_randomized(points, kernel, options);
    };
  };
  const auto exact = [](mercer::GramStorage storage) {
    return [storage](mercer::MatrixView<const double> points, const mercer::Kernel& kernel) {
      return mercer::fit_exact(points, kernel, {.components = kComponents, .storage = storage});
    };
  };
  const auto landmarks = [](std::size_t count) {
    return [count](mercer::MatrixView<const double> points, const mercer::Kernel& kernel) {
      return mercer::fit_landmarks(points, kernel, {.components = kComponents, .landmarks = count});
    };
  };
  return {
      {"exact, stored", exact(mercer::GramStorage::stored)},
      {"exact, matrix-free", exact(mercer::GramStorage::matrix_free)},
      {"landmarks, 100", landmarks(100)},
      {"landmarks, 1000", landmarks(1000)},
      {"sparsify 10, nystrom", randomized({.sparsify = 10})},
      {"the same, rayleigh", randomized({.sparsify = 10, .rayleigh = true})},
      {"sparsify 10, no control", randomized({.sparsify = 10, .control = ControlVariate::none})},
      {"sparsify 10, orthogonal",
       randomized({.sparsify = 10, .solver = mercer::RandomizedSolver::orthogonal})},
      {"min_max, nystrom", randomized({.quantize = EntryLevels::min_max})},
      {"min_max, no control",
       randomized({.quantize = EntryLevels::min_max, .control = ControlVariate::none})},
      {"sign, no control",
       randomized({.quantize = EntryLevels::sign, .control = ControlVariate::none})}};
}

Measured measure(const Way& way, mercer::MatrixView<const double> points,
                 const mercer::Kernel& kernel, const std::filesystem::path& scores) {
  // Threads, dispatch and the BLAS library have their memory before the fit is measured.
  way.fit(points.rows_from(0, 600), kernel);
  malloc_trim(0);  // what it has freed must not serve the fit for nothing
  const double before = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  const mercer::Fit fit = way.fit(points, kernel);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  Measured result{.seconds = seconds.count(),
                  .bytes = peak_bytes() - before,
                  .kernel_values = static_cast<double>(fit.summary.kernel_evaluations)};
  for (const mercer::Bound& bound : fit.summary.bounds) {
    if (bound.name == "error_norm_predicted") result.error_norm = bound.value;
  }
  mercer::RowWriter writer(scores, kComponents, {});
  writer.write(fit.model.transform(points));
  writer.finish();
  return result;
}

/// In a process of its own, which answers through a pipe.
std::optional<Measured> measure_apart(const Way& way, mercer::MatrixView<const double> points,
                                      const mercer::Kernel& kernel,
                                      const std::filesystem::path& scores) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int status = 1;
    try {
      const Measured result = measure(way, points, kernel, scores);
      if (write(ends[1], &result, sizeof result) == sizeof result) status = 0;
    } catch (const std::exception& e) {
      fmt::print(stderr, "{}: {}\n", way.name, e.what());
    }
    _exit(status);
  }
  close(ends[1]);
  Measured result;
  const bool answered = read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return answered ? std::optional(result) : std::nullopt;
}

mercer::Matrix<double> read_points(const std::string& path) {
  mercer::TableOptions options;
  options.label = mercer::ColumnName::parse("first");
  return mercer::read_table(path, options).points;
}

void run(const mercer::Matrix<double>& points) {
  const std::size_t n = points.rows();
  // Nothing that starts a thread may run here: only the children do the work.
  const mercer::Kernel kernel =
      mercer::resolve_bandwidth(mercer::Gaussian{}, points.view().rows_from(0, 1000)).kernel;
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("mercer_randomized_{}", getpid());
  std::filesystem::create_directory(folder);
  const double dense = 8 * static_cast<double>(n) * static_cast<double>(n);
  fmt::print("{} x {}, {} components; a matrix of doubles has {:.0f} MB\n\n", n, points.cols(),
             kComponents, dense / 1e6);
  fmt::print("{:<26} {:>8} {:>10} {:>10} {:>14} {:>10} {:>10}\n", "", "time, s", "memory, MB",
             "of 8 n^2", "kernel values", "|E|, about", "angle");
  mercer::Matrix<double> exact;  // the first way
  for (const Way& way : ways()) {
    const auto scores = folder / "scores.npy";
    const auto measured = measure_apart(way, points, kernel, scores);
    if (!measured) continue;
    auto found = mercer::read_table(scores).points;
    if (exact.empty()) exact = found;
    const double angle = std::sin(mercer::principal_angles(found, exact).back());
    fmt::print("{:<26} {:>8.2f} {:>10.0f} {:>10} {:>14.3g} {:>10.3g} {:>10.1e}\n", way.name,
               measured->seconds, measured->bytes / 1e6,
               fmt::format("1/{:.1f}", dense / measured->bytes), measured->kernel_values,
               measured->error_norm, angle);
  }
  std::filesystem::remove_all(folder);
  fmt::print(
      "\nangle: sine of the largest one between the scores of all rows and the exact ones\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    fmt::print(stderr, "usage: randomized [POINTS | TABLE]\n");
    return 2;
  }
  try {
    const std::string given = argc > 1 ? argv[1] : "20000";
    const bool is_number = given.find_first_not_of("0123456789") == std::string::npos;
    const auto points = is_number ? make_points(std::stoul(given)) : read_points(given);
    if (points.rows() < 1000) throw mercer::InvalidArgument("there must be at least 1000 points");
    run(points);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
