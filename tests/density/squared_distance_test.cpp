#include "density/squared_distance.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "numbers.h"

namespace mercer::density {
namespace {

TEST(SquaringScale, BringsTheLargestCoordinateBetweenOneAndTwo) {
  for (const double size : {1.0, 3.5, -1e150, 1e-150, 1e308, 1e-300}) {
    const std::array<double, 4> x = {0, size / 7, size, -size / 3};
    const double scale = squaring_scale({x.data(), 2, 2});
    int exponent = 0;
    EXPECT_EQ(std::frexp(scale, &exponent), 0.5) << "no power of two for " << size;
    EXPECT_GE(std::abs(size) * scale, 1);
    EXPECT_LT(std::abs(size) * scale, 2);
  }
}

TEST(SquaringScale, IsFiniteForZerosAndForTheSmallestNumbers) {
  const std::array<double, 2> zeros = {0, 0};
  EXPECT_EQ(squaring_scale({zeros.data(), 1, 2}), 1);
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(std::isfinite(squaring_scale({&smallest, 1, 1})));
}

TEST(SquaredDistance, IsTheSumOfSquaredDifferencesForEveryLength) {
  for (std::size_t d = 1; d < 40; ++d) {
    const auto x = testing::normal_matrix(2, d, d);
    double expected = 0;
    for (std::size_t j = 0; j < d; ++j) expected += 4 * std::pow(x(0, j) - x(1, j), 2);
    EXPECT_NEAR(squared_distance(x.row(0), x.row(1), 2), expected, 1e-13 * expected);
    EXPECT_EQ(squared_distance(x.row(0), x.row(0), 2), 0);
  }
}

TEST(SquaredDistance, DoesNotOverflowWithItsScale) {
  const std::vector<double> x = {1.5e308, -1e308};
  const std::vector<double> y = {-1.5e308, 1e308};
  const double scale = squaring_scale({x.data(), 1, 2});
  EXPECT_NEAR(squared_distance(x, y, scale),
              std::pow(2 * (1.5e308 * scale), 2) + std::pow(2 * (1e308 * scale), 2), 1e-12);
}

TEST(SquaredDifference, IsTheSumOfSquaredDifferencesForEveryLength) {
  for (std::size_t d = 1; d < 40; ++d) {
    const auto x = testing::normal_matrix(2, d, d);
    double expected = 0;
    for (std::size_t j = 0; j < d; ++j) expected += 4 * std::pow(x(0, j) - x(1, j), 2);
    EXPECT_NEAR(squared_difference(x.row(0), x.row(1), 2), expected, 1e-13 * expected);
    EXPECT_EQ(squared_difference(x.row(0), x.row(0), 2), 0);
  }
}

TEST(SquaredDifference, IsZeroForEqualPointsThatOverflowWithTheScale) {
  for (const std::size_t d : {3U, 9U}) {
    const std::vector<double> x(d, 1e200);
    const std::vector<double> y(d, -1e200);
    EXPECT_EQ(squared_difference(x, x, 0x1p1000), 0);
    EXPECT_EQ(squared_difference(x, y, 0x1p1000), INFINITY);
  }
}

}  // namespace
}  // namespace mercer::density
