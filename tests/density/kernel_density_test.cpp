#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/reduction.h>

#include "engine/every_kernel.h"
#include "engine/kernel_value.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::RandomStream;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::uniform_matrix;

std::vector<double> density_by_loop(const Kernel& kernel, MatrixView<const double> centers,
                                    const std::vector<double>& weights,
                                    MatrixView<const double> points) {
  std::vector<double> densities(points.rows(), 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    double total = 0;
    for (std::size_t j = 0; j < centers.rows(); ++j) {
      total += weights[j];
      densities[i] += weights[j] * engine::kernel_value(kernel, points.row(i), centers.row(j));
    }
    densities[i] /= total;
  }
  return densities;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  return testing::largest_difference(MatrixView<const double>(a.data(), a.size(), 1),
                                     MatrixView<const double>(b.data(), b.size(), 1));
}

std::vector<double> random_weights(std::size_t count) {
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = 0.1 + RandomStream(8).uniform(i);
  return weights;
}

TEST(KernelDensity, EqualsTheLoopForEveryKernel) {
  const auto centers = uniform_matrix(110, 4, 1);
  const auto points = uniform_matrix(600, 4, 2);
  const auto weights = random_weights(110);
  for (const Kernel& kernel : testing::every_kernel()) {
    EXPECT_LT(largest_difference(kernel_density(kernel, centers, weights, points),
                                 density_by_loop(kernel, centers, weights, points)),
              1e-12)
        << kernel_name(kernel);
  }
}

RC_GTEST_PROP(KernelDensityProperty, EqualsTheLoopForAnySize, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 700);
  const auto m = *rc::gen::inRange<std::size_t>(1, 300);
  const auto d = *rc::gen::inRange<std::size_t>(1, 9);
  const auto centers = normal_matrix(m, d, m, 1, 300);
  const auto points = normal_matrix(n, d, n, 1, 300);
  const auto weights = random_weights(m);
  RC_ASSERT(largest_difference(kernel_density(Gaussian{0.3}, centers, weights, points),
                               density_by_loop(Gaussian{0.3}, centers, weights, points)) < 1e-12);
}

TEST(KernelDensity, OfALoneCenterIsTheKernel) {
  Matrix<double> center(1, 1);
  center(0, 0) = 5;
  Matrix<double> points(2, 1);
  points(0, 0) = 5;
  points(1, 0) = 6;
  const auto densities = kernel_density(Gaussian{1.0}, center, std::vector{7.0}, points);
  EXPECT_DOUBLE_EQ(densities[0], 1);
  EXPECT_DOUBLE_EQ(densities[1], std::exp(-1.0));
}

TEST(KernelDensity, OfAWeightedSetIsThatOfItsCenters) {
  WeightedSet set;
  set.centers = normal_matrix(30, 2, 1);
  set.weights = random_weights(30);
  const auto points = normal_matrix(40, 2, 2);
  EXPECT_EQ(kernel_density(set, Matern32{1.0}, points),
            kernel_density(Matern32{1.0}, set.centers, set.weights, points));
}

TEST(KernelDensity, WeightsAreRepetitionsAndNoneAreEqual) {
  const auto centers = normal_matrix(50, 2, 3);
  const auto points = normal_matrix(70, 2, 4);
  std::vector<double> weights(50);
  for (std::size_t i = 0; i < 50; ++i) weights[i] = static_cast<double>(1 + i % 3);
  EXPECT_LT(
      largest_difference(kernel_density(Gaussian{1.0}, centers, weights, points),
                         kernel_density(Gaussian{1.0}, repeat_rows(centers, weights), {}, points)),
      1e-14);
  EXPECT_EQ(kernel_density(Gaussian{1.0}, centers, {}, points),
            kernel_density(Gaussian{1.0}, centers, std::vector<double>(50, 1.0), points));
}

TEST(KernelDensity, UnitsOfDataAndWeightsMakeNoDifference) {
  const auto centers = normal_matrix(60, 3, 5);
  const auto points = normal_matrix(60, 3, 6);
  const auto scaled = [](Matrix<double> matrix, int exponent) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      matrix.data()[i] = std::ldexp(matrix.data()[i], exponent);
    }
    return matrix;
  };
  const auto expected =
      density_by_loop(Laplacian{0.5}, centers, std::vector<double>(60, 1.0), points);
  for (const int exponent : {500, -500}) {
    EXPECT_LT(
        largest_difference(kernel_density(Laplacian{std::ldexp(0.5, -exponent)},
                                          scaled(centers, exponent), {}, scaled(points, exponent)),
                           expected),
        1e-13);
    EXPECT_LT(largest_difference(
                  kernel_density(Laplacian{0.5}, centers,
                                 std::vector<double>(60, std::ldexp(1.0, 2 * exponent)), points),
                  expected),
              1e-13);
  }
}

TEST(KernelDensity, BitsDependNeitherOnThreadsNorOnTheOtherPoints) {
  const auto centers = normal_matrix(300, 3, 7);
  const auto points = normal_matrix(2000, 3, 8);
  const auto weights = random_weights(300);
  const auto all = kernel_density(Gaussian{0.5}, centers, weights, points, {.threads = 1});
  EXPECT_EQ(kernel_density(Gaussian{0.5}, centers, weights, points, {.threads = 3}), all);
  const auto some =
      kernel_density(Gaussian{0.5}, centers, weights, points.view().rows_from(777, 5));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(some[i], all[777 + i]) << i;
}

TEST(KernelDensity, RefusesWhatHasNoDensityAndNamesIt) {
  const auto centers = normal_matrix(10, 2, 1);
  const auto points = normal_matrix(10, 2, 2);
  const auto message = [&](const Kernel& kernel, MatrixView<const double> c,
                           const std::vector<double>& weights, MatrixView<const double> x) {
    try {
      kernel_density(kernel, c, weights, x);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? "" : text;
  };
  EXPECT_EQ(has(message(Gaussian{}, centers, {}, points), "resolve_bandwidth"), "");
  EXPECT_EQ(has(message(Precomputed{}, centers, {}, points), "precomputed"), "");
  EXPECT_EQ(has(message(Gaussian{1.0}, centers, {1.0}, points), "1 weights for 10 centers"), "");
  EXPECT_EQ(has(message(Gaussian{1.0}, centers, std::vector<double>(10, -2.0), points), "-2"), "");
  EXPECT_EQ(has(message(Gaussian{1.0}, Matrix<double>(0, 2), {}, points), "needs centers"), "");
  EXPECT_EQ(has(message(Gaussian{1.0}, centers, {}, normal_matrix(4, 3, 1)), "3 columns"), "");
  auto broken = points;
  broken(4, 1) = NAN;
  EXPECT_EQ(has(message(Gaussian{1.0}, centers, {}, broken), "row 5, column 2"), "");
  EXPECT_EQ(has(message(Gaussian{1.0}, broken, {}, points), "row 5, column 2"), "");
  EXPECT_EQ(has(message(Chi2{}, centers, {}, points), "non-negative"), "");
  const Polynomial huge{.gamma = 1e300, .degree = 3, .coef0 = 1};
  EXPECT_EQ(has(message(huge, centers, {}, points), "overflow"), "");
  EXPECT_THROW(kernel_density(Gaussian{1.0}, centers, {}, points, {.memory_limit_bytes = 10}),
               MemoryLimitError);
}

}  // namespace
}  // namespace mercer
