// landmark_selection [TABLE]
//
// How much of the trace different choices of landmarks leave: the tables of
// docs/methods/landmarks.md. TABLE is a file whose last column is a label. Without it: 5000 points
// with ten columns, eight Gaussian clusters and two per cent of outliers, made by a fixed seed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/mercer.h>

namespace {

struct Way {
  std::string name;
  mercer::Selection selection;
  mercer::Polish polish = mercer::Polish::none;
};

const std::vector<std::size_t> kCounts = {50, 100, 200, 500};

/// Centres N(0, 9), points N(centre, 0.49), outliers uniform in [-40, 40].
mercer::Matrix<double> clusters_with_outliers() {
  constexpr std::size_t kPoints = 5000;
  constexpr std::size_t kColumns = 10;
  constexpr std::size_t kClusters = 8;
  std::mt19937_64 generator(20260101);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> wide(-40, 40);
  mercer::Matrix<double> centres(kClusters, kColumns);
  for (std::size_t i = 0; i < centres.size(); ++i) centres.data()[i] = 3 * normal(generator);
  mercer::Matrix<double> points(kPoints, kColumns);
  for (std::size_t i = 0; i < kPoints; ++i) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      points(i, j) =
          i % 50 == 0 ? wide(generator) : centres(i % kClusters, j) + 0.7 * normal(generator);
    }
  }
  return points;
}

double mean_residual_fraction(mercer::MatrixView<const double> points, const mercer::Kernel& kernel,
                              const Way& way, std::size_t m) {
  constexpr std::uint64_t kSeeds = 5;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const auto fit = mercer::fit_landmarks(
        points, kernel, {.landmarks = m, .selection = way.selection, .polish = way.polish},
        {.seed = seed});
    sum += *fit.summary.residual_trace_fraction;
  }
  return sum / kSeeds;
}

/// What m directions of feature space leave at least, whatever they are: the tail of the spectrum.
std::vector<double> least_fractions(mercer::MatrixView<const double> points,
                                    const mercer::Kernel& kernel) {
  const auto fit =
      mercer::fit_exact(points, kernel, {.components = kCounts.back(), .center = false});
  std::vector<double> fractions;
  for (const std::size_t m : kCounts) {
    double left = 1;
    for (std::size_t j = 0; j < m; ++j) left -= fit.summary.explained_variance_ratio.at(j);
    fractions.push_back(left);
  }
  return fractions;
}

void print_row(const std::string& name, const std::vector<double>& fractions) {
  std::string line = fmt::format("| {} |", name);
  for (const double fraction : fractions) line += fmt::format(" {:.2g} |", fraction);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void print_table(mercer::MatrixView<const double> points) {
  using mercer::Selection;
  const auto median = mercer::resolve_bandwidth(mercer::Gaussian{}, points);
  const mercer::Kernel kernel = mercer::Gaussian{.gamma = 2 * median.value};  // 1 / median r^2
  const std::vector<Way> ways = {
      {"rpcholesky", Selection::rpcholesky},
      {"rpcholesky, polish lloyd", Selection::rpcholesky, mercer::Polish::lloyd},
      {"uniform", Selection::uniform},
      {"kmeans", Selection::kmeans},
      {"leverage", Selection::leverage},
      {"greedy", Selection::greedy},
      {"farthest", Selection::farthest}};
  fmt::print("{} x {}, gamma {:.4g}\n| m |", points.rows(), points.cols(), 2 * median.value);
  for (const std::size_t m : kCounts) fmt::print(" {} |", m);
  fmt::print("\n");
  for (const Way& way : ways) {
    std::vector<double> fractions;
    for (const std::size_t m : kCounts) {
      fractions.push_back(mean_residual_fraction(points, kernel, way, m));
    }
    print_row(way.name, fractions);
  }
  print_row("least possible", least_fractions(points, kernel));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1) {
      print_table(mercer::read_table(argv[1], {.label = mercer::ColumnName::parse("last")}).points);
    } else {
      print_table(clusters_with_outliers());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "landmark_selection: {}\n", error.what());
    return 1;
  }
}
