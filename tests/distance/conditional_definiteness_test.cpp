#include "distance/conditional_definiteness.h"

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/distance.h>

#include "numbers.h"

namespace mercer::distance {
namespace {

Matrix<double> squares_of(const Distance& distance, MatrixView<const double> points) {
  return squared_distances(distance, points, points);
}

Matrix<double> raised(Matrix<double> squares, double power) {
  for (std::size_t i = 0; i < squares.size(); ++i) {
    squares.data()[i] = std::pow(squares.data()[i], power);
  }
  return squares;
}

bool holds(Matrix<double> squares) {
  return measure_definiteness(squares).holds;
}

TEST(ConditionalDefiniteness, HoldsForTheSquaresAndFailsForTheirSquares) {
  auto points = testing::uniform_matrix(60, 5, 1);
  for (std::size_t i = 0; i < 60; ++i) {  // distributions, for those that want them
    double sum = 0;
    for (const double value : points.row(i)) sum += value;
    for (double& value : points.row(i)) value /= sum;
  }
  for (const Distance& distance :
       {Distance(EuclideanDistance{}), Distance(L1Distance{}), Distance(Chi2Distance{}),
        Distance(HellingerDistance{}), Distance(JensenShannonDistance{}),
        Distance(CosineDistance{}), Distance(KernelDistance{Gaussian{.gamma = 1}})}) {
    EXPECT_TRUE(holds(squares_of(distance, points))) << distance_name(distance);
    EXPECT_FALSE(holds(raised(squares_of(distance, points), 2))) << distance_name(distance);
  }
  const auto bits = testing::normal_matrix(60, 30, 2);
  for (const Distance& distance :
       {Distance(HammingDistance{.threshold = 0}), Distance(JaccardDistance{.threshold = 0})}) {
    EXPECT_TRUE(holds(squares_of(distance, bits))) << distance_name(distance);
    EXPECT_FALSE(holds(raised(squares_of(distance, bits), 2))) << distance_name(distance);
  }
}

TEST(ConditionalDefiniteness, TheSquareTellsHammingDistancesApart) {
  Matrix<double> cube(4, 2);
  cube(1, 0) = cube(2, 0) = cube(2, 1) = cube(3, 1) = 1;
  const auto h = squares_of(HammingDistance{}, cube);
  EXPECT_TRUE(holds(h));
  EXPECT_FALSE(holds(raised(h, 2)));
}

TEST(ConditionalDefiniteness, ClippingAndShiftingRepair) {
  const auto points = testing::normal_matrix(40, 3, 3);
  const auto bad = raised(squares_of(EuclideanDistance{}, points), 2);
  Matrix<double> clipped = bad;
  clip_negative_part(clipped);
  Matrix<double> again = clipped;
  const auto after = measure_definiteness(again);
  EXPECT_GT(after.smallest, -1e-10 * after.largest);
  Matrix<double> measured = bad;
  const auto before = measure_definiteness(measured);
  EXPECT_GT(before.negative_share, 0.01);
  Matrix<double> shifted = bad;
  shift_squares(shifted, -2 * before.smallest);
  const auto repaired = measure_definiteness(shifted);
  EXPECT_GT(repaired.smallest, -1e-10 * repaired.largest);
}

TEST(ConditionalDefiniteness, ClippingLeavesGoodDistancesAlone) {
  const auto points = testing::normal_matrix(20, 30, 4);
  const auto good = squares_of(EuclideanDistance{}, points);
  Matrix<double> clipped = good;
  clip_negative_part(clipped);
  EXPECT_LT(testing::largest_difference(clipped, good), 1e-11);
}

TEST(ConditionalDefiniteness, OneItemAndEqualItemsAreFine) {
  EXPECT_TRUE(holds(Matrix<double>(1, 1)));
  EXPECT_TRUE(holds(Matrix<double>(5, 5)));
}

}  // namespace
}  // namespace mercer::distance
