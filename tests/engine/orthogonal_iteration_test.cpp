#include "engine/orthogonal_iteration.h"

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/spectrum.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::decaying;
using testing::orthogonality_error;
using testing::Spectrum;

IterativeEigenpairs solve(SymmetricOperator& a, OrthogonalIterationOptions options,
                          std::size_t threads = 2) {
  Workers workers(RunOptions{.threads = threads});
  return orthogonal_iteration(a, options, workers);
}

void expect_top(const IterativeEigenpairs& result, std::vector<double> values) {
  std::ranges::sort(values, std::greater<>());
  EXPECT_TRUE(result.converged);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    // An eigenvalue error is at most the residual, and of its second order for a gap.
    EXPECT_NEAR(result.values[i], values[i], 1e-8 * std::abs(values[0])) << i;
    EXPECT_LE(result.residuals[i], 1e-8 * result.largest_magnitude);
  }
  EXPECT_LT(orthogonality_error(result.vectors), 1e-13);
}

TEST(OrthogonalIteration, FindsTheTopOfADecayingSpectrum) {
  for (const double rate : {0.3, 0.7, 0.9}) {
    const auto values = decaying(500, rate);
    Spectrum a(values);
    const auto result = solve(a, {.count = 5});
    expect_top(result, values);
    EXPECT_EQ(result.products, a.products);
  }
}

TEST(OrthogonalIteration, GuardVectorsSetTheRate) {
  EXPECT_EQ(iterated_columns(5), 16U);
  EXPECT_EQ(iterated_columns(3), 8U);
  EXPECT_EQ(iterated_columns(20), 32U);
  // The error falls by 0.9^12 = 0.28 a product: 18 decades of e in about 15 products.
  Spectrum a(decaying(500, 0.9));
  EXPECT_LT(solve(a, {.count = 5}).products, 25U);
}

TEST(OrthogonalIteration, SortsAlgebraicallyWhenNegativesDominate) {
  std::vector<double> values(600);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i < 30 ? 3 * std::pow(0.8, static_cast<double>(i))
                       : -6 * std::pow(0.97, static_cast<double>(i - 30));
  }
  Spectrum a(values);
  const auto result = solve(a, {.count = 4, .max_products = 2000});
  expect_top(result, values);
  EXPECT_LT(result.smallest_value, 0);
  EXPECT_GT(result.negative_values, 0U);
}

TEST(OrthogonalIteration, FindsEveryCopyOfAMultipleEigenvalue) {
  std::vector<double> values = decaying(300, 0.5);
  for (std::size_t i = 0; i < 6; ++i) values[40 * i] = 2;
  Spectrum a(values);
  expect_top(solve(a, {.count = 8}), values);
}

TEST(OrthogonalIteration, LowRankAndZeroMatricesEnd) {
  std::vector<double> values(200, 0.0);
  values[3] = 3;
  values[100] = 2;
  Spectrum low(values);
  const auto result = solve(low, {.count = 5});
  expect_top(result, values);
  EXPECT_LE(result.products, 4U);
  Spectrum zero(std::vector<double>(200, 0.0));
  for (const double value : solve(zero, {.count = 3}).values) EXPECT_EQ(value, 0);
}

TEST(OrthogonalIteration, LeavesOutTheNullVector) {
  const std::size_t n = 300;
  const std::vector<double> g(n, 1 / std::sqrt(static_cast<double>(n)));
  Spectrum a(std::vector<double>(n, 1.0));  // any vector is an eigenvector
  const auto result = solve(a, {.count = 6, .null_vector = g});
  for (std::size_t j = 0; j < 6; ++j) {
    double dot = 0;
    for (std::size_t i = 0; i < n; ++i) dot += g[i] * result.vectors(i, j);
    EXPECT_LT(std::abs(dot), 1e-14);
  }
}

TEST(OrthogonalIteration, SaysWhenItDidNotConverge) {
  std::vector<double> values(400);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 - 1e-4 * static_cast<double>(i);
  Spectrum a(values);
  const auto result = solve(a, {.count = 4, .max_products = 6});
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(a.products, 6U);
  EXPECT_GT(*std::ranges::max_element(result.residuals), 1e-8);
}

TEST(OrthogonalIteration, BitsDoNotDependOnThreads) {
  Spectrum a(decaying(5000, 0.8));
  const auto one = solve(a, {.count = 6}, 1);
  const auto four = solve(a, {.count = 6}, 4);
  EXPECT_EQ(one.values, four.values);
  EXPECT_TRUE(testing::same_bits(one.vectors, four.vectors));
}

TEST(OrthogonalIteration, RefusesWhatOnlyADenseSolverCanDo) {
  Spectrum a(decaying(30, 0.9));
  EXPECT_THROW(solve(a, {.count = 12}), InvalidArgument);
  EXPECT_THROW(solve(a, {.count = 0}), InvalidArgument);
  std::vector<double> values(100, 1.0);
  values[0] = INFINITY;
  Spectrum infinite(values);
  EXPECT_THROW(solve(infinite, {.count = 3}), NumericalError);
}

}  // namespace
}  // namespace mercer::engine
