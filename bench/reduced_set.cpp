// reduced_set TABLE [TABLE]
//
// Reduced-set kernel PCA beside exact kernel PCA and landmarks of the same number: time to train
// and to evaluate, and how far the components are from the exact ones. The tables (of which the
// rows are put together) have a label in their first column and values in [-1, 1], which are mapped
// to [0, 1]: meant for the USPS digits, with the kernel of Kingravi, Vela & Gray 2013, exp(-r^2 /
// 18^2).

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/mercer.h>

namespace {

constexpr std::size_t kComponents = 15;
constexpr double kEll = 4;

mercer::Matrix<double> read_tables(const std::vector<std::string>& paths) {
  std::vector<mercer::Matrix<double>> parts;
  std::size_t rows = 0;
  for (const std::string& path : paths) {
    mercer::TableOptions options;
    options.label = mercer::ColumnName::parse("first");
    parts.push_back(mercer::read_table(path, options).points);
    rows += parts.back().rows();
  }
  mercer::Matrix<double> points(rows, parts.front().cols());
  double* out = points.data();
  for (const auto& part : parts) out = std::copy_n(part.data(), part.size(), out);
  mercer::fixed_scaling(points.cols(), 1, 0.5).apply(points);
  return points;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return seconds.count();
}

struct Way {
  std::string name;
  std::size_t rounds;
  std::function<mercer::Fit()> fit;
  double train_seconds = std::numeric_limits<double>::infinity();
  double transform_seconds = std::numeric_limits<double>::infinity();
  std::optional<mercer::Fit> result{};
};

void measure(std::vector<Way>& ways, mercer::MatrixView<const double> points) {
  constexpr std::size_t kRounds = 5;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (Way& way : ways) {
      if (round >= way.rounds) continue;
      const double train = seconds_of([&] { way.result = way.fit(); });
      way.result->model.transform(points.rows_from(0, 1));  // packs the library
      const double transform = seconds_of([&] { way.result->model.transform(points); });
      way.train_seconds = std::min(way.train_seconds, train);
      way.transform_seconds = std::min(way.transform_seconds, transform);
    }
  }
}

void print(const std::vector<Way>& ways, mercer::MatrixView<const double> points) {
  const Way& dense = ways[0];
  const Way& krylov = ways[1];
  const auto exact = krylov.result->model.transform(points);
  fmt::print("{:<28} {:>7} {:>9} {:>9} {:>9} {:>10} {:>9} {:>10}\n", "", "points", "train, s",
             "vs dense", "vs krylov", "scores, s", "vs exact", "alignment");
  for (const Way& way : ways) {
    const auto& model = way.result->model;
    const auto alignment = mercer::align_least_squares(exact, model.transform(points));
    fmt::print("{:<28} {:>7} {:>9.3f} {:>9.1f} {:>9.1f} {:>10.3f} {:>9.2f} {:>10.2e}\n", way.name,
               model.library_size(), way.train_seconds, dense.train_seconds / way.train_seconds,
               krylov.train_seconds / way.train_seconds, way.transform_seconds,
               krylov.transform_seconds / way.transform_seconds, alignment.relative_error);
  }
  const auto m = static_cast<double>(ways[2].result->model.library_size());
  fmt::print(
      "\nn / m = {:.2f}; alignment: what no linear map of the scores explains of the exact\n",
      static_cast<double>(points.rows()) / m);
}

void run(const std::vector<std::string>& paths) {
  const mercer::Matrix<double> points = read_tables(paths);
  const mercer::Kernel kernel = mercer::Gaussian{.gamma = 1.0 / 324};
  fmt::print("{} x {}, {} components, ell = {}\n\n", points.rows(), points.cols(), kComponents,
             kEll);
  const auto exact = [&](mercer::EigenSolver solver) {
    return mercer::fit_exact(points, kernel,
                             {.components = kComponents, .center = false, .solver = solver});
  };
  const auto reduced = [&](mercer::CenterWeights weights) {
    mercer::ReducedSetOptions options{.components = kComponents, .center = false};
    options.reduction = {.ell = kEll, .weights = weights};
    return mercer::fit_reduced_set(points, kernel, options);
  };
  const std::size_t m = reduced(mercer::CenterWeights::count).model.library_size();
  const auto landmarks = [&](mercer::Selection selection) {
    return mercer::fit_landmarks(
        points, kernel,
        {.components = kComponents, .center = false, .landmarks = m, .selection = selection});
  };
  using mercer::CenterWeights;
  std::vector<Way> ways{
      {.name = "exact, dense LAPACK",
       .rounds = 1,
       .fit = [&] { return exact(mercer::EigenSolver::dense); }},
      {.name = "exact, Krylov",
       .rounds = 5,
       .fit = [&] { return exact(mercer::EigenSolver::block_krylov); }},
      {.name = "shadow", .rounds = 5, .fit = [&] { return reduced(CenterWeights::count); }},
      {.name = "shadow, nearest",
       .rounds = 3,
       .fit = [&] { return reduced(CenterWeights::nearest); }},
      {.name = "shadow, operator-optimal",
       .rounds = 1,
       .fit = [&] { return reduced(CenterWeights::operator_optimal); }},
      {.name = "landmarks, uniform",
       .rounds = 3,
       .fit = [&] { return landmarks(mercer::Selection::uniform); }},
      {.name = "landmarks", .rounds = 1, .fit = [&] {
         return landmarks(mercer::Selection::rpcholesky);
       }}};
  measure(ways, points);
  print(ways, points);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: reduced_set TABLE [TABLE]\n");
    return 2;
  }
  try {
    run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
  return 0;
}
