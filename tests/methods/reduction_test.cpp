#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include <mercer/cover.h>
#include <mercer/error.h>
#include <mercer/reduced_set.h>
#include <mercer/reduction.h>

#include "density/squared_distance.h"
#include "methods/square_points.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;
using testing::square_points;

const Kernel kKernel = Gaussian{.gamma = 4};

bool has_bound(const Summary& summary, const std::string& name) {
  return std::ranges::any_of(summary.bounds, [&](const Bound& b) { return b.name == name; });
}

double mapped_squared_distance(const WeightedSet& set, MatrixView<const double> points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    sum += density::squared_distance(points.row(i), set.centers.row(set.map[i]), 1);
  }
  return sum / static_cast<double>(points.rows());
}

TEST(Reduction, EveryWayKeepsTheWeightOfTheRows) {
  const auto points = square_points(300, 1);
  std::vector<double> weights(300);
  std::iota(weights.begin(), weights.end(), 1.0);
  for (const auto method : {Reduction::none, Reduction::shadow, Reduction::kmeans,
                            Reduction::paring, Reduction::herding}) {
    const WeightedSet set = reduce_to_centers(points, weights, kKernel, {.method = method});
    EXPECT_NEAR(set.total_weight(), 300 * 301 / 2.0, 1e-8);
    EXPECT_DOUBLE_EQ(set.data_weight, 300 * 301 / 2.0);
    EXPECT_EQ(set.data_rows, 300u);
    EXPECT_EQ(set.reduction, method);
    for (std::size_t j = 0; j < set.rows.size(); ++j) {
      EXPECT_TRUE(std::ranges::equal(set.centers.row(j), points.row(set.rows[j])));
    }
  }
}

TEST(Reduction, MapsAndQuantizationBelongTogether) {
  const auto points = square_points(300, 2);
  for (const auto method : {Reduction::shadow, Reduction::kmeans}) {
    for (const auto how : {CenterWeights::count, CenterWeights::nearest}) {
      const WeightedSet set = reduce_to_centers(
          points, {}, kKernel, {.method = method, .weights = how, .iterations = 2});
      ASSERT_EQ(set.map.size(), 300u);
      ASSERT_TRUE(set.quantization);
      EXPECT_NEAR(mapped_squared_distance(set, points), set.quantization->mean_squared_distance,
                  1e-14);
      std::vector<double> counted(set.size(), 0.0);
      for (const std::size_t centre : set.map) counted[centre] += 1;
      EXPECT_EQ(counted, set.weights);
    }
  }
}

TEST(Reduction, NearestIsNeverFartherThanFirst) {
  const auto points = square_points(500, 3);
  const auto first = reduce_to_centers(points, {}, kKernel, {.ell = 3});
  const auto nearest =
      reduce_to_centers(points, {}, kKernel, {.ell = 3, .weights = CenterWeights::nearest});
  EXPECT_TRUE(testing::same_bits(first.centers, nearest.centers));
  EXPECT_LE(nearest.quantization->mean_squared_distance, first.quantization->mean_squared_distance);
}

TEST(Reduction, ShuffleIsACoverInAnotherOrder) {
  const auto points = square_points(400, 4);
  const ReductionOptions options{.radius = 0.15, .shuffle = true};
  const auto a = reduce_to_centers(points, {}, kKernel, options, {.seed = 1});
  const auto same = reduce_to_centers(points, {}, kKernel, options, {.threads = 1, .seed = 1});
  const auto b = reduce_to_centers(points, {}, kKernel, options, {.seed = 2});
  EXPECT_EQ(a.rows, same.rows);
  EXPECT_NE(a.rows, b.rows);
  ASSERT_EQ(a.map.size(), 400u);
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_LT(density::squared_distance(points.row(i), a.centers.row(a.map[i]), 1), 0.15 * 0.15);
  }
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_EQ(a.map[a.rows[j]], j);
}

TEST(Reduction, MoreCentresThanRowsAreAllRows) {
  const auto points = square_points(20, 5);
  for (const auto method : {Reduction::kmeans, Reduction::paring}) {
    const auto set = reduce_to_centers(points, {}, kKernel, {.method = method, .centers = 50});
    EXPECT_EQ(set.size(), 20u);
    EXPECT_NEAR(set.total_weight(), 20, 1e-12);
  }
}

TEST(Reduction, CopiesThatWereDrawnTwiceWeighOnceByTheNearest) {
  Matrix<double> points(30, 1);
  for (std::size_t i = 0; i < 30; ++i) points(i, 0) = static_cast<double>(i % 3);
  const auto set = reduce_to_centers(
      points, {}, kKernel,
      {.method = Reduction::paring, .centers = 30, .weights = CenterWeights::nearest});
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.weights, (std::vector<double>{10, 10, 10}));
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(set.centers(set.map[i], 0), points(i, 0));
}

TEST(Reduction, OtherKernelsNeedANumber) {
  const auto points = square_points(50, 6);
  for (const auto method : {Reduction::shadow, Reduction::kmeans, Reduction::herding}) {
    EXPECT_THROW(reduce_to_centers(points, {}, Linear{}, {.method = method}), InvalidArgument);
  }
  const auto set = reduce_to_centers(points, {}, Polynomial{.gamma = 1},
                                     {.method = Reduction::kmeans, .centers = 5});
  EXPECT_EQ(set.size(), 5u);
  EXPECT_FALSE(set.quantization);
}

TEST(Reduction, RefusesContradictions) {
  const auto points = square_points(10, 7);
  const auto refused = [&](const ReductionOptions& options) {
    EXPECT_THROW(reduce_to_centers(points, {}, kKernel, options), InvalidArgument);
  };
  refused({.method = Reduction::none, .ell = 3});
  refused({.method = Reduction::none, .weights = CenterWeights::nearest});
  refused({.method = Reduction::kmeans, .centers = 3, .shuffle = true});
  refused({.ell = 0});
  refused({.radius = -1});
  EXPECT_THROW(reduce_to_centers(points, {}, Gaussian{}, {}), InvalidArgument);
  EXPECT_THROW(reduce_to_centers(points, {}, Precomputed{}, {}), InvalidArgument);
  EXPECT_THROW(reduce_to_centers(Matrix<double>(0, 2), {}, kKernel, {}), DataError);
  EXPECT_THROW(reduce_to_centers(points, {}, kKernel, {.method = Reduction::none},
                                 {.memory_limit_bytes = 100}),
               MemoryLimitError);
}

TEST(ReducedSetOfASet, OwnSetsNeedWeightsAndNothingElse) {
  WeightedSet set;
  set.centers = Matrix<double>(square_points(20, 8));
  EXPECT_THROW(fit_reduced_set(set, kKernel), InvalidArgument);
  set.weights.assign(20, 2.0);
  EXPECT_THROW(fit_reduced_set(set, Gaussian{}), InvalidArgument);
  EXPECT_THROW(fit_reduced_set(set, Precomputed{}), InvalidArgument);
  const Fit fit = fit_reduced_set(set, kKernel, {.components = 3});
  EXPECT_EQ(fit.summary.n, 20u);
  EXPECT_DOUBLE_EQ(fit.summary.total_weight, 40);
  EXPECT_TRUE(fit.summary.bounds.empty());
}

TEST(ReducedSetOfASet, BoundsFollowTheSetAndNotTheOptions) {
  const auto points = square_points(200, 9);
  const auto optimal = reduce_to_centers(points, {}, kKernel,
                                         {.ell = 3, .weights = CenterWeights::operator_optimal});
  const Summary summary = fit_reduced_set(optimal, kKernel, {.components = 3}).summary;
  EXPECT_FALSE(has_bound(summary, "mmd_rows"));
  EXPECT_FALSE(has_bound(summary, "centered_eigenvalues_rows"));
  EXPECT_TRUE(has_bound(summary, "hilbert_schmidt_rows"));
  const auto counted = reduce_to_centers(points, {}, kKernel, {.ell = 3});
  EXPECT_TRUE(has_bound(fit_reduced_set(counted, kKernel, {}).summary, "mmd_rows"));
  const Summary other = fit_reduced_set(counted, Gaussian{.gamma = 1}, {}).summary;
  EXPECT_FALSE(has_bound(other, "mmd_rows")) << "measured with another kernel";
  EXPECT_TRUE(has_bound(other, "mmd_radius"));
}

// Nearly all weight in one place: centring takes away what bounds the eigenvalues of the operators.
TEST(ReducedSetBounds, CentredEigenvaluesHaveTheirOwn) {
  Matrix<double> points(10001, 2);
  for (std::size_t i = 9800; i < 10000; ++i) points(i, 0) = 3;
  points(10000, 0) = 100;
  ReducedSetOptions options{.components = 1};
  options.reduction.ell = 0.3;
  options.verify = true;
  const Summary summary = fit_reduced_set(points, Gaussian{.gamma = 1}, options).summary;
  double bound = NAN;
  double measured = NAN;
  for (const Bound& b : summary.bounds) {
    if (b.name == "centered_eigenvalues_rows") bound = b.value;
    if (b.name == "kept_eigenvalues_measured") measured = b.value;
    EXPECT_NE(b.name, "eigenvalues_rows");
  }
  EXPECT_GT(measured, 0.03);
  EXPECT_LE(measured, bound);
}

TEST(CoverSafety, CancelledRunsLeaveItWhole) {
  const auto points = normal_matrix(40000, 8, 1);
  Cover cover(kKernel, 8, 1.0);
  cover.add(points.view().rows_from(0, 5000));
  int polls = 0;
  RunOptions run;
  run.cancelled = [&] { return ++polls > 2; };
  EXPECT_THROW(cover.add(points.view().rows_from(5000, 35000), {}, run), Cancelled);
  const WeightedSet set = cover.set();
  EXPECT_DOUBLE_EQ(set.total_weight(), static_cast<double>(cover.rows()));
  EXPECT_DOUBLE_EQ(cover.total_weight(), static_cast<double>(cover.rows()));
  EXPECT_EQ(set.rows.size(), set.size());
}

TEST(CoverSafety, MergesWithItselfAndWithNothing) {
  const auto points = square_points(200, 3);
  Cover cover(kKernel, 2, 0.1);
  cover.add(points);
  const WeightedSet before = cover.set();
  cover.merge(cover);
  EXPECT_EQ(cover.rows(), 400u);
  EXPECT_DOUBLE_EQ(cover.reach(), 0.1) << "no row has moved";
  EXPECT_TRUE(testing::same_bits(cover.set().centers, before.centers));
  EXPECT_DOUBLE_EQ(cover.set().weights[0], 2 * before.weights[0]);
  Cover empty(kKernel, 2, 0.1);
  empty.merge(cover);
  EXPECT_DOUBLE_EQ(empty.reach(), 0.1);
  EXPECT_EQ(empty.rows(), 400u);
  cover.merge(Cover(kKernel, 2, 0.1));
  EXPECT_EQ(cover.rows(), 400u);
}

}  // namespace
}  // namespace mercer
