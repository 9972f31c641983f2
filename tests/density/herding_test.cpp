#include "density/herding.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::density {
namespace {

using engine::RandomStream;
using engine::Workers;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::uniform_matrix;
using Picks = std::vector<std::size_t>;

Picks herd_picks(const Kernel& kernel, MatrixView<const double> points,
                 const std::vector<double>& weights, std::size_t m, std::size_t threads = 2) {
  Workers workers(RunOptions{.threads = threads});
  return herd(kernel, points, weights, m, workers).picks;
}

/// The dynamical system of the paper: u <- u + mu - k(., pick).
Picks herd_by_loop(const Kernel& kernel, MatrixView<const double> points,
                   std::vector<double> weights, std::size_t m) {
  const std::size_t n = points.rows();
  if (weights.empty()) weights.assign(n, 1.0);
  double total = 0;
  for (const double weight : weights) total += weight;
  const auto gram = engine::reference::kernel_matrix(kernel, points, points);
  std::vector<double> mu(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < n; ++l) mu[i] += weights[l] / total * gram(i, l);
  }
  auto u = mu;
  Picks picks;
  while (picks.size() < m) {
    picks.push_back(static_cast<std::size_t>(std::max_element(u.begin(), u.end()) - u.begin()));
    for (std::size_t i = 0; i < n; ++i) u[i] += mu[i] - gram(i, picks.back());
  }
  return picks;
}

Matrix<double> rows_of(MatrixView<const double> points, const Picks& rows) {
  Matrix<double> chosen(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(points.row(rows[i]), chosen.row(i).begin());
  }
  return chosen;
}

double discrepancy(const Kernel& kernel, MatrixView<const double> points, const Picks& picks) {
  return std::sqrt(mmd_squared(kernel, points, {}, rows_of(points, picks), {}));
}

struct Recorded {
  Kernel kernel;
  Picks first;
  double discrepancy_of_20;
};

/// 300 uniform points of the unit square, by an independent prototype.
std::vector<Recorded> recorded() {
  return {{Gaussian{4.0}, {6, 215, 129, 143, 149, 54, 144, 271, 74, 147}, 0.03290659002},
          {Gaussian{2.0}, {6, 93, 111, 293, 175, 11, 248, 180, 58, 31}, 0.02634783188},
          {Laplacian{2.0}, {6, 299, 155, 15, 271, 126, 65, 53, 35, 20}, 0.083692973}};
}

TEST(Herding, PicksTheRecordedRows) {
  const auto points = uniform_matrix(300, 2, 42);
  for (const auto& [kernel, first, discrepancy_of_20] : recorded()) {
    const auto picks = herd_picks(kernel, points, {}, 20);
    EXPECT_EQ(Picks(picks.begin(), picks.begin() + 10), first) << kernel_name(kernel);
    EXPECT_NEAR(discrepancy(kernel, points, picks), discrepancy_of_20, 1e-8) << kernel_name(kernel);
    EXPECT_EQ(herd_picks(kernel, points, {}, 10), first) << "prefixes of one sequence";
  }
}

TEST(Herding, EqualsTheDynamicalSystem) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::size_t n = 20 + 37 * seed;
    const std::size_t d = 1 + seed % 5;
    const auto points = normal_matrix(n, d, seed, 1, 10);
    std::vector<double> weights(seed % 2 == 0 ? 0 : n);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = 0.1 + RandomStream(seed).uniform(i);
    }
    EXPECT_EQ(herd_picks(Matern32{1.3}, points, weights, 60),
              herd_by_loop(Matern32{1.3}, points, weights, 60))
        << "seed " << seed;
  }
}

TEST(Herding, TakesKernelsThatAreNotRadial) {
  const auto points = normal_matrix(120, 3, 5);
  const Polynomial polynomial{.gamma = 0.2, .degree = 2, .coef0 = 0.5};
  EXPECT_EQ(herd_picks(polynomial, points, {}, 30), herd_by_loop(polynomial, points, {}, 30));
  const Custom custom{.function = [](std::span<const double> x, std::span<const double> y) {
    return std::exp(-std::abs(x[0] - y[0])) + std::exp(-std::abs(x[1] - y[1]));
  }};
  EXPECT_EQ(herd_picks(custom, points, {}, 30), herd_by_loop(custom, points, {}, 30));
}

TEST(Herding, BeatsRandomSubsetsByFar) {
  const auto points = normal_matrix(80, 2, 1);
  const Gaussian kernel{0.5};
  double random = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    random += discrepancy(kernel, points,
                          engine::sample_without_replacement(80, 25, RandomStream(seed))) /
              50;
  }
  EXPECT_LT(discrepancy(kernel, points, herd_picks(kernel, points, {}, 25)), 0.5 * random);
}

TEST(Herding, MayPickMoreOftenThanThereAreRows) {
  const auto points = normal_matrix(15, 2, 2);
  const Gaussian kernel{1.0};
  const auto picks = herd_picks(kernel, points, {}, 300);
  ASSERT_EQ(picks.size(), 300U);
  // The discrepancy falls like 1 / m, that of random draws like 1 / sqrt(m).
  EXPECT_LT(discrepancy(kernel, points, picks), 0.01);
  EXPECT_EQ(picks, herd_by_loop(kernel, points, {}, 300));
}

TEST(Herding, TakesTheFirstOfEqualRows) {
  EXPECT_EQ(herd_picks(Gaussian{1.0}, normal_matrix(1, 3, 1), {}, 4), (Picks{0, 0, 0, 0}));
  EXPECT_TRUE(herd_picks(Gaussian{1.0}, normal_matrix(5, 3, 1), {}, 0).empty());
  Matrix<double> constant(700, 2);
  std::fill_n(constant.data(), constant.size(), 0.1);
  EXPECT_EQ(herd_picks(Gaussian{3.0}, constant, {}, 5), Picks(5, 0));
  const auto once = normal_matrix(200, 6, 3, 1, 1000);
  Matrix<double> twice(400, 6);
  for (std::size_t i = 0; i < 400; ++i) std::ranges::copy(once.row(i % 200), twice.row(i).begin());
  EXPECT_EQ(herd_picks(Gaussian{0.1}, twice, {}, 100), herd_picks(Gaussian{0.1}, once, {}, 100));
}

TEST(Herding, TakesTheFirstOfRowsThatSymmetryMakesEqual) {
  // Corners of a square and its centre, then far copies: exact ties whose sums round differently.
  Matrix<double> points(4 * 41, 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double radius = 0.1 * static_cast<double>(1 + i / 4);
    points(i, 0) = i % 4 < 2 ? radius : -radius;
    points(i, 1) = i % 2 == 0 ? radius : -radius;
  }
  const auto picks = herd_picks(Laplacian{0.9}, points, {}, 1);
  EXPECT_EQ(picks[0] % 4, 0U) << picks[0];
}

TEST(Herding, WeightsAreRepetitions) {
  const auto points = normal_matrix(90, 2, 4);
  std::vector<double> weights(90);
  for (std::size_t i = 0; i < 90; ++i) weights[i] = static_cast<double>(1 + i % 4);
  const auto repeated = repeat_rows(points, weights);
  const auto of_weights = herd_picks(Gaussian{0.7}, points, weights, 40);
  const auto of_copies = herd_picks(Gaussian{0.7}, repeated, {}, 40);
  EXPECT_TRUE(testing::same_bits(rows_of(points, of_weights), rows_of(repeated, of_copies)));
  EXPECT_NE(of_weights, herd_picks(Gaussian{0.7}, points, {}, 40));
  for (double& weight : weights) weight *= 0x1p1021;
  EXPECT_EQ(herd_picks(Gaussian{0.7}, points, weights, 40), of_weights)
      << "sums of weights overflow";
}

TEST(Herding, UnitsOfTheDataMakeNoDifference) {
  const auto points = normal_matrix(150, 3, 6);
  const auto expected = herd_picks(Matern52{0.8}, points, {}, 50);
  for (const int exponent : {500, -500}) {
    auto scaled = points;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled.data()[i] = std::ldexp(points.data()[i], exponent);
    }
    EXPECT_EQ(herd_picks(Matern52{std::ldexp(0.8, exponent)}, scaled, {}, 50), expected)
        << exponent;
  }
}

TEST(Herding, CountsKernelValuesAndDoesNotDependOnThreads) {
  const auto points = normal_matrix(5000, 4, 7);
  Workers one(RunOptions{.threads = 1});
  const auto alone = herd(Gaussian{0.4}, points, {}, 50, one);
  EXPECT_EQ(alone.kernel_evaluations, 5000U * 5050U);
  EXPECT_EQ(herd_picks(Gaussian{0.4}, points, {}, 50, 3), alone.picks);
}

TEST(Herding, ProgressNeverFalls) {
  const auto points = normal_matrix(16000, 1, 7);
  double last = 0;
  bool rising = true;
  Workers workers(RunOptions{.threads = 2, .progress = [&](const Progress& progress) {
                               rising = rising && progress.fraction >= last;
                               last = progress.fraction;
                             }});
  workers.begin_phase("herding");
  herd(Gaussian{1.0}, points, {}, 20, workers);
  EXPECT_TRUE(rising);
  EXPECT_GT(last, 0.9);
  EXPECT_LE(last, 1);
}

TEST(Herding, RefusesWhatItCannotHerd) {
  const auto points = normal_matrix(10, 2, 1);
  EXPECT_THROW(herd_picks(Gaussian{}, points, {}, 3), InvalidArgument);
  EXPECT_THROW(herd_picks(Precomputed{}, points, {}, 3), InvalidArgument);
  EXPECT_THROW(herd_picks(Gaussian{1.0}, points, std::vector<double>(9, 1.0), 3), InvalidArgument);
  EXPECT_THROW(herd_picks(Gaussian{1.0}, points, std::vector<double>(10, 0.0), 3), InvalidArgument);
  EXPECT_THROW(herd_picks(Gaussian{1.0}, Matrix<double>(0, 2), {}, 3), DataError);
  const Polynomial huge{.gamma = 1e300, .degree = 3, .coef0 = 1};
  EXPECT_THROW(herd_picks(huge, points, {}, 3), NumericalError);
}

}  // namespace
}  // namespace mercer::density
