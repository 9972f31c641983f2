#include <cmath>

#include <gtest/gtest.h>

#include <mercer/bandwidth.h>
#include <mercer/error.h>

#include "golden/golden.h"
#include "numbers.h"

namespace mercer {
namespace {

double chosen(const Kernel& kernel, MatrixView<const double> points) {
  return resolve_bandwidth(kernel, points).value;
}

TEST(Bandwidth, IsTheMedianOfAllPairsOnASmallSet) {
  const auto golden = golden::Golden::load("exact/circle240.txt");
  // All-pair median of d^2, from the specification of the fixture.
  EXPECT_NEAR(chosen(Gaussian{}, golden["train"]), 0.003979310180, 1e-12);
  const double distance = std::sqrt(125.6499185352);
  EXPECT_NEAR(chosen(Laplacian{}, golden["train"]), 1 / distance, 1e-10);
  EXPECT_NEAR(chosen(Matern32{}, golden["train"]), distance, 1e-8);
  EXPECT_NEAR(chosen(Matern52{}, golden["train"]), distance, 1e-8);
  EXPECT_NEAR(chosen(RationalQuadratic{}, golden["train"]), distance, 1e-8);
}

TEST(Bandwidth, UsesTheKernelsOwnDistance) {
  Matrix<double> points(3, 2);  // L1 distances 1, 2, 3; chi2 distances below
  points(0, 0) = 1;
  points(1, 0) = 2;
  points(2, 0) = 3;
  points(2, 1) = 1;
  EXPECT_DOUBLE_EQ(chosen(LaplacianL1{}, points), 0.5);
  EXPECT_DOUBLE_EQ(chosen(ExponentialChi2{}, points), 1 / (1.0 / 5 + 1));
}

TEST(Bandwidth, OfInnerProductKernelsIsOneOverTheColumns) {
  const auto points = testing::normal_matrix(10, 4, 1);
  EXPECT_DOUBLE_EQ(chosen(Polynomial{}, points), 0.25);
  EXPECT_DOUBLE_EQ(chosen(Sigmoid{}, points), 0.25);
}

TEST(Bandwidth, LeavesAGivenParameterAlone) {
  const auto points = testing::normal_matrix(10, 4, 1);
  const auto resolved = resolve_bandwidth(Gaussian{0.5}, points);
  EXPECT_TRUE(resolved.parameter.empty());
  EXPECT_EQ(std::get<Gaussian>(resolved.kernel).gamma, 0.5);
}

TEST(Bandwidth, KeepsTheOtherParameters) {
  const auto points = testing::normal_matrix(10, 4, 1);
  EXPECT_EQ(
      std::get<RationalQuadratic>(resolve_bandwidth(RationalQuadratic{.alpha = 3}, points).kernel)
          .alpha,
      3);
  EXPECT_EQ(std::get<Polynomial>(resolve_bandwidth(Polynomial{.degree = 5}, points).kernel).degree,
            5);
}

TEST(Bandwidth, LooksPastManyCoincidingPairs) {
  Matrix<double> points(40, 1);
  for (std::size_t i = 0; i < 10; ++i) points(i, 0) = 3;  // median of all pairs would be 0
  const auto resolved = resolve_bandwidth(Gaussian{}, points);
  EXPECT_DOUBLE_EQ(resolved.value, 1 / 18.0);
  EXPECT_NE(resolved.reason.find("coinciding"), std::string::npos);
}

TEST(Bandwidth, OfEqualPointsIsAnError) {
  EXPECT_THROW(resolve_bandwidth(Gaussian{}, Matrix<double>(20, 3)), DataError);
  EXPECT_THROW(resolve_bandwidth(Gaussian{}, Matrix<double>(1, 3)), DataError);
}

TEST(Bandwidth, ScalesWithTheDataOverTheWholeRange) {
  const auto points = testing::normal_matrix(50, 3, 1);
  const double gamma = chosen(Gaussian{}, points);
  for (const double scale : {1e-150, 1e-100, 1e100, 1e150}) {
    Matrix<double> scaled(points);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
    EXPECT_NEAR(chosen(Gaussian{}, scaled) * scale * scale / gamma, 1, 1e-12) << scale;
    EXPECT_NEAR(chosen(Laplacian{}, scaled) * scale / chosen(Laplacian{}, points), 1, 1e-12);
  }
  Matrix<double> tiny(points);
  for (std::size_t i = 0; i < tiny.size(); ++i) tiny.data()[i] *= 1e-160;
  EXPECT_THROW(resolve_bandwidth(Gaussian{}, tiny), NumericalError);
}

TEST(Bandwidth, WarnsWhenOneColumnDominates) {
  auto points = testing::normal_matrix(100, 3, 1);
  EXPECT_TRUE(resolve_bandwidth(Gaussian{}, points).warnings.empty());
  for (std::size_t i = 0; i < 100; ++i) points(i, 1) *= 1000;
  const auto warnings = resolve_bandwidth(Gaussian{}, points).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("column 2"), std::string::npos);
}

TEST(Bandwidth, OfASampleIsSeededAndClose) {
  const auto points = testing::normal_matrix(5000, 5, 1);
  const double first = resolve_bandwidth(Gaussian{}, points, {.seed = 1}).value;
  EXPECT_EQ(first, resolve_bandwidth(Gaussian{}, points, {.seed = 1}).value);
  const double second = resolve_bandwidth(Gaussian{}, points, {.seed = 2}).value;
  EXPECT_NE(first, second);
  EXPECT_NEAR(first / second, 1, 0.05);
}

}  // namespace
}  // namespace mercer
