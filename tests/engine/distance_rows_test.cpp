#include "engine/distance_rows.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/every_distance.h"
#include "engine/pair_distances.h"
#include "engine/simd.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

class DistancesOnEveryTarget : public ::testing::TestWithParam<std::string> {
 protected:
  DistancesOnEveryTarget() : target_(GetParam()) {}

 private:
  ForcedSimdTarget target_;
};
INSTANTIATE_TEST_SUITE_P(Simd, DistancesOnEveryTarget, ::testing::ValuesIn(simd_targets()),
                         [](const auto& target) { return target.param; });

TEST_P(DistancesOnEveryTarget, FollowTheFormulas) {
  for (const std::size_t d : {1U, 3U, 8U, 21U, 64U, 401U, 600U}) {
    auto points = testing::uniform_matrix(70, d, d);
    for (std::size_t j = 0; j < d; j += 2) points(3, j) = 0;  // zeros on one or both sides
    for (std::size_t j = 0; j < d; j += 4) points(5, j) = 0;
    if (d == 1) points(3, 0) = 0.5;
    if (d == 1) points(5, 0) = 0.5;
    const auto queries = testing::uniform_matrix(5, d, d + 1);
    for (const Distance& distance : testing::every_distance()) {
      const auto squares = squared_distances(distance, queries, points);
      const auto among = squared_distances(distance, points, points);
      for (std::size_t i = 0; i < points.rows(); ++i) {
        for (std::size_t q = 0; q < queries.rows(); ++q) {
          const double exact = squared_distance(distance, queries.row(q), points.row(i));
          EXPECT_NEAR(squares(q, i), exact, 1e-13 * std::max(static_cast<double>(d), exact))
              << distance_name(distance) << " d " << d << " pair " << q << " " << i;
        }
        const double exact = squared_distance(distance, points.row(3), points.row(i));
        EXPECT_NEAR(among(3, i), exact, 1e-13 * std::max(static_cast<double>(d), exact))
            << distance_name(distance);
        if (!std::holds_alternative<KernelDistance>(distance)) {
          EXPECT_EQ(among(i, i), 0);
        }
      }
    }
  }
}

TEST_P(DistancesOnEveryTarget, HaveTheSameBitsInAnyCompany) {
  const auto points = testing::uniform_matrix(150, 37, 2);
  for (const Distance& distance : testing::every_distance()) {
    const DistanceRows rows(distance, points);
    Workers one({.threads = 1});
    Workers three({.threads = 3});
    const auto all = all_rows(points.rows());
    const RowPairs pairs(rows, rows);
    const auto block = distance_block(pairs, 0, 150, all, one);
    EXPECT_TRUE(testing::same_bits(block, distance_block(pairs, 0, 150, all, three)));
    for (const std::size_t j : {0U, 3U, 149U, 70U}) {
      double alone = 0;
      rows.squares(rows, 11, {&all[j], 1}, &alone);
      EXPECT_EQ(alone, block(11, j)) << distance_name(distance);
      EXPECT_EQ(block(j, 11), block(11, j)) << distance_name(distance);
    }
    const std::vector<std::size_t> backwards{149, 20, 20, 3};
    std::vector<double> some(backwards.size());
    rows.squares(rows, 11, backwards, some.data());
    for (std::size_t c = 0; c < some.size(); ++c) EXPECT_EQ(some[c], block(11, backwards[c]));
  }
}

TEST(DistanceRows, EuclideanDistancesStayAccurateFarFromTheOrigin) {
  const auto points = testing::normal_matrix(10, 6, 3, 1e-3, 1e6);
  const auto squares = squared_distances(EuclideanDistance{}, points, points);
  for (std::size_t i = 1; i < 10; ++i) {
    const double exact = squared_distance(EuclideanDistance{}, points.row(0), points.row(i));
    EXPECT_NEAR(squares(0, i) / exact, 1, 1e-14);
  }
}

TEST(DistanceRows, CosineDistancesDoNotSeeTheScale) {
  auto points = testing::normal_matrix(4, 5, 4);
  const auto squares = squared_distances(CosineDistance{}, points, points);
  for (std::size_t j = 0; j < 5; ++j) {
    points(1, j) *= 1e200;
    points(2, j) *= 1e-200;
  }
  EXPECT_LT(
      testing::largest_difference(squared_distances(CosineDistance{}, points, points), squares),
      1e-15);
}

TEST(DistanceRows, SquaresThatOverflowOrAreNoSquaresAreReported) {
  Matrix<double> points(2, 1);
  points(0, 0) = 1e200;
  EXPECT_THROW(squared_distances(EuclideanDistance{}, points, points), NumericalError);
  const CustomDistance negative{.squared = [](auto, auto) { return -1.0; }};
  EXPECT_THROW(squared_distances(negative, points, points), NumericalError);
}

TEST(DistanceRows, PrecomputedOnesAreReadFromTheRow) {
  Matrix<double> given(3, 3);
  given(0, 1) = given(1, 0) = 2;
  given(0, 2) = given(2, 0) = 3;
  const std::vector<std::size_t> columns{2, 0, 1};
  std::vector<double> squares(3);
  const DistanceRows roots(PrecomputedDistance{}, given);
  roots.squares(roots, 0, columns, squares.data());
  EXPECT_EQ(squares, (std::vector<double>{9, 0, 4}));
  const DistanceRows already(PrecomputedDistance{.squared = true}, given);
  already.squares(already, 0, columns, squares.data());
  EXPECT_EQ(squares, (std::vector<double>{3, 0, 2}));
}

}  // namespace
}  // namespace mercer::engine
