#include "engine/randomized_gram.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/every_kernel.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using testing::uniform_matrix;

/// What all controls look like: some columns, mixed.
LowRank some_control(std::size_t n) {
  return {.left = normal_matrix(n, 3, 8, 0.3), .right = {}};
}

LowRank skew_control(std::size_t n) {
  // left right^T = a 1^T + 1 a^T.
  LowRank control{.left = Matrix<double>(n, 2), .right = Matrix<double>(n, 2)};
  for (std::size_t i = 0; i < n; ++i) {
    control.left(i, 0) = control.right(i, 1) = 0.01 * static_cast<double>(i % 7);
    control.left(i, 1) = control.right(i, 0) = 1;
  }
  return control;
}

struct Scheme {
  const char* name;
  EntryRounding rounding;
  bool control = false;
};

/// Levels enclose a Gaussian kernel, with or without the control of `some_control`.
std::vector<Scheme> schemes() {
  return {{"sparsify 5", {.sparsity = 5}},
          {"sign", {.levels = EntryRange{-1, 1}}},
          {"zero_one", {.levels = EntryRange{0, 1}}},
          {"sign, sparsify 3", {.sparsity = 3, .levels = EntryRange{-1, 1}}},
          {"zero_one, sparsify 3", {.sparsity = 3, .levels = EntryRange{0, 1}}},
          {"sparsify 5, control", {.sparsity = 5}, true},
          {"two levels, control", {.levels = EntryRange{-4, 5}}, true}};
}

TEST(RandomizedGram, EveryEntryHasTheKernelAsItsMeanAndThePredictedVariance) {
  constexpr std::size_t kPoints = 40;  // 780 entries
  constexpr int kDraws = 4000;
  Workers workers{{.threads = 1}};
  const auto points = normal_matrix(kPoints, 3, 1);
  const Kernel kernel = Gaussian{0.2};
  const auto exact = reference::kernel_matrix(kernel, points, points);
  for (const Scheme& scheme : schemes()) {
    const LowRank control = scheme.control ? some_control(kPoints) : LowRank{};
    Matrix<double> sum(kPoints, kPoints);
    Matrix<double> squares(kPoints, kPoints);
    for (int draw = 0; draw < kDraws; ++draw) {
      RandomizedGram gram(kernel, points, control, scheme.rounding,
                          RandomStream(static_cast<std::uint64_t>(draw)), workers);
      const auto k = gram.dense(workers);
      for (std::size_t i = 0; i < kPoints; ++i) {
        ASSERT_NEAR(k(i, i), 1, 1e-13) << scheme.name;
        for (std::size_t j = 0; j < i; ++j) {
          ASSERT_NEAR(k(i, j), k(j, i), 1e-13);
          const double error = k(i, j) - exact(i, j);
          sum(i, j) += error;
          squares(i, j) += error * error;
        }
      }
    }
    double largest = 0;
    double measured = 0;
    double predicted = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double known = scheme.control ? control.entry(i, j) : 0;
        const double variance = scheme.rounding.variance(exact(i, j) - known);
        if (variance < 1e-12) continue;
        largest = std::max(largest, std::abs(sum(i, j)) / std::sqrt(variance * kDraws));
        measured += squares(i, j) / kDraws;
        predicted += variance;
      }
    }
    EXPECT_LT(largest, 5) << scheme.name;
    EXPECT_NEAR(measured / predicted, 1, 0.01) << scheme.name;
  }
}

TEST(RandomizedGram, WithoutRoundingItIsTheKernelMatrix) {
  Workers workers{{.threads = 2}};
  const std::size_t n = 130;
  const auto points = uniform_matrix(n, 4, 1);
  for (const Kernel& kernel : testing::every_kernel()) {
    const auto exact = reference::kernel_matrix(kernel, points, points);
    for (LowRank control : {LowRank{}, some_control(n), skew_control(n)}) {
      RandomizedGram gram(kernel, points, std::move(control), {}, RandomStream(1), workers);
      EXPECT_LT(testing::largest_difference(gram.dense(workers), exact), 1e-12)
          << kernel_name(kernel);
    }
  }
}

TEST(RandomizedGram, NoErrorIsLargerThanTheLargest) {
  Workers workers{{.threads = 2}};
  const auto points = normal_matrix(200, 3, 1);
  const Kernel kernel = Gaussian{0.2};
  const auto exact = reference::kernel_matrix(kernel, points, points);
  const EntryRange range = residual_range(kernel, points, {}, workers);
  for (const Scheme& scheme : schemes()) {
    if (scheme.control) continue;
    RandomizedGram gram(kernel, points, {}, scheme.rounding, RandomStream(3), workers);
    const double limit = scheme.rounding.largest_error(range) * (1 + 1e-12);
    const double largest = testing::largest_difference(gram.dense(workers), exact);
    EXPECT_LE(largest, limit) << scheme.name;
    EXPECT_GT(largest, limit / 3) << scheme.name;
  }
}

TEST(RandomizedGram, SumsOfRowsKeepHoeffdingsBound) {
  // The error of a row's sum with numbers w is a sum of independent terms in intervals of length
  // (high - low) |w_j|: P(|error| >= t) <= 2 exp(-2 t^2 / sum (high - low)^2 w_j^2).
  Workers workers{{.threads = 2}};
  const std::size_t n = 300;
  const auto points = normal_matrix(n, 3, 1);
  const Kernel kernel = Gaussian{0.2};
  auto gram_of = [&](std::uint64_t seed) {
    return RandomizedGram(kernel, points, {}, {.levels = EntryRange{0, 1}}, RandomStream(seed),
                          workers);
  };
  const auto exact = reference::kernel_matrix(kernel, points, points);
  const auto w = normal_matrix(n, 8, 4);
  const auto sums = reference::multiply(exact, w);
  double squares = 0;
  for (std::size_t j = 0; j < n; ++j) squares += w(j, 0) * w(j, 0);
  std::size_t cases = 0;
  std::vector<std::size_t> beyond(3, 0);
  const std::vector<double> probabilities = {0.5, 0.1, 0.01};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto gram = gram_of(seed);
    Matrix<double> y(n, 8);
    gram.multiply(w, y, workers);
    for (std::size_t i = 0; i < n; ++i) {
      ++cases;
      for (std::size_t b = 0; b < probabilities.size(); ++b) {
        const double t = std::sqrt(std::log(2 / probabilities[b]) * squares / 2);
        if (std::abs(y(i, 0) - sums(i, 0)) >= t) ++beyond[b];
      }
    }
  }
  for (std::size_t b = 0; b < probabilities.size(); ++b) {
    EXPECT_LE(static_cast<double>(beyond[b]), probabilities[b] * static_cast<double>(cases));
  }
  EXPECT_GT(beyond[0], 0U);
}

TEST(RandomizedGram, CountsTheKernelValuesItNeeded) {
  Workers workers{{.threads = 2}};
  const auto points = normal_matrix(1000, 3, 1);
  const RandomizedGram sparse(Gaussian{0.2}, points, {}, {.sparsity = 10}, RandomStream(1),
                              workers);
  EXPECT_EQ(sparse.kernel_evaluations(), sparse.kept() + 1000);
  EXPECT_NEAR(static_cast<double>(sparse.kept()), 49950, 1100);
  const RandomizedGram bits(Gaussian{0.2}, points, {}, {.levels = EntryRange{0, 1}},
                            RandomStream(1), workers);
  EXPECT_EQ(bits.kernel_evaluations(), 500500U);
}

}  // namespace
}  // namespace mercer::engine
