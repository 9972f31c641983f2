// sparse_distance_faces IMAGES LABELS MOST_LANDMARKS [PEOPLE]
//
// The experiments of S. Epstein, M. Betke, "The kernel semi-least squares method for sparse
// distance approximation": faces of one person after another, turned into bits at the mean of the
// person's pixels. Each picture is left out in turn; its Hamming distances to the others are
// estimated from m of them, and compared with the true ones by the closeness 1 - mean |estimate -
// truth| / truth (distances of 0 are passed over). Prints, for every way and m, the mean over
// people and their standard deviation, as CSV.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/mercer.h>

namespace {

using mercer::Matrix;

struct Way {
  const char* name;
  mercer::SubsetSelection selection;
  mercer::DistanceMap map = mercer::DistanceMap::regression;
};

const std::vector<Way> kWays = {
    {"regression, greedy", mercer::SubsetSelection::greedy},
    {"regression, swap", mercer::SubsetSelection::swap},
    {"regression, uniform", mercer::SubsetSelection::uniform},
    {"orthogonal, greedy", mercer::SubsetSelection::greedy, mercer::DistanceMap::orthogonal},
    {"affine, greedy", mercer::SubsetSelection::greedy, mercer::DistanceMap::affine}};

/// Scores by way and number of landmarks, one for each person.
using Scores = std::map<std::pair<std::string, std::size_t>, std::vector<double>>;

double difference(std::span<const double> estimates, std::span<const double> truth) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == 0) continue;
    sum += std::abs(std::max(estimates[i], 0.0) - truth[i]) / truth[i];
    ++count;
  }
  return sum / static_cast<double>(count);
}

Matrix<double> bits_of_person(const Matrix<double>& images, const std::vector<std::size_t>& rows) {
  double mean = 0;
  for (const std::size_t row : rows) {
    for (const double value : images.row(row)) mean += value;
  }
  mean /= static_cast<double>(rows.size() * images.cols());
  Matrix<double> bits(rows.size(), images.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < images.cols(); ++j) bits(i, j) = images(rows[i], j) > mean ? 1 : 0;
  }
  return bits;
}

void add_person(const Matrix<double>& bits, std::size_t most, Scores& scores) {
  const std::size_t n = bits.rows();
  std::map<std::pair<std::string, std::size_t>, double> closeness;
  for (std::size_t left_out = 0; left_out < n; ++left_out) {
    Matrix<double> others(n - 1, bits.cols());
    for (std::size_t i = 0; i + 1 < n; ++i) {
      std::ranges::copy(bits.row(i < left_out ? i : i + 1), others.row(i).begin());
    }
    const auto query = bits.view().rows_from(left_out, 1);
    const auto truth = squared_distances(mercer::HammingDistance{}, query, others);
    const auto among = squared_distances(mercer::HammingDistance{}, others, others);
    const auto score = [&](const std::string& name, std::size_t m, std::span<const double> found) {
      closeness[{name, m}] += (1 - difference(found, truth.row(0))) / static_cast<double>(n);
    };
    for (std::size_t m = 1; m <= most; ++m) {
      for (const Way& way : kWays) {
        const auto fit = mercer::fit_sparse_distance(
            mercer::HammingDistance{}, others,
            {.landmarks = m, .selection = way.selection, .map = way.map},
            {.threads = 1, .seed = left_out});
        score(way.name, m, fit.model.estimate(query, {.threads = 1}).squared.row(0));
        if (std::string(way.name) != "regression, greedy") continue;
        const auto landmarks = fit.model.landmarks();
        const auto base_point =
            mercer::fit_sparse_distance(mercer::HammingDistance{}, others,
                                        {.landmark_items = {landmarks.begin(), landmarks.end()},
                                         .origin = mercer::DistanceOrigin::base_point},
                                        {.threads = 1});
        score("regression, greedy, base point", m,
              base_point.model.estimate(query, {.threads = 1}).squared.row(0));
        for (const bool printed : {true, false}) {
          const auto estimates = mercer::nystrom_estimates(
              among, fit.model.landmarks(), truth, static_cast<double>(bits.cols()) / 8,
              printed ? mercer::NystromInverse::printed : mercer::NystromInverse::pseudo_inverse,
              {.threads = 1});
          score(printed ? "Nystroem as printed" : "Nystroem, pseudo-inverse", m, estimates.row(0));
        }
      }
    }
  }
  for (const auto& [key, value] : closeness) scores[key].push_back(value);
}

void run(const std::string& images_file, const std::string& labels_file, std::size_t most,
         std::size_t people) {
  const Matrix<double> images = mercer::read_table(images_file).points;
  const mercer::Labels labels = mercer::read_labels(labels_file);
  Scores scores;
  for (std::size_t person = 0; person < std::min(people, labels.names.size()); ++person) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < labels.code.size(); ++i) {
      if (labels.code[i] == person) rows.push_back(i);
    }
    add_person(bits_of_person(images, rows), most, scores);
    fmt::print(stderr, "person {} of {}\r", person + 1, std::min(people, labels.names.size()));
  }
  fmt::print("way,landmarks,closeness,deviation\n");
  for (const auto& [key, values] : scores) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    double variance = 0;
    for (const double value : values) {
      variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
    }
    fmt::print("\"{}\",{},{:.4f},{:.4f}\n", key.first, key.second, mean, std::sqrt(variance));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: sparse_distance_faces IMAGES LABELS MOST_LANDMARKS [PEOPLE]\n");
    return 2;
  }
  try {
    run(argv[1], argv[2], std::stoul(argv[3]), argc > 4 ? std::stoul(argv[4]) : 1000);
  } catch (const std::exception& e) {
    fmt::print(stderr, "sparse_distance_faces: {}\n", e.what());
    return 1;
  }
  return 0;
}
