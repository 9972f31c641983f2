#include "distance/subset_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "distance/distance_origin.h"
#include "distance/enumerated_subset.h"
#include "distance/golden_bits.h"
#include "distance/gram_powers.h"
#include "distance/greedy_subset.h"
#include "distance/swap_subset.h"
#include "engine/kernel_matrix.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer::distance {
namespace {

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Matrix<double> gaussian_gram(std::size_t n, std::size_t d, double sigma, std::uint64_t seed) {
  const auto points = testing::normal_matrix(n, d, seed);
  engine::Workers workers({});
  return engine::kernel_matrix(Gaussian::from_sigma(sigma), points, points, workers);
}

/// |N K|_F^2 or Tr(P K) of a set from an explicit orthonormal basis.
double objective(const Matrix<double>& gram, const std::vector<std::size_t>& rows,
                 SubsetObjective which) {
  const std::size_t n = gram.rows();
  std::vector<std::vector<double>> basis;
  for (const std::size_t row : rows) {
    std::vector<double> u(gram.row(row).begin(), gram.row(row).end());
    const double length = std::sqrt(dot(u, u));
    for (int pass = 0; pass < 3; ++pass) {
      for (const auto& b : basis) {
        const double share = dot(u, b);
        for (std::size_t i = 0; i < n; ++i) u[i] -= share * b[i];
      }
    }
    const double left = std::sqrt(dot(u, u));
    if (left < 1e-11 * length) continue;
    for (double& value : u) value /= left;
    basis.push_back(u);
  }
  double sum = 0;
  for (const auto& b : basis) {
    std::vector<double> image(n);
    for (std::size_t i = 0; i < n; ++i) image[i] = dot(gram.row(i), b);
    sum += which == SubsetObjective::trace ? dot(b, image) : dot(image, image);
  }
  return sum;
}

/// The obvious greedy choice: every candidate is tried in every step.
std::vector<std::size_t> slow_greedy(const Matrix<double>& gram, std::size_t m,
                                     SubsetObjective which) {
  std::vector<std::size_t> rows;
  while (rows.size() < m) {
    std::size_t best = 0;
    double best_value = -INFINITY;
    for (std::size_t j = 0; j < gram.rows(); ++j) {
      if (std::ranges::find(rows, j) != rows.end()) continue;
      auto with = rows;
      with.push_back(j);
      const double value = objective(gram, with, which);
      if (value > best_value * (1 + 1e-12)) {
        best_value = value;
        best = j;
      }
    }
    rows.push_back(best);
  }
  return rows;
}

TEST(GreedySubset, ChoosesAsTryingEveryCandidateDoes) {
  engine::Workers workers({});
  for (const double sigma : {1.0, 2.0}) {
    const auto gram = gaussian_gram(40, 5, sigma, 1);
    for (const auto which : {SubsetObjective::trace, SubsetObjective::frobenius}) {
      GreedySubset subset(gram, all_rows(40), which, 15, workers);
      while (subset.grow()) {
      }
      EXPECT_EQ(subset.rows(), slow_greedy(gram, 15, which));
      double sum = 0;
      for (const double gain : subset.gains()) sum += gain;
      EXPECT_NEAR(sum, objective(gram, subset.rows(), which), 1e-11 * sum);
    }
  }
}

TEST(GreedySubset, MakesItsGainsAnewWhereRoundingHasSpoiledThem) {
  engine::Workers workers({});
  for (const double sigma : {8.0, 20.0}) {
    const auto gram = gaussian_gram(80, 5, sigma, 2);
    GreedySubset subset(gram, all_rows(80), SubsetObjective::trace, 25, workers);
    while (subset.grow()) {
    }
    EXPECT_GT(subset.refreshes(), 0u) << sigma;
    double sum = 0;
    for (const double gain : subset.gains()) {
      EXPECT_GT(gain, 0);
      sum += gain;
    }
    EXPECT_NEAR(sum, objective(gram, subset.rows(), SubsetObjective::trace), 1e-9 * sum);
  }
}

TEST(GreedySubset, StopsWhereNothingIsAddedAndKeepsToCandidates) {
  engine::Workers workers({});
  auto points = testing::normal_matrix(10, 3, 3);
  for (std::size_t i = 5; i < 10; ++i) std::ranges::copy(points.row(i - 5), points.row(i).begin());
  const auto gram = engine::kernel_matrix(Gaussian{.gamma = 1}, points, points, workers);
  GreedySubset subset(gram, all_rows(10), SubsetObjective::trace, 10, workers);
  while (subset.grow()) {
  }
  EXPECT_EQ(subset.rows().size(), 5u);
  const std::vector<std::size_t> candidates{7, 9, 8};
  GreedySubset few(gram, candidates, SubsetObjective::trace, 10, workers);
  while (few.grow()) {
  }
  EXPECT_EQ(std::set(few.rows().begin(), few.rows().end()), (std::set<std::size_t>{7, 8, 9}));
}

TEST(SwapSubset, NoSwapOfItsResultGains) {
  engine::Workers workers({});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto gram = gaussian_gram(30, 3, 1, 10 + seed);
    const auto powers = power_diagonals(gram, workers);
    const std::vector<std::size_t> start{0, 1, 2, 3};
    const auto swapped = swap_subset(gram, powers, all_rows(30), start, workers);
    EXPECT_GT(swapped.swaps, 0u);
    const double value = objective(gram, swapped.rows, SubsetObjective::trace);
    EXPECT_NEAR(value, captured_trace(gram, swapped.rows, workers), 1e-11 * value);
    for (std::size_t out = 0; out < 4; ++out) {
      for (std::size_t in = 0; in < 30; ++in) {
        auto other = swapped.rows;
        other[out] = in;
        EXPECT_LE(objective(gram, other, SubsetObjective::trace), value * (1 + 1e-9));
      }
    }
  }
}

TEST(SwapSubset, ReplacesALandmarkThatDependsOnOthers) {
  engine::Workers workers({});
  auto points = testing::normal_matrix(12, 3, 4);
  std::ranges::copy(points.row(0), points.row(1).begin());
  const auto gram = engine::kernel_matrix(Gaussian{.gamma = 1}, points, points, workers);
  const auto powers = power_diagonals(gram, workers);
  const auto swapped = swap_subset(gram, powers, all_rows(12), {0, 1, 5}, workers);
  EXPECT_FALSE(std::ranges::find(swapped.rows, 0u) != swapped.rows.end() &&
               std::ranges::find(swapped.rows, 1u) != swapped.rows.end());
}

TEST(EnumeratedSubset, FindsTheRecordedValues) {
  const auto golden = golden::Golden::load("sparse_distance/hamming.txt");
  const testing::ItemsAndQuery data{testing::golden_bits()};
  engine::Workers workers({.threads = 3});
  const auto gram = selection_gram(data.squares, 5.0);
  EXPECT_NEAR(enumerate_subsets(gram, all_rows(12), 4, EnumeratedObjective::trace, workers).value,
              golden.number("f_opt"), 1e-9);
  EXPECT_NEAR(enumerate_subsets(gram, all_rows(12), 4, EnumeratedObjective::l1, workers).value,
              golden.number("l1"), 1e-10);
  const auto degenerate = golden::Golden::load("sparse_distance/degenerate.txt");
  const testing::ItemsAndQuery twice{testing::degenerate_bits()};
  EXPECT_NEAR(enumerate_subsets(selection_gram(twice.squares, 3.0), all_rows(9), 4,
                                EnumeratedObjective::l1, workers)
                  .value,
              degenerate.number("l1val"), 1e-10);
}

TEST(EnumeratedSubset, RefusesTooMany) {
  engine::Workers workers({});
  const auto gram = gaussian_gram(60, 2, 1, 5);
  EXPECT_THROW(enumerate_subsets(gram, all_rows(60), 8, EnumeratedObjective::trace, workers),
               InvalidArgument);
}

TEST(EnumeratedSubset, IsNeverWorseThanGreedyAndSwapIsBetween) {
  engine::Workers workers({});
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto gram = gaussian_gram(16, 2, 1, 20 + seed);
    const auto value = [&](SubsetSelection selection) {
      return captured_trace(gram, choose_subset(gram, all_rows(16), 3, selection, 0, workers).rows,
                            workers);
    };
    EXPECT_LE(value(SubsetSelection::greedy), value(SubsetSelection::swap) * (1 + 1e-12));
    EXPECT_LE(value(SubsetSelection::swap), value(SubsetSelection::enumerate) * (1 + 1e-9));
  }
}

TEST(SubsetChoice, EveryRuleGivesDifferentCandidates) {
  const auto gram = gaussian_gram(20, 3, 1, 6);
  const std::vector<std::size_t> candidates{1, 3, 5, 7, 9, 11, 13, 15};
  for (const auto selection :
       {SubsetSelection::greedy, SubsetSelection::greedy_frobenius, SubsetSelection::swap,
        SubsetSelection::enumerate, SubsetSelection::enumerate_l1, SubsetSelection::uniform,
        SubsetSelection::kmeans, SubsetSelection::pivoted_cholesky, SubsetSelection::rpcholesky}) {
    std::vector<std::size_t> first;
    for (const std::size_t threads : {1U, 3U}) {
      engine::Workers workers({.threads = threads});
      const auto rows = choose_subset(gram, candidates, 4, selection, 7, workers).rows;
      EXPECT_EQ(std::set(rows.begin(), rows.end()).size(), 4u);
      for (const std::size_t row : rows) {
        EXPECT_TRUE(std::ranges::find(candidates, row) != candidates.end());
      }
      if (threads == 1) first = rows;
      EXPECT_EQ(rows, first);
    }
  }
}

TEST(SubsetChoice, EqualItemsGiveOneLandmark) {
  engine::Workers workers({});
  const Matrix<double> nothing(4, 4);
  for (const auto selection : {SubsetSelection::greedy, SubsetSelection::swap,
                               SubsetSelection::kmeans, SubsetSelection::rpcholesky}) {
    EXPECT_EQ(choose_subset(nothing, all_rows(4), 3, selection, 0, workers).rows.size(), 1u);
  }
}

}  // namespace
}  // namespace mercer::distance
