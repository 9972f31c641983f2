#include "methods/farthest_point.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::RandomStream;

std::vector<std::size_t> farthest_by_loop(MatrixView<const double> points, std::size_t m,
                                          std::size_t start) {
  std::vector<std::size_t> chosen = {start};
  while (chosen.size() < m) {
    std::size_t farthest = 0;
    double largest = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      double nearest = INFINITY;
      for (const std::size_t c : chosen) {
        double distance = 0;
        for (std::size_t j = 0; j < points.cols(); ++j) {
          distance += std::pow(points(i, j) - points(c, j), 2);
        }
        nearest = std::min(nearest, distance);
      }
      if (nearest > largest) {
        largest = nearest;
        farthest = i;
      }
    }
    if (largest == 0) break;
    chosen.push_back(farthest);
  }
  return chosen;
}

class FarthestPoints : public ::testing::Test {
 protected:
  engine::Workers workers_{RunOptions{.threads = 2}};
};

TEST_F(FarthestPoints, EqualTheNaiveLoop) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto points = testing::normal_matrix(300, 1 + 3 * seed, seed, 1, 10);
    const auto rows = farthest_points(points, 40, RandomStream(seed), workers_);
    EXPECT_EQ(rows, farthest_by_loop(points, 40, rows[0])) << "seed " << seed;
  }
}

TEST_F(FarthestPoints, TiesGoToTheLowestIndex) {
  Matrix<double> grid(100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    grid(i, 0) = static_cast<double>(i % 10);
    grid(i, 1) = static_cast<double>(i / 10);
  }
  const auto rows = farthest_points(grid, 30, RandomStream(3), workers_);
  EXPECT_EQ(rows, farthest_by_loop(grid, 30, rows[0]));
}

TEST_F(FarthestPoints, StartAnywhere) {
  const auto points = testing::normal_matrix(5, 2, 1);
  std::set<std::size_t> starts;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    starts.insert(farthest_points(points, 1, RandomStream(seed), workers_).at(0));
  }
  EXPECT_EQ(starts.size(), 5U);
}

TEST_F(FarthestPoints, EndWhenOnlyCopiesAreLeft) {
  const auto distinct = testing::normal_matrix(15, 3, 2);
  const auto copies = testing::repeat_rows(distinct, std::vector<double>(15, 4.0));
  EXPECT_EQ(farthest_points(copies, 60, RandomStream(1), workers_).size(), 15U);
  EXPECT_EQ(farthest_points(Matrix<double>(9, 2), 5, RandomStream(1), workers_).size(), 1U);
  EXPECT_EQ(farthest_points(distinct, 99, RandomStream(1), workers_).size(), 15U);
  EXPECT_TRUE(farthest_points(distinct, 0, RandomStream(1), workers_).empty());
  EXPECT_TRUE(farthest_points(Matrix<double>(0, 2), 5, RandomStream(1), workers_).empty());
}

TEST_F(FarthestPoints, UnitsOfTheDataMakeNoDifference) {
  const auto points = testing::normal_matrix(200, 3, 3);
  const auto expected = farthest_points(points, 50, RandomStream(2), workers_);
  for (const int exponent : {500, -500, 1020, -1000}) {
    auto scaled = points;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled.data()[i] = std::ldexp(points.data()[i], exponent);
    }
    EXPECT_EQ(farthest_points(scaled, 50, RandomStream(2), workers_), expected) << exponent;
  }
}

TEST_F(FarthestPoints, AreTheSameForAnyNumberOfThreads) {
  const auto points = testing::normal_matrix(7000, 5, 4);
  engine::Workers one(RunOptions{.threads = 1});
  EXPECT_EQ(farthest_points(points, 60, RandomStream(5), workers_),
            farthest_points(points, 60, RandomStream(5), one));
}

}  // namespace
}  // namespace mercer::methods
