#include "density/nearest_distances.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "density/squared_distance.h"
#include "numbers.h"

namespace mercer::density {
namespace {

/// Clusters of very different sizes, so that the triangle inequality leaves out many rows but not
/// all.
Matrix<double> clusters(std::size_t n, std::size_t d) {
  auto points = testing::normal_matrix(n, d, 5);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      points(i, j) = points(i, j) * (i % 3 == 0 ? 3 : 0.1) + 10 * static_cast<double>(i % 5);
    }
  }
  return points;
}

TEST(NearestDistances, EqualTheMinimaOverAllChosenRows) {
  const auto points = clusters(5000, 6);
  const double scale = squaring_scale(points);
  NearestDistances nearest(points);
  engine::Workers workers(RunOptions{.threads = 2});
  std::vector<double> expected(points.rows(), std::numeric_limits<double>::infinity());
  for (std::size_t row = 7; row < points.rows(); row += 331) {
    nearest.choose(row, workers);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      expected[i] = std::min(expected[i], squared_distance(points.row(i), points.row(row), scale));
    }
    ASSERT_TRUE(std::ranges::equal(nearest.values(), expected)) << "after row " << row;
    ASSERT_EQ(nearest.values()[row], 0);
  }
}

TEST(NearestDistances, AreInfiniteBeforeTheFirstChoice) {
  const auto points = clusters(3, 2);
  const NearestDistances nearest(points);
  for (const double value : nearest.values()) {
    EXPECT_EQ(value, std::numeric_limits<double>::infinity());
  }
}

}  // namespace
}  // namespace mercer::density
