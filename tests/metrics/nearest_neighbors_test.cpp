#include "metrics/nearest_neighbors.h"

#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "brute_force.h"
#include "numbers.h"

namespace mercer::metrics {
namespace {

using brute_force::integer_matrix;
using testing::normal_matrix;

bool equals_brute_force(MatrixView<const double> points, MatrixView<const double> queries,
                        std::size_t count, std::size_t threads) {
  engine::Workers workers(RunOptions{.threads = threads});
  std::vector<std::vector<std::size_t>> found(queries.rows());
  for_each_neighborhood(points, queries, count, workers,
                        [&](std::size_t query, std::span<const std::size_t> rows) {
                          found[query].assign(rows.begin(), rows.end());
                        });
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    if (found[i] != brute_force::neighbors(points, queries.row(i), count)) return false;
  }
  return true;
}

TEST(NearestNeighbors, AreThoseOfBruteForce) {
  const auto points = normal_matrix(1500, 20, 1);
  const auto queries = normal_matrix(300, 20, 2);
  for (const std::size_t threads : {1U, 2U, 4U}) {
    EXPECT_TRUE(equals_brute_force(points, queries, 7, threads));
  }
}

TEST(NearestNeighbors, TiesOfWholeNumbersGoToTheLowestRow) {
  // Three values in three columns: 13 distances for 900 points.
  const auto points = integer_matrix(900, 3, 1, 3);
  const auto queries = integer_matrix(200, 3, 2, 3);
  for (const std::size_t count : {1U, 5U, 200U, 900U}) {
    EXPECT_TRUE(equals_brute_force(points, queries, count, 2));
  }
}

TEST(NearestNeighbors, TiesSurviveAMeanThatIsNoBinaryFraction) {
  // The shift rounds every coordinate, so equal distances differ in the tiles. Row 0 stands alone
  // far away, which moves the mean and makes the norms large beside the distances.
  auto points = integer_matrix(601, 4, 3, 3);
  for (std::size_t j = 0; j < 4; ++j) points(0, j) = 1e6 + 1.0 / 3;
  const auto queries = integer_matrix(150, 4, 4, 3);
  EXPECT_TRUE(equals_brute_force(points, queries, 9, 2));
}

TEST(NearestNeighbors, DataFarFromTheOriginKeepTheirOrder) {
  const auto points = normal_matrix(800, 5, 5, 1e-3, 1e6);
  const auto queries = normal_matrix(100, 5, 6, 1e-3, 1e6);
  EXPECT_TRUE(equals_brute_force(points, queries, 6, 2));
  // Queries in another place than the points: all distances agree in their leading digits.
  const auto away = normal_matrix(100, 5, 7, 1e-3, 3e6);
  EXPECT_TRUE(equals_brute_force(points, away, 6, 2));
}

TEST(NearestNeighbors, EqualPointsAndTinyNumbersAreNoSpecialCase) {
  Matrix<double> equal(250, 2);
  std::fill_n(equal.data(), equal.size(), 0.1);
  EXPECT_TRUE(equals_brute_force(equal, normal_matrix(10, 2, 1), 4, 2));
  EXPECT_TRUE(
      equals_brute_force(normal_matrix(250, 2, 2, 1e-160), normal_matrix(10, 2, 3, 1e-160), 4, 2));
  EXPECT_TRUE(
      equals_brute_force(normal_matrix(250, 2, 2, 1e150), normal_matrix(10, 2, 3, 1e150), 4, 2));
}

TEST(NearestNeighbors, StridedViewsAreReadByTheirStride) {
  const auto wide = normal_matrix(300, 9, 1);
  const auto points = wide.view().cols_from(2, 4);
  EXPECT_TRUE(equals_brute_force(points, points.rows_from(10, 50), 3, 2));
}

TEST(NearestNeighbors, OverflowOfSquaresNamesTheRow) {
  auto points = normal_matrix(20, 2, 1);
  points(12, 1) = 1e160;
  engine::Workers workers(RunOptions{.threads = 1});
  const auto ignore = [](std::size_t, std::span<const std::size_t>) {};
  try {
    for_each_neighborhood(points, points, 1, workers, ignore);
    FAIL() << "no error";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("training row 13, column 2 is 1e+160"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(for_each_neighborhood(normal_matrix(20, 2, 1), points, 1, workers, ignore),
               NumericalError);
}

RC_GTEST_PROP(NearestNeighborsProperty, EqualBruteForceForAnyShape, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 400);
  const auto m = *rc::gen::inRange<std::size_t>(1, 120);
  const auto d = *rc::gen::inRange<std::size_t>(1, 40);
  const auto count = *rc::gen::inRange<std::size_t>(1, n + 1);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const bool integers = *rc::gen::arbitrary<bool>();
  const auto make = [&](std::size_t rows, std::uint64_t s) {
    return integers ? integer_matrix(rows, d, s, 4) : normal_matrix(rows, d, s, 1, 10);
  };
  RC_ASSERT(equals_brute_force(make(n, seed), make(m, seed + 1ULL), count, 2));
}

}  // namespace
}  // namespace mercer::metrics
