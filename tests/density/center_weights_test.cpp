#include "density/center_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::density {
namespace {

using engine::RandomStream;
using engine::Workers;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::uniform_matrix;

struct Cover {
  Matrix<double> centres;
  std::vector<double> weights;
};

/// Rows in order; one that no centre is nearer to than `radius` becomes a centre, any other goes to
/// the first centre that is.
Cover shadow_cover(MatrixView<const double> points, double radius) {
  std::vector<std::size_t> rows;
  std::vector<double> weights;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto covers = [&](std::size_t row) {
      double squared = 0;
      for (std::size_t j = 0; j < points.cols(); ++j) {
        squared += std::pow(points(i, j) - points(row, j), 2);
      }
      return squared < radius * radius;
    };
    const auto at = static_cast<std::size_t>(std::ranges::find_if(rows, covers) - rows.begin());
    if (at == rows.size()) {
      rows.push_back(i);
      weights.push_back(0);
    }
    weights[at] += 1;
  }
  Cover cover{Matrix<double>(rows.size(), points.cols()), weights};
  for (std::size_t c = 0; c < rows.size(); ++c) {
    std::ranges::copy(points.row(rows[c]), cover.centres.row(c).begin());
  }
  return cover;
}

/// u^T (K o ... o K) v.
double form(const Kernel& kernel, int power, MatrixView<const double> x,
            const std::vector<double>& u, MatrixView<const double> y,
            const std::vector<double>& v) {
  const auto k = engine::reference::kernel_matrix(kernel, x, y);
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    for (std::size_t j = 0; j < v.size(); ++j) sum += u[i] * v[j] * std::pow(k(i, j), power);
  }
  return sum;
}

/// Distance of the feature means (power 1) or covariance operators (power 2), both divided by the
/// number of points.
double distance(const Kernel& kernel, int power, MatrixView<const double> points,
                MatrixView<const double> centres, const std::vector<double>& weights) {
  const std::vector<double> ones(points.rows(), 1.0);
  const double squared = form(kernel, power, points, ones, points, ones) -
                         2 * form(kernel, power, points, ones, centres, weights) +
                         form(kernel, power, centres, weights, centres, weights);
  return std::sqrt(std::max(squared, 0.0)) / static_cast<double>(points.rows());
}

std::vector<double> weights_of(const Kernel& kernel, MatrixView<const double> centres, int power,
                               MatrixView<const double> points,
                               const std::vector<double>& point_weights = {},
                               std::size_t threads = 2) {
  Workers workers(RunOptions{.threads = threads});
  KernelSums sums(kernel, centres, power);
  sums.add(points, point_weights, workers);
  return optimal_weights(kernel, centres, power, sums.sums(), workers);
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(CenterWeights, ReachTheRecordedDistances) {
  const auto points = uniform_matrix(300, 2, 42);
  const auto cover = shadow_cover(points, 0.125);
  const Gaussian kernel{4.0};
  ASSERT_EQ(cover.weights.size(), 36U);
  ASSERT_NEAR(distance(kernel, 1, points, cover.centres, cover.weights), 0.01286869446, 1e-8);
  ASSERT_NEAR(distance(kernel, 2, points, cover.centres, cover.weights), 0.02136813405, 1e-8);
  const auto of_means = weights_of(kernel, cover.centres, 1, points);
  EXPECT_NEAR(distance(kernel, 1, points, cover.centres, of_means), 0.00039, 5e-6);
  EXPECT_NEAR(distance(kernel, 2, points, cover.centres, of_means), 0.00353, 5e-6);
  const auto of_operators = weights_of(kernel, cover.centres, 2, points);
  EXPECT_LT(distance(kernel, 2, points, cover.centres, of_operators), 0.00353);
  EXPECT_GT(distance(kernel, 1, points, cover.centres, of_operators), 0.00039);
}

/// Distance with optimal weights over that with the counts of a shadow cover.
double gain(const Kernel& kernel, int power, MatrixView<const double> points, double radius) {
  const auto cover = shadow_cover(points, radius);
  const auto weights = weights_of(kernel, cover.centres, power, points);
  EXPECT_TRUE(std::ranges::all_of(weights, [](double weight) { return weight >= 0; }));
  return distance(kernel, power, points, cover.centres, weights) /
         distance(kernel, power, points, cover.centres, cover.weights);
}

TEST(CenterWeights, AreNeverWorseThanCounts) {
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    const auto points = normal_matrix(60 + 3 * trial, 1 + trial % 3, trial);
    const double radius = 0.3 + 0.1 * static_cast<double>(trial % 4);
    for (const int power : {1, 2}) {
      EXPECT_LE(gain(Gaussian{0.7}, power, points, radius), 1) << trial << ", power " << power;
      EXPECT_LE(gain(Laplacian{1.1}, power, points, radius), 1) << trial << ", power " << power;
    }
  }
}

TEST(CenterWeights, AreUsuallyThreeTimesBetterThanCountsForASmoothKernel) {
  std::vector<double> gains;
  for (std::uint64_t trial = 0; trial < 30; ++trial) {
    gains.push_back(gain(Gaussian{4.0}, 2, uniform_matrix(150, 2, trial), 0.125));
  }
  std::ranges::sort(gains);
  EXPECT_LT(gains[15], 0.32);
  EXPECT_LT(gains.back(), 0.52);
}

TEST(CenterWeights, OfAllRowsAreTheirOwn) {
  const auto points = normal_matrix(40, 2, 1);
  std::vector<double> point_weights(40);
  for (std::size_t i = 0; i < 40; ++i) point_weights[i] = 1 + RandomStream(1).uniform(i);
  for (const int power : {1, 2}) {
    const auto weights = weights_of(Laplacian{2.0}, points, power, points, point_weights);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(weights[i], point_weights[i], 1e-5) << i;
  }
}

TEST(CenterWeights, OfALoneCentreAreTheRegression) {
  Matrix<double> points(3, 1);
  points(1, 0) = 1;
  points(2, 0) = 2;
  const auto weights = weights_of(Gaussian{1.0}, points.view().rows_from(0, 1), 2, points);
  ASSERT_EQ(weights.size(), 1U);
  EXPECT_NEAR(weights[0], 1 + std::exp(-2.0) + std::exp(-8.0), 1e-8);
}

TEST(CenterWeights, AreSharedByEqualCentres) {
  Matrix<double> centres(6, 2);
  std::fill_n(centres.data(), centres.size(), 0.3);
  const auto points = normal_matrix(50, 2, 3);
  const auto weights = weights_of(Gaussian{0.5}, centres, 1, points);
  const auto alone = weights_of(Gaussian{0.5}, centres.view().rows_from(0, 1), 1, points);
  for (const double weight : weights) EXPECT_NEAR(weight, alone[0] / 6, 1e-6);
  const auto of_copies = weights_of(Gaussian{0.5}, centres, 2, centres);
  EXPECT_NEAR(sum(of_copies), 6, 1e-6) << "constant data";
}

TEST(CenterWeights, OfWeightedRowsAreThoseOfRepeatedRows) {
  const auto points = normal_matrix(120, 2, 4);
  std::vector<double> point_weights(120);
  for (std::size_t i = 0; i < 120; ++i) point_weights[i] = static_cast<double>(1 + i % 3);
  const auto cover = shadow_cover(points, 0.6);
  const auto a = weights_of(Gaussian{0.5}, cover.centres, 2, points, point_weights);
  const auto b = weights_of(Gaussian{0.5}, cover.centres, 2, repeat_rows(points, point_weights));
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-6) << j;
  EXPECT_NEAR(sum(a), sum(point_weights), 0.05 * sum(point_weights));
}

TEST(CenterWeights, FollowTheUnitsOfDataAndWeights) {
  const auto points = normal_matrix(100, 2, 5);
  const auto cover = shadow_cover(points, 0.5);
  const auto expected = weights_of(Gaussian{0.25}, cover.centres, 1, points);
  const auto scaled = [](Matrix<double> matrix, int exponent) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      matrix.data()[i] = std::ldexp(matrix.data()[i], exponent);
    }
    return matrix;
  };
  for (const int exponent : {500, -500}) {
    const auto weights = weights_of(Gaussian{std::ldexp(0.25, -2 * exponent)},
                                    scaled(cover.centres, exponent), 1, scaled(points, exponent));
    for (std::size_t j = 0; j < weights.size(); ++j) EXPECT_NEAR(weights[j], expected[j], 1e-6);
    const auto of_units = weights_of(Gaussian{0.25}, cover.centres, 1, points,
                                     std::vector<double>(100, std::ldexp(1.0, exponent)));
    for (std::size_t j = 0; j < weights.size(); ++j) {
      EXPECT_EQ(std::ldexp(of_units[j], -exponent), expected[j]);
    }
  }
}

TEST(CenterWeights, AreZeroWhereNothingIsOnTheCentresSide) {
  // <c, x> < 0 for all rows: the best multiple of c that is not negative is 0.
  Matrix<double> centre(1, 1);
  centre(0, 0) = -1;
  Matrix<double> points(2, 1);
  points(0, 0) = 1;
  points(1, 0) = 2;
  EXPECT_EQ(weights_of(Linear{}, centre, 1, points), std::vector<double>{0});
}

TEST(CenterWeights, DoNotDependOnThreads) {
  const auto points = normal_matrix(1500, 3, 6);
  const auto cover = shadow_cover(points, 0.5);
  ASSERT_GT(cover.weights.size(), 200U);
  EXPECT_EQ(weights_of(Gaussian{1.0}, cover.centres, 2, points, {}, 3),
            weights_of(Gaussian{1.0}, cover.centres, 2, points, {}, 1));
}

TEST(CenterWeights, RefuseWhatHasNoOptimum) {
  const auto points = normal_matrix(5, 2, 1);
  Workers workers(RunOptions{.threads = 1});
  const std::vector<double> z(5, 1.0);
  EXPECT_THROW(optimal_weights(Gaussian{1.0}, points, 3, z, workers), InvalidArgument);
  EXPECT_THROW(optimal_weights(Gaussian{}, points, 1, z, workers), InvalidArgument);
  EXPECT_THROW(optimal_weights(Precomputed{}, points, 1, z, workers), InvalidArgument);
  EXPECT_THROW(optimal_weights(Gaussian{1.0}, points, 1, std::vector<double>(4, 1.0), workers),
               InvalidArgument);
  EXPECT_THROW(optimal_weights(Gaussian{1.0}, points, 1, std::vector<double>(5, NAN), workers),
               NumericalError);
  EXPECT_TRUE(optimal_weights(Gaussian{1.0}, Matrix<double>(0, 2), 1, {}, workers).empty());
  // Not positive semi-definite, and unbounded below.
  const Custom indefinite{.function = [](std::span<const double> x, std::span<const double> y) {
    return x[0] == y[0] ? 1.0 : -2.0;
  }};
  EXPECT_THROW(optimal_weights(indefinite, points, 1, z, workers), NumericalError);
}

}  // namespace
}  // namespace mercer::density
