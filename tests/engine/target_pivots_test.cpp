#include "engine/target_pivots.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

/// What the pivots leave of K A, from the Schur complement of their rows.
Matrix<double> remainder(MatrixView<const double> gram, MatrixView<const double> a,
                         std::span<const std::size_t> pivots) {
  Matrix<double> left(gram);
  for (const std::size_t p : pivots) {
    const Matrix<double> before = left;
    for (std::size_t i = 0; i < left.rows(); ++i) {
      for (std::size_t j = 0; j < left.cols(); ++j) {
        left(i, j) = before(i, j) - before(i, p) * before(p, j) / before(p, p);
      }
    }
  }
  return reference::multiply(left, a);
}

TEST(TargetPivots, TakesThePointThatRepresentsMostAndKnowsWhatIsLeft) {
  const Kernel kernel = Gaussian{0.3};
  const Matrix<double> points = normal_matrix(60, 3, 1);
  const Matrix<double> a = normal_matrix(60, 2, 2);
  const auto gram = reference::kernel_matrix(kernel, points, points);
  Workers workers{{.threads = 2}};
  PartialCholesky factor(kernel, points, 60, workers);
  TargetPivots pivots(factor, reference::multiply(gram, a), workers);
  for (std::size_t step = 0; step < 12; ++step) {
    std::size_t best = 0;
    double best_score = -1;
    const auto left = remainder(gram, a, factor.pivots());
    for (std::size_t j = 0; j < 60; ++j) {
      if (factor.residuals()[j] <= factor.negligible()) continue;
      double score = 0;
      for (const double value : left.row(j)) score += value * value / factor.residuals()[j];
      if (score > best_score) {
        best = j;
        best_score = score;
      }
    }
    ASSERT_TRUE(pivots.grow());
    EXPECT_EQ(factor.pivots().back(), best) << step;
    EXPECT_LT(largest_difference(pivots.remainder(), remainder(gram, a, factor.pivots())), 1e-11);
  }
}

TEST(TargetPivots, EndsWhenAllPointsDependOnThePivotsOrThereIsNoRoom) {
  Matrix<double> points = normal_matrix(20, 2, 3);
  for (std::size_t i = 10; i < 20; ++i) {
    std::ranges::copy(std::as_const(points).row(i - 10), points.row(i).begin());
  }
  const Kernel kernel = Gaussian{1.0};
  Workers workers{{.threads = 1}};
  const auto gram = reference::kernel_matrix(kernel, points, points);
  const auto images = reference::multiply(gram, normal_matrix(20, 1, 4));
  PartialCholesky factor(kernel, points, 20, workers);
  TargetPivots pivots(factor, images, workers);
  while (pivots.grow()) {
  }
  EXPECT_EQ(factor.rank(), 10u);
  EXPECT_LT(largest_difference(pivots.remainder(), Matrix<double>(20, 1)), 1e-9);
  PartialCholesky small(kernel, points, 3, workers);
  TargetPivots few(small, images, workers);
  EXPECT_TRUE(few.grow() && few.grow() && few.grow());
  EXPECT_FALSE(few.grow());
}

TEST(PartialCholesky, CapacityWithinIsTheMostThatFits) {
  for (const std::size_t n : {10u, 1000u, 7291u}) {
    for (const double bytes : {1e3, 1e5, 1e7, 1e9}) {
      const std::size_t capacity = PartialCholesky::capacity_within(n, bytes);
      EXPECT_LE(capacity, n);
      if (capacity > 0) {
        EXPECT_LE(PartialCholesky::bytes(n, capacity), bytes);
      }
      if (capacity < n) {
        EXPECT_GT(PartialCholesky::bytes(n, capacity + 1), bytes);
      }
    }
  }
}

}  // namespace
}  // namespace mercer::engine
