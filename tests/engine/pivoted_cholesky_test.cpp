#include "engine/pivoted_cholesky.h"

#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/circle_factor.h"
#include "engine/every_kernel.h"
#include "engine/greedy_pivots.h"
#include "engine/random_pivots.h"
#include "engine/reference.h"
#include "engine/simd.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::Circle;
using testing::expect_factor_of;
using testing::normal_matrix;
using testing::Rows;
using testing::to_rows;
using testing::uniform_matrix;
TEST_F(Circle, GreedyPivotsAreTheNaiveOnes) {
  PartialCholesky factor(kernel_, points_, 30, workers_);
  EXPECT_TRUE(grow_greedily(factor, 10));
  EXPECT_TRUE(grow_greedily(factor, 30));
  const auto naive = reference::greedily_pivoted_cholesky(gram_, 30);
  EXPECT_EQ(to_rows(factor.pivots()), naive.rows);
  EXPECT_EQ(factor.pivots()[0], 0U) << "the first of equals";
  expect_factor_of(gram_, factor);
}

TEST_F(Circle, PivotsThatAreForgottenLeaveTheFactorAsItWas) {
  PartialCholesky factor(kernel_, points_, 40, workers_);
  ASSERT_TRUE(RandomPivots(factor, {}, stream_).grow(20));
  const std::vector<double> before(factor.residuals().begin(), factor.residuals().end());
  ASSERT_TRUE(grow_greedily(factor, 33));
  while (factor.rank() > 20) factor.forget_last();
  expect_factor_of(gram_, factor);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(factor.residuals()[i], before[i], 1e-14) << i;
  }
  ASSERT_TRUE(grow_greedily(factor, 40));
  expect_factor_of(gram_, factor);
}

std::vector<Kernel> every_kernel_and_custom() {
  auto kernels = testing::every_kernel();
  kernels.emplace_back(Custom{.function = [](std::span<const double> x, std::span<const double> y) {
    double product = 1;
    for (std::size_t j = 0; j < x.size(); ++j) product *= 1 + std::min(x[j], y[j]);
    return product;
  }});
  return kernels;
}

TEST(PartialCholesky, HoldsItsInvariantsForEveryKernel) {
  for (const Kernel& kernel : every_kernel_and_custom()) {
    SCOPED_TRACE(kernel_name(kernel));
    Workers workers({.threads = 2});
    // Entries in [0, 1): every kernel takes them. More than two blocks of rows, the last one
    // ragged.
    const auto points = uniform_matrix(211, 6, 6);
    const auto gram = reference::kernel_matrix(kernel, points, points);
    PartialCholesky random(kernel, points, 40, workers);
    RandomPivots pivots(random, {}, RandomStream(8));
    const bool all = pivots.grow(40);
    // The linear kernels have as many directions as columns, and an indefinite one runs out of
    // positive residuals.
    const std::string name = kernel_name(kernel);
    if (name == "linear" || name == "cosine") {
      EXPECT_EQ(random.rank(), 6U);
    } else if (name != "sigmoid") {
      EXPECT_EQ(random.rank(), 40U);
    }
    EXPECT_EQ(all, random.rank() == 40);
    expect_factor_of(gram, random, 1e-11);
    PartialCholesky greedy(kernel, points, 40, workers);
    EXPECT_EQ(grow_greedily(greedy, 40), all);
    EXPECT_GE(greedy.rank(), 3U);
    expect_factor_of(gram, greedy, 1e-11);
  }
}

TEST(PartialCholesky, TakesAPrecomputedMatrix) {
  Workers workers({.threads = 2});
  const auto points = normal_matrix(150, 3, 9);
  const Kernel kernel = Laplacian{0.4};
  const auto gram = reference::kernel_matrix(kernel, points, points);
  PartialCholesky by_formula(kernel, points, 40, workers);
  PartialCholesky given(Precomputed{}, gram, 40, workers);
  EXPECT_TRUE(RandomPivots(by_formula, {}, RandomStream(2)).grow(40));
  EXPECT_TRUE(RandomPivots(given, {}, RandomStream(2)).grow(40));
  EXPECT_EQ(to_rows(given.pivots()), to_rows(by_formula.pivots()));
  expect_factor_of(gram, given);
}

TEST(PartialCholesky, OfKernelValuesThatOverflowIsAnError) {
  Workers workers({.threads = 1});
  auto points = normal_matrix(20, 2, 11);
  points(7, 0) = 1e120;
  try {
    const PartialCholesky factor(Polynomial{.gamma = 1}, points, 5, workers);
    FAIL() << "an infinite k(x, x) was taken";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("row 8 is inf"), std::string::npos) << error.what();
  }
}

TEST(PartialCholesky, HoldsItsInvariantsOnEveryInstructionSet) {
  const auto points = normal_matrix(211, 5, 12);
  const Kernel kernel = Gaussian{0.1};
  const auto gram = reference::kernel_matrix(kernel, points, points);
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    const ForcedSimdTarget forced(target);
    Workers workers({.threads = 1});
    PartialCholesky factor(kernel, points, 101, workers);
    // Blocks of more pivots than a block of kernel values has columns, and of a few.
    Rows many(97);
    std::iota(many.begin(), many.end(), std::size_t{50});
    EXPECT_EQ(factor.append(many, 97).size(), 97U);
    EXPECT_EQ(factor.append(Rows{0, 1, 2, 3, 4}, 5).size(), 4U);
    expect_factor_of(gram, factor);
  }
}

class Append : public ::testing::Test {
 protected:
  Append() : points_(normal_matrix(20, 3, 10)) {
    std::ranges::copy(points_.row(3), points_.row(12).begin());
    gram_ = reference::kernel_matrix(kernel_, points_, points_);
  }

  Kernel kernel_ = Gaussian{0.3};
  Matrix<double> points_;
  Matrix<double> gram_;
  Workers workers_{{.threads = 1}};
};

TEST_F(Append, SkipsRowsThatDependOnThoseBefore) {
  PartialCholesky factor(kernel_, points_, 20, workers_);
  EXPECT_EQ(factor.append(Rows{3, 3, 12, 5}, 20), (Rows{0, 3}));
  EXPECT_EQ(factor.append(Rows{5, 12, 3}, 20), Rows{}) << "also on those of earlier calls";
  EXPECT_EQ(factor.append(Rows{12, 0, 5, 7}, 20), (Rows{1, 3}));
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{3, 5, 0, 7}));
  EXPECT_LE(factor.residuals()[12], factor.negligible());
  expect_factor_of(gram_, factor);
}

TEST_F(Append, TakesNoMoreThanAskedAndFit) {
  PartialCholesky factor(kernel_, points_, 5, workers_);
  EXPECT_EQ(factor.append(Rows{1, 2, 4, 5}, 0), Rows{});
  EXPECT_EQ(factor.append(Rows{1, 2, 4, 5}, 3), (Rows{0, 1, 2}));
  EXPECT_EQ(factor.append(Rows{6, 7, 8, 9}, 4), (Rows{0, 1}));
  EXPECT_EQ(factor.append(Rows{10}, 1), Rows{});
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{1, 2, 4, 6, 7}));
  EXPECT_EQ(PartialCholesky(kernel_, points_, 1000, workers_).capacity(), 20U);
  expect_factor_of(gram_, factor);
}

TEST_F(Append, AsksWithTheResidualsThenAndNow) {
  PartialCholesky factor(kernel_, points_, 20, workers_);
  ASSERT_EQ(factor.append(Rows{0}, 1).size(), 1U);
  const std::vector<double> at_start(factor.residuals().begin(), factor.residuals().end());
  // What each row would have left with the accepted ones before it as pivots.
  PartialCholesky with_four(kernel_, points_, 20, workers_);
  ASSERT_EQ(with_four.append(Rows{0, 4}, 2).size(), 2U);
  std::size_t asked = 0;
  const Rows rows = {4, 9, 6};
  const auto taken = factor.append(rows, 20, [&](std::size_t j, double now, double before) {
    EXPECT_EQ(before, at_start[rows[j]]);
    EXPECT_NEAR(now, j == 0 ? at_start[4] : with_four.residuals()[rows[j]], 1e-14);
    ++asked;
    return j != 1;
  });
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(taken, (Rows{0, 2}));
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{0, 4, 6}));
  expect_factor_of(gram_, factor);
}

}  // namespace
}  // namespace mercer::engine
