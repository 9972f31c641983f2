#include "engine/kernel_value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

double at(const Kernel& kernel, std::vector<double> x, std::vector<double> y) {
  return kernel_value(kernel, x, y);
}

TEST(KernelValue, FollowsTheFormulas) {
  // |x - y| = 5, <x, y> = 0, L1 distance 7.
  const std::vector<double> x = {3, 0};
  const std::vector<double> y = {0, 4};
  EXPECT_DOUBLE_EQ(at(Gaussian{0.1}, x, y), std::exp(-2.5));
  EXPECT_DOUBLE_EQ(at(Gaussian::from_sigma(5), x, y), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(at(Laplacian{0.1}, x, y), std::exp(-0.5));
  EXPECT_DOUBLE_EQ(at(Laplacian::from_sigma(5), x, y), std::exp(-1.0));
  EXPECT_DOUBLE_EQ(at(LaplacianL1{0.1}, x, y), std::exp(-0.7));
  EXPECT_DOUBLE_EQ(at(Matern32{5.0}, x, y), (1 + std::sqrt(3.0)) * std::exp(-std::sqrt(3.0)));
  EXPECT_DOUBLE_EQ(at(Matern52{5.0}, x, y),
                   (1 + std::sqrt(5.0) + 5.0 / 3) * std::exp(-std::sqrt(5.0)));
  EXPECT_DOUBLE_EQ(at(RationalQuadratic{5.0, 2.0}, x, y), std::pow(1.25, -2));
  EXPECT_DOUBLE_EQ(at(Polynomial{.gamma = 2, .degree = 3, .coef0 = 0.5}, x, y), 0.125);
  EXPECT_DOUBLE_EQ(at(Linear{}, {1, 2}, {3, 4}), 11);
  EXPECT_DOUBLE_EQ(at(Cosine{}, {1, 1}, {0, 3}), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(at(Cosine{}, {0, 0}, {0, 3}), 0);
  EXPECT_DOUBLE_EQ(at(Cosine{}, {1e200, 1e200}, {0, 3e-200}), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(at(Sigmoid{.gamma = 0.5, .coef0 = -1}, {1, 2}, {3, 4}), std::tanh(4.5));
  EXPECT_DOUBLE_EQ(at(Chi2{}, {1, 0, 2}, {3, 0, 0}), 1.5);
  EXPECT_DOUBLE_EQ(at(ExponentialChi2{0.5}, {1, 0, 2}, {3, 0, 0}), std::exp(-0.5 * (1 + 2)));
}

TEST(KernelValue, IsSymmetric) {
  const auto points = testing::uniform_matrix(2, 5, 1);
  for (const Kernel& kernel : testing::every_kernel()) {
    EXPECT_EQ(kernel_value(kernel, points.row(0), points.row(1)),
              kernel_value(kernel, points.row(1), points.row(0)))
        << kernel_name(kernel);
  }
}

TEST(KernelDiagonal, IsTheKernelOfAPointWithItself) {
  const auto points = testing::uniform_matrix(4, 5, 1);
  for (const Kernel& kernel : testing::every_kernel()) {
    const auto diagonal = kernel_diagonal(kernel, points);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(diagonal[i], kernel_value(kernel, points.row(i), points.row(i)), 1e-15)
          << kernel_name(kernel);
    }
  }
}

TEST(CheckTrainingPoints, NamesTheFirstBadValue) {
  auto points = testing::normal_matrix(5, 3, 1);
  EXPECT_NO_THROW(check_training_points(Gaussian{}, points));
  points(3, 1) = std::numeric_limits<double>::quiet_NaN();
  try {
    check_training_points(Gaussian{}, points);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("row 4, column 2 is nan"), std::string::npos)
        << error.what();
  }
  points(3, 1) = -std::numeric_limits<double>::infinity();
  EXPECT_THROW(check_training_points(Gaussian{}, points), DataError);
  EXPECT_THROW(check_training_points(Gaussian{}, Matrix<double>(0, 3)), DataError);
  EXPECT_THROW(check_training_points(Gaussian{}, Matrix<double>(3, 0)), DataError);
}

TEST(CheckTrainingPoints, HistogramsAreNotNegative) {
  auto points = testing::uniform_matrix(5, 3, 1);
  EXPECT_NO_THROW(check_training_points(Chi2{}, points));
  points(0, 2) = -1e-9;
  EXPECT_THROW(check_training_points(Chi2{}, points), DataError);
  EXPECT_THROW(check_training_points(ExponentialChi2{}, points), DataError);
}

TEST(CheckTrainingPoints, PrecomputedIsSquareAndSymmetric) {
  EXPECT_THROW(check_training_points(Precomputed{}, Matrix<double>(3, 4)), DataError);
  Matrix<double> gram(3, 3);
  for (std::size_t i = 0; i < 3; ++i) gram(i, i) = 1;
  gram(0, 2) = gram(2, 0) = 0.5;
  EXPECT_NO_THROW(check_training_points(Precomputed{}, gram));
  gram(0, 2) = 0.6;
  EXPECT_THROW(check_training_points(Precomputed{}, gram), DataError);
}

TEST(CheckNewPoints, CountsRowsFromTheStartOfTheTable) {
  auto points = testing::normal_matrix(2, 2, 1);
  points(1, 0) = std::numeric_limits<double>::quiet_NaN();
  try {
    check_new_points(Gaussian{}, points, 100);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("row 102, column 1"), std::string::npos);
  }
}

}  // namespace
}  // namespace mercer::engine
