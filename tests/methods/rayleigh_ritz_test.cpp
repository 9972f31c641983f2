#include "methods/rayleigh_ritz.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/gram.h"
#include "engine/kernel_matrix.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using testing::largest_difference_up_to_sign;
using testing::normal_matrix;

struct Example {
  Matrix<double> points = normal_matrix(60, 3, 1);
  Kernel kernel = Gaussian{0.2};
  Matrix<double> k = engine::reference::kernel_matrix(kernel, points, points);
  engine::Workers workers{RunOptions{.threads = 1}};
  std::unique_ptr<engine::GramOperator> gram =
      engine::make_gram(kernel, points, {.stored = true}, workers);
  CenteredGram a{*gram, {}, true, workers};

  /// Scores of the rows: H K b for columns b that sum to 0.
  Matrix<double> scores(const Matrix<double>& b) const {
    auto z = engine::reference::multiply(k, b);
    for (std::size_t j = 0; j < z.cols(); ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < z.rows(); ++i) mean += z(i, j) / static_cast<double>(z.rows());
      for (std::size_t i = 0; i < z.rows(); ++i) z(i, j) -= mean;
    }
    return z;
  }
};

TEST(RayleighRitz, FindsExactComponentsInTheirOwnSpan) {
  Example e;
  const auto exact = engine::reference::kernel_pca(e.k, e.k, 8, true);
  // Scores are eigenvectors times roots; any mixture spans the same.
  auto mixed = engine::reference::multiply(exact.training_scores, normal_matrix(8, 8, 2));
  const auto found = rayleigh_ritz(e.a, std::move(mixed), e.workers);
  ASSERT_EQ(found.values.size(), 8U);
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_NEAR(found.values[j], exact.eigenvalues[j], 1e-11 * exact.eigenvalues[0]);
  }
  EXPECT_LT(largest_difference_up_to_sign(e.scores(found.coefficients), exact.training_scores),
            1e-8);
}

TEST(RayleighRitz, ComponentsAreOrthonormalAndValuesAreTheirVariances) {
  Example e;
  const auto found = rayleigh_ritz(e.a, normal_matrix(60, 16, 3), e.workers);
  const auto exact = engine::reference::kernel_pca(e.k, e.k, 16, true);
  ASSERT_EQ(found.values.size(), 16U);
  const auto z = e.scores(found.coefficients);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_LE(found.values[i], exact.eigenvalues[i] * (1 + 1e-12));
    double sum = 0;
    for (std::size_t r = 0; r < 60; ++r) sum += found.coefficients(r, i);
    EXPECT_NEAR(sum, 0, 1e-12);
    for (std::size_t j = 0; j <= i; ++j) {
      double norm = 0;
      double covariance = 0;
      for (std::size_t r = 0; r < 60; ++r) {
        norm += found.coefficients(r, i) * z(r, j);
        covariance += z(r, i) * z(r, j);
      }
      EXPECT_NEAR(norm, i == j ? 1 : 0, 1e-10);
      EXPECT_NEAR(covariance, i == j ? found.values[i] : 0, 1e-10 * found.values[0]);
    }
  }
}

TEST(RayleighRitz, WithoutCentringFindsTheComponentsAboutTheOrigin) {
  Example e;
  CenteredGram a(*e.gram, {}, /*center=*/false, e.workers);
  const auto exact = engine::reference::kernel_pca(e.k, e.k, 8, false);
  auto mixed = engine::reference::multiply(exact.training_scores, normal_matrix(8, 8, 2));
  const auto found = rayleigh_ritz(a, std::move(mixed), e.workers);
  ASSERT_EQ(found.values.size(), 8U);
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_NEAR(found.values[j], exact.eigenvalues[j], 1e-11 * exact.eigenvalues[0]);
  }
  const auto scores = engine::reference::multiply(e.k, found.coefficients);
  EXPECT_LT(largest_difference_up_to_sign(scores, exact.training_scores), 1e-8);
}

TEST(RayleighRitz, LeavesOutDirectionsWithoutVariance) {
  Example e;
  // Three vectors, one of them twice, one constant (which centring takes away), padded with zeros.
  const auto some = normal_matrix(60, 2, 4);
  Matrix<double> v(60, 8);
  for (std::size_t i = 0; i < 60; ++i) {
    v(i, 0) = some(i, 0);
    v(i, 1) = some(i, 1);
    v(i, 2) = some(i, 0);
    v(i, 3) = 1;
  }
  EXPECT_EQ(rayleigh_ritz(e.a, std::move(v), e.workers).values.size(), 2U);
  EXPECT_TRUE(rayleigh_ritz(e.a, Matrix<double>(60, 8), e.workers).values.empty());
  EXPECT_TRUE(rayleigh_ritz(e.a, Matrix<double>(60, 0), e.workers).values.empty());
}

}  // namespace
}  // namespace mercer::methods
