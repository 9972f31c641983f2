#include "methods/leverage_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::RandomStream;
namespace reference = engine::reference;

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

WeightedSample whole(std::size_t n) {
  return {.rows = all_rows(n), .scales = std::vector<double>(n, 1.0)};
}

/// diag(K' (K' + mu I)^-1) from the eigenpairs of K' = W^1/2 K W^1/2, with the rule for mu.
std::vector<double> scores_by_definition(Matrix<double> k, const std::vector<double>& weights,
                                         std::size_t kept) {
  const std::size_t n = k.rows();
  for (std::size_t i = 0; i < n && !weights.empty(); ++i) {
    for (std::size_t j = 0; j < n; ++j) k(i, j) *= std::sqrt(weights[i] * weights[j]);
  }
  const auto eigen = reference::symmetric_eigen(k);
  double mu = 0;
  for (std::size_t j = kept; j < n; ++j) mu += eigen.values[j] / static_cast<double>(kept);
  std::vector<double> scores(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      scores[i] += std::pow(eigen.vectors(i, j), 2) * eigen.values[j] / (eigen.values[j] + mu);
    }
  }
  return scores;
}

class LeverageScores : public ::testing::Test {
 protected:
  engine::Workers workers_{RunOptions{.threads = 2}};
  const Kernel gaussian_ = Gaussian{0.3};
};

TEST_F(LeverageScores, OfTheWholeSetEqualTheirDefinition) {
  const auto points = testing::normal_matrix(40, 3, 1);
  std::vector<double> weights(40);
  for (std::size_t i = 0; i < 40; ++i) weights[i] = 0.2 + static_cast<double>(i % 7);
  for (const Kernel& kernel :
       {gaussian_, Kernel(Linear{}), Kernel(Polynomial{.gamma = 0.5, .degree = 2})}) {
    for (const auto& w : {std::vector<double>{}, weights}) {
      const auto scores =
          ridge_leverage_scores(kernel, points, w, all_rows(40), whole(40), 2, workers_);
      const auto expected =
          scores_by_definition(reference::kernel_matrix(kernel, points, points), w, 2);
      for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-11);
    }
  }
}

TEST_F(LeverageScores, OfASampleEqualTheFormula) {
  const auto points = testing::normal_matrix(230, 2, 2);
  const WeightedSample sample{.rows = {3, 100, 7, 229, 50}, .scales = {1, 2, 1.5, 3, 1}};
  const std::vector<std::size_t> rows = {5, 3, 228, 100};
  const auto scores = ridge_leverage_scores(gaussian_, points, {}, rows, sample, 2, workers_);
  // (A + mu I)^-1 by the eigenpairs of A.
  const auto k = reference::kernel_matrix(gaussian_, points, points);
  Matrix<double> a(5, 5);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      a(i, j) = sample.scales[i] * sample.scales[j] * k(sample.rows[i], sample.rows[j]);
    }
  }
  const auto eigen = reference::symmetric_eigen(a);
  const double mu = (eigen.values[2] + eigen.values[3] + eigen.values[4]) / 2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double left = 1;
    for (std::size_t c = 0; c < 5; ++c) {
      double coordinate = 0;
      for (std::size_t j = 0; j < 5; ++j) {
        coordinate += eigen.vectors(j, c) * sample.scales[j] * k(rows[i], sample.rows[j]);
      }
      left -= coordinate * coordinate / (eigen.values[c] + mu);
    }
    EXPECT_NEAR(scores[i], left / mu, 1e-12);
  }
}

TEST_F(LeverageScores, OfAWeightedRowIsTheSumOverItsCopies) {
  const auto points = testing::normal_matrix(30, 2, 3);
  std::vector<double> weights(30);
  for (std::size_t i = 0; i < 30; ++i) weights[i] = static_cast<double>(1 + i % 3);
  const auto copies = testing::repeat_rows(points, weights);
  const auto weighted =
      ridge_leverage_scores(gaussian_, points, weights, all_rows(30), whole(30), 3, workers_);
  const auto repeated = ridge_leverage_scores(gaussian_, copies, {}, all_rows(copies.rows()),
                                              whole(copies.rows()), 3, workers_);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (int copy = 0; copy < static_cast<int>(weights[i]); ++copy) sum += repeated[at++];
    EXPECT_NEAR(weighted[i], sum, 1e-10);
  }
}

TEST_F(LeverageScores, PrecomputedValuesGiveTheScoresOfTheirKernel) {
  const auto points = testing::normal_matrix(300, 4, 4);
  const auto gram = reference::kernel_matrix(gaussian_, points, points);
  const auto from_points =
      leverage_score_rows(gaussian_, points, {}, 40, RandomStream(1), workers_);
  const auto from_gram =
      leverage_score_rows(Precomputed{}, gram, {}, 40, RandomStream(1), workers_);
  EXPECT_EQ(from_points, from_gram);
}

TEST_F(LeverageScores, ChooseAsManyDifferentRowsAsAsked) {
  const auto points = testing::normal_matrix(500, 3, 5);
  for (const std::size_t m : {0U, 1U, 2U, 3U, 50U, 249U, 250U, 251U, 499U, 500U, 800U}) {
    const auto rows = leverage_score_rows(gaussian_, points, {}, m, RandomStream(m), workers_);
    EXPECT_EQ(rows.size(), std::min<std::size_t>(m, 500));
    EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), rows.size());
    for (const std::size_t row : rows) EXPECT_LT(row, 500U);
  }
}

TEST_F(LeverageScores, DegenerateKernelsStillGiveRows) {
  const Matrix<double> equal(200, 3);
  const auto points = testing::normal_matrix(200, 2, 6);
  auto huge = points;
  for (std::size_t i = 0; i < huge.size(); ++i) huge.data()[i] *= 1e150;
  const auto few =
      testing::repeat_rows(points.view().rows_from(0, 10), std::vector<double>(10, 20.0));
  const auto check = [&](const char* what, const Kernel& kernel, MatrixView<const double> x) {
    const auto rows = leverage_score_rows(kernel, x, {}, 40, RandomStream(7), workers_);
    EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), 40U) << what;
  };
  check("equal rows", gaussian_, equal);
  check("rank below m", Linear{}, points);
  check("few distinct rows", gaussian_, few);
  check("zero kernel", Linear{}, equal);
  check("almost the identity", Gaussian{1e6}, points);
  check("almost constant", Gaussian{1e-9}, points);
  check("indefinite", Sigmoid{.gamma = 1, .coef0 = -1}, points);
  check("large values", Linear{}, huge);
}

TEST_F(LeverageScores, AFewOutliersAmongCopiesAreFound) {
  // 5000 copies of two points and 20 rows far from everything: each of those has a score of about
  // 1, uniform rows would take 0.2 of them.
  Matrix<double> points(5020, 1);
  for (std::size_t i = 0; i < 5020; ++i) {
    points(i, 0) = i % 251 == 7 ? 100 + 20 * static_cast<double>(i) : static_cast<double>(i % 2);
  }
  double found = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const std::size_t row :
         leverage_score_rows(gaussian_, points, {}, 50, RandomStream(seed), workers_)) {
      found += row % 251 == 7;
    }
  }
  EXPECT_GT(found / 10, 10);
}

TEST_F(LeverageScores, RowsAreTheSameForAnyNumberOfThreads) {
  const auto points = testing::normal_matrix(3000, 6, 8);
  std::vector<double> weights(3000);
  for (std::size_t i = 0; i < 3000; ++i) weights[i] = 0.5 + RandomStream(2).uniform(i);
  engine::Workers one(RunOptions{.threads = 1});
  engine::Workers four(RunOptions{.threads = 4});
  EXPECT_EQ(leverage_score_rows(gaussian_, points, weights, 100, RandomStream(3), one),
            leverage_score_rows(gaussian_, points, weights, 100, RandomStream(3), four));
}

}  // namespace
}  // namespace mercer::methods
