#include "distance/distance_map.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "distance/golden_bits.h"
#include "distance/gram_powers.h"
#include "distance/leave_one_out.h"
#include "engine/blas.h"
#include "engine/tall.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer::distance {
namespace {

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

struct Case {
  Matrix<double> squares;
  std::vector<std::size_t> sample;
  std::vector<std::size_t> landmarks;
  TrainingSquares training() const { return {squares, sample, landmarks}; }
};

Case euclidean_case(std::size_t n, std::size_t d, std::vector<std::size_t> landmarks) {
  const auto points = testing::normal_matrix(n, d, n + d);
  return {squared_distances(EuclideanDistance{}, points, points), all_rows(n),
          std::move(landmarks)};
}

TEST(DistanceMap, LeveragesAreThoseRecorded) {
  const testing::ItemsAndQuery data{testing::golden_bits()};
  const Case hamming{data.squares, all_rows(12), {10, 2, 7, 1}};
  engine::Workers workers({});
  const auto origin =
      make_origin(DistanceOrigin::constant, 5, hamming.training().among_landmarks());
  const auto map = projection_map(hamming.training(), origin, workers);
  const auto expected = golden::Golden::load("sparse_distance/hamming.txt").values("leverage");
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(map.leverages[i], expected[i], 1e-13);
}

TEST(DistanceMap, RegressionIsLeastSquaresOfTheKernelMatrix) {
  const Case c = euclidean_case(30, 6, {3, 9, 20, 25});
  engine::Workers workers({});
  const auto origin = make_origin(DistanceOrigin::centroid, 0, c.training().among_landmarks());
  const auto map = projection_map(c.training(), origin, workers);
  // The error of squares is twice that of kernel values, and orthogonal to those with landmarks.
  std::vector<double> g(30);
  for (std::size_t i = 0; i < 30; ++i) g[i] = origin(c.training().to_landmarks(i));
  for (std::size_t i = 0; i < 30; ++i) {
    std::vector<double> error(30);
    for (std::size_t j = 0; j < 30; ++j) {
      error[j] =
          dot(map.weights.row(i), c.training().to_landmarks(j)) + map.offset[i] - c.squares(i, j);
    }
    for (const std::size_t r : c.landmarks) {
      double product = 0;
      for (std::size_t j = 0; j < 30; ++j)
        product += error[j] * (g[j] + g[r] - c.squares(r, j) / 2);
      EXPECT_NEAR(product, 0, 1e-9) << i << " " << r;
    }
  }
}

TEST(DistanceMap, IsExactOnTheLandmarksBeforeTheyAreOverwritten) {
  // Smooth kernels: condition numbers up to 1e9 and beyond.
  const auto points = testing::normal_matrix(120, 2, 7);
  std::vector<std::size_t> landmarks;
  for (std::size_t i = 0; i < 24; ++i) landmarks.push_back(5 * i);
  for (const double sigma : {1.0, 3.0, 6.0}) {
    const Distance distance = KernelDistance{Gaussian::from_sigma(sigma)};
    const Case c{squared_distances(distance, points, points), all_rows(120), landmarks};
    engine::Workers workers({});
    // Two landmarks as ordinary items: a copy of the first is estimated, not overwritten.
    auto copied = testing::normal_matrix(121, 2, 7);
    std::ranges::copy(copied.row(0), copied.row(120).begin());
    const Case with_copy{squared_distances(distance, copied, copied), all_rows(121), landmarks};
    const auto map = projection_map(
        with_copy.training(),
        make_origin(DistanceOrigin::constant, 0.5, with_copy.training().among_landmarks()),
        workers);
    for (std::size_t j = 0; j < 121; ++j) {
      const auto to_landmarks = with_copy.training().to_landmarks(j);
      const double estimate = dot(map.weights.row(120), to_landmarks) + map.offset[120];
      EXPECT_NEAR(estimate, with_copy.squares(j, 0), 1e-6) << sigma << " " << j;
    }
  }
}

TEST(DistanceMap, LeaveOneOutIsWhatRefittingWithoutAnItemGives) {
  const Case c = euclidean_case(25, 8, {2, 11, 17});
  engine::Workers workers({});
  const auto constant = make_origin(DistanceOrigin::constant, 20, c.training().among_landmarks());
  const auto map = projection_map(c.training(), constant, workers);
  const std::size_t left_out = 5;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < 25; ++i) {
    if (i != left_out) others.push_back(i);
  }
  Matrix<double> squares(25, 24);
  std::vector<std::size_t> landmarks;
  for (std::size_t c2 = 0; c2 < 24; ++c2) {
    for (std::size_t i = 0; i < 25; ++i) squares(i, c2) = c.squares(i, others[c2]);
  }
  for (const std::size_t r : c.landmarks) {
    landmarks.push_back(static_cast<std::size_t>(std::ranges::find(others, r) - others.begin()));
  }
  const auto without = projection_map({squares, others, landmarks}, constant, workers);
  const auto to_landmarks = c.training().to_landmarks(left_out);
  for (std::size_t i = 0; i < 25; ++i) {
    if (i == left_out) continue;
    const double refitted =
        dot(without.weights.row(i), to_landmarks) + without.offset[i] - c.squares(i, left_out);
    const double closed =
        (dot(map.weights.row(i), to_landmarks) + map.offset[i] - c.squares(i, left_out)) /
        (1 - map.leverages[left_out]);
    EXPECT_NEAR(closed, refitted, 1e-10) << i;
  }
}

TEST(DistanceMap, RidgeIsExactOnLandmarksAndAtLeastAsGoodAsAConstant) {
  const Case c = euclidean_case(40, 5, {1, 20});
  engine::Workers workers({});
  const auto map = ridge_map(c.training(), workers);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(map.weights(c.landmarks[k], k), 1);
    EXPECT_EQ(map.offset[c.landmarks[k]], 0);
  }
  EXPECT_LT(leave_one_out(c.training(), map, workers).mean_square, 60);
}

TEST(DistanceMap, OwnMapsMustBeTheIdentityOnTheLandmarks) {
  const Case c = euclidean_case(10, 3, {0, 4});
  const auto origin = make_origin(DistanceOrigin::base_point, 0, c.training().among_landmarks());
  Matrix<double> t(10, 2);
  EXPECT_THROW(own_map(c.training(), origin, t), InvalidArgument);
  t(0, 0) = t(4, 1) = 1;
  EXPECT_NO_THROW(own_map(c.training(), origin, t));
  EXPECT_THROW(own_map(c.training(), origin, Matrix<double>(9, 2)), InvalidArgument);
}

}  // namespace
}  // namespace mercer::distance
