#include "density/kmeans.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "numbers.h"

namespace mercer::density {
namespace {

using engine::RandomStream;
using engine::Workers;
using testing::largest_difference;
using testing::normal_matrix;
using testing::repeat_rows;

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> points(values.size(), 1);
  std::ranges::copy(values, points.data());
  return points;
}

Matrix<double> rows_of(MatrixView<const double> points, const std::vector<std::size_t>& rows) {
  Matrix<double> chosen(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(points.row(rows[i]), chosen.row(i).begin());
  }
  return chosen;
}

double squared(MatrixView<const double> a, std::size_t i, MatrixView<const double> b,
               std::size_t j) {
  double sum = 0;
  for (std::size_t c = 0; c < a.cols(); ++c) sum += std::pow(a(i, c) - b(j, c), 2);
  return sum;
}

std::vector<std::size_t> nearest_by_loop(MatrixView<const double> points,
                                         MatrixView<const double> centres) {
  std::vector<std::size_t> nearest(points.rows(), 0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 1; c < centres.rows(); ++c) {
      if (squared(points, i, centres, c) < squared(points, i, centres, nearest[i])) nearest[i] = c;
    }
  }
  return nearest;
}

double inertia(MatrixView<const double> points, const std::vector<double>& weights,
               const Cells& cells) {
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    sum +=
        (weights.empty() ? 1 : weights[i]) * squared(points, i, cells.centres, cells.assignment[i]);
  }
  return sum;
}

class KMeans : public ::testing::Test {
 protected:
  Workers workers_{RunOptions{.threads = 2}};
};

TEST_F(KMeans, SeedsFollowTheLawOfKMeansPlusPlus) {
  const auto points = column({0, 1, 3, 7});
  const std::vector<double> weights = {1, 2, 0.5, 1};
  // Probability of every ordered triple by enumeration.
  std::map<std::vector<std::size_t>, double> law;
  const auto masses = [&](const std::vector<std::size_t>& chosen) {
    std::vector<double> mass = weights;
    for (std::size_t i = 0; i < 4 && !chosen.empty(); ++i) {
      double nearest = INFINITY;
      for (const std::size_t c : chosen) nearest = std::min(nearest, squared(points, i, points, c));
      mass[i] *= nearest;
    }
    return mass;
  };
  const auto enumerate = [&](auto&& self, std::vector<std::size_t> chosen, double p) -> void {
    if (chosen.size() == 3) {
      law[chosen] = p;
      return;
    }
    const auto mass = masses(chosen);
    double total = 0;
    for (const double value : mass) total += value;
    for (std::size_t i = 0; i < 4; ++i) {
      if (mass[i] == 0) continue;
      auto longer = chosen;
      longer.push_back(i);
      self(self, longer, p * mass[i] / total);
    }
  };
  enumerate(enumerate, {}, 1);
  ASSERT_EQ(law.size(), 24U);

  std::map<std::vector<std::size_t>, double> counts;
  constexpr int kRuns = 30000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    ++counts[kmeans_seeds(points, weights, 3, RandomStream(seed), workers_)];
  }
  double chi2 = 0;
  for (const auto& [rows, p] : law) {
    EXPECT_GT(p * kRuns, 5);
    chi2 += std::pow(counts[rows] - p * kRuns, 2) / (p * kRuns);
  }
  EXPECT_LT(chi2, 58.6) << "one in ten thousand for 23 degrees of freedom";
}

TEST_F(KMeans, SeedsOfWeightedRowsAreThoseOfRepeatedRowsInLaw) {
  const auto points = column({0, 1, 5});
  const std::vector<double> weights = {1, 3, 2};
  const auto repeated = repeat_rows(points, weights);
  std::map<std::vector<double>, double> difference;
  std::map<std::vector<double>, double> total;
  constexpr int kRuns = 20000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto a = kmeans_seeds(points, weights, 2, RandomStream(seed), workers_);
    const auto b = kmeans_seeds(repeated, {}, 2, RandomStream(seed + kRuns), workers_);
    const std::vector<double> from = {points(a[0], 0), points(a[1], 0)};
    const std::vector<double> to = {repeated(b[0], 0), repeated(b[1], 0)};
    ++difference[from];
    --difference[to];
    ++total[from];
    ++total[to];
  }
  double chi2 = 0;
  for (const auto& [pair, count] : total) chi2 += std::pow(difference[pair], 2) / count;
  EXPECT_EQ(total.size(), 6U);
  EXPECT_LT(chi2, 25.8) << "one in ten thousand for 5 degrees of freedom";
}

TEST_F(KMeans, SeedsEndWhenEveryRowIsTaken) {
  const auto distinct = normal_matrix(20, 3, 1);
  const auto all = kmeans_seeds(distinct, {}, 50, RandomStream(1), workers_);
  EXPECT_EQ(std::set<std::size_t>(all.begin(), all.end()).size(), 20U);
  EXPECT_EQ(all.size(), 20U);
  const auto copies = repeat_rows(distinct, std::vector<double>(20, 3.0));
  EXPECT_EQ(kmeans_seeds(copies, {}, 50, RandomStream(1), workers_).size(), 20U);
  const Matrix<double> equal(30, 4);
  EXPECT_EQ(kmeans_seeds(equal, {}, 5, RandomStream(1), workers_).size(), 1U);
  EXPECT_TRUE(kmeans_seeds(distinct, {}, 0, RandomStream(1), workers_).empty());
  EXPECT_TRUE(kmeans_seeds(Matrix<double>(0, 3), {}, 5, RandomStream(1), workers_).empty());
}

TEST_F(KMeans, RowsGoToTheirNearestCentre) {
  for (const std::size_t d : {1U, 2U, 13U, 70U}) {
    for (const std::size_t m : {1U, 5U, 96U, 97U, 250U}) {
      const auto points = normal_matrix(1000, d, d, 1, 1000);
      const auto centres = normal_matrix(m, d, m, 1, 1000);
      EXPECT_EQ(assign_nearest(points, centres, workers_), nearest_by_loop(points, centres))
          << "d = " << d << ", m = " << m;
    }
  }
}

TEST_F(KMeans, TiesGoToTheLowestIndex) {
  // Integer data far from the origin: a third of the rows have an exact tie, which scores by norms
  // and a rounded shift do not see.
  Matrix<double> points(3001, 2);
  const RandomStream stream(1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points.data()[i] = 100000 + static_cast<double>(stream.below(i, 7));
  }
  Matrix<double> centres(6, 2);
  for (std::size_t i = 0; i < centres.size(); ++i) {
    centres.data()[i] = 100000 + static_cast<double>(stream.below(9000 + i, 7));
  }
  std::ranges::copy(centres.row(0), centres.row(5).begin());
  EXPECT_EQ(assign_nearest(points, centres, workers_), nearest_by_loop(points, centres));
}

TEST_F(KMeans, LloydNeverIncreasesTheInertia) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::size_t d = 1 + seed % 6;
    const auto points = normal_matrix(400, d, seed);
    std::vector<double> weights(400);
    for (std::size_t i = 0; i < 400; ++i) weights[i] = 0.1 + RandomStream(seed).uniform(i);
    const auto seeds = kmeans_seeds(points, weights, 12, RandomStream(seed), workers_);
    auto centres = rows_of(points, seeds);
    double before = INFINITY;
    for (std::size_t step = 0; step < 15; ++step) {
      const auto cells = lloyd(points, weights, centres, 1, workers_);
      const double now = inertia(points, weights, cells);
      ASSERT_LE(now, before * (1 + 1e-13)) << "seed " << seed << ", step " << step;
      before = now;
      centres = cells.centres;
    }
  }
}

TEST_F(KMeans, CentresAreTheWeightedMeansOfTheirCells) {
  const auto points = normal_matrix(700, 5, 3, 1, 50);
  std::vector<double> weights(700);
  for (std::size_t i = 0; i < 700; ++i) weights[i] = 1 + static_cast<double>(i % 4);
  const auto centres =
      rows_of(points, kmeans_seeds(points, weights, 30, RandomStream(2), workers_));
  const auto cells = lloyd(points, weights, centres, 10, workers_);
  Matrix<double> means(cells.centres.rows(), 5);
  std::vector<double> totals(means.rows(), 0.0);
  for (std::size_t i = 0; i < 700; ++i) {
    totals[cells.assignment[i]] += weights[i];
    for (std::size_t j = 0; j < 5; ++j) means(cells.assignment[i], j) += weights[i] * points(i, j);
  }
  for (std::size_t c = 0; c < means.rows(); ++c) {
    for (std::size_t j = 0; j < 5; ++j) means(c, j) /= totals[c];
  }
  EXPECT_EQ(cells.weights, totals);
  EXPECT_LT(largest_difference(cells.centres, means), 1e-12);
}

TEST_F(KMeans, StepsAddUpAndConvergenceIsAFixedPoint) {
  const auto points = normal_matrix(300, 2, 4);
  const auto start = rows_of(points, kmeans_seeds(points, {}, 6, RandomStream(4), workers_));
  const auto once = lloyd(points, {}, start, 1, workers_);
  EXPECT_EQ(once.iterations, 1U);
  EXPECT_FALSE(once.converged);
  EXPECT_TRUE(testing::same_bits(lloyd(points, {}, once.centres, 2, workers_).centres,
                                 lloyd(points, {}, start, 3, workers_).centres));
  const auto end = lloyd(points, {}, start, 1000, workers_);
  ASSERT_TRUE(end.converged);
  EXPECT_GT(end.iterations, 3U);
  EXPECT_EQ(assign_nearest(points, end.centres, workers_), end.assignment);
  EXPECT_TRUE(testing::same_bits(lloyd(points, {}, end.centres, 1, workers_).centres, end.centres));
}

TEST_F(KMeans, LloydOfWeightedRowsIsLloydOfRepeatedRows) {
  const auto points = normal_matrix(200, 3, 6);
  std::vector<double> weights(200);
  for (std::size_t i = 0; i < 200; ++i) weights[i] = static_cast<double>(1 + i % 5);
  const auto repeated = repeat_rows(points, weights);
  const auto start = rows_of(points, kmeans_seeds(points, weights, 10, RandomStream(6), workers_));
  const auto a = lloyd(points, weights, start, 10, workers_);
  const auto b = lloyd(repeated, {}, start, 10, workers_);
  EXPECT_LT(largest_difference(a.centres, b.centres), 1e-13);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.iterations, b.iterations);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(b.assignment[at], a.assignment[i]);
    at += static_cast<std::size_t>(weights[i]);
  }
}

TEST_F(KMeans, EmptyCellsAreDroppedAndTheOthersKeepTheirOrder) {
  const auto points = column({0, 1, 10, 11});
  const auto cells = lloyd(points, {}, column({1000, 10.5, 0.5, 0.5, -1000}), 10, workers_);
  EXPECT_TRUE(testing::same_bits(cells.centres, column({10.5, 0.5})));
  EXPECT_EQ(cells.assignment, (std::vector<std::size_t>{1, 1, 0, 0}));
  EXPECT_EQ(cells.weights, (std::vector<double>{2, 2}));
  EXPECT_TRUE(cells.converged);
}

TEST_F(KMeans, AsManyCentresAsRowsLeaveEveryRowAlone) {
  const auto points = normal_matrix(50, 4, 7);
  const auto cells = lloyd(points, {}, points, 10, workers_);
  EXPECT_TRUE(testing::same_bits(cells.centres, points));
  EXPECT_TRUE(cells.converged);
}

TEST_F(KMeans, EqualRowsHaveThemselvesAsMean) {
  Matrix<double> points(500, 3);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = 0.1;
  const std::vector<double> weights(500, 0.3);
  const auto cells = lloyd(points, weights, points.view().rows_from(0, 4), 10, workers_);
  EXPECT_TRUE(testing::same_bits(cells.centres, points.view().rows_from(0, 1)));
}

TEST_F(KMeans, UnitsOfTheDataMakeNoDifference) {
  const auto points = normal_matrix(600, 4, 8, 1, 3);
  const auto seeds = kmeans_seeds(points, {}, 20, RandomStream(8), workers_);
  const auto expected = lloyd(points, {}, rows_of(points, seeds), 10, workers_);
  for (const int exponent : {500, -500, 1015, -1000}) {
    auto scaled = points;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled.data()[i] = std::ldexp(points.data()[i], exponent);
    }
    ASSERT_EQ(kmeans_seeds(scaled, {}, 20, RandomStream(8), workers_), seeds) << exponent;
    const auto cells = lloyd(scaled, {}, rows_of(scaled, seeds), 10, workers_);
    EXPECT_EQ(cells.assignment, expected.assignment) << exponent;
    EXPECT_EQ(std::ldexp(cells.centres(3, 1), -exponent), expected.centres(3, 1)) << exponent;
  }
}

TEST_F(KMeans, SizesOfTheWeightsMakeNoDifference) {
  const auto points = normal_matrix(300, 2, 8);
  std::vector<double> weights(300);
  for (std::size_t i = 0; i < 300; ++i) weights[i] = static_cast<double>(1 + i % 3);
  const auto expected = kmeans_seeds(points, weights, 20, RandomStream(8), workers_);
  for (double& weight : weights) weight = std::ldexp(weight, -1030);
  EXPECT_EQ(kmeans_seeds(points, weights, 20, RandomStream(8), workers_), expected);
}

TEST(KMeansThreads, BitsDoNotDependOnTheirNumber) {
  const auto points = normal_matrix(5000, 7, 9);
  std::vector<double> weights(5000);
  for (std::size_t i = 0; i < 5000; ++i) weights[i] = 0.5 + RandomStream(3).uniform(i);
  Workers one(RunOptions{.threads = 1});
  const auto seeds = kmeans_seeds(points, weights, 150, RandomStream(9), one);
  const auto cells = lloyd(points, weights, rows_of(points, seeds), 5, one);
  for (const std::size_t threads : {2U, 4U}) {
    Workers many(RunOptions{.threads = threads});
    EXPECT_EQ(kmeans_seeds(points, weights, 150, RandomStream(9), many), seeds);
    const auto other = lloyd(points, weights, rows_of(points, seeds), 5, many);
    EXPECT_TRUE(testing::same_bits(other.centres, cells.centres));
    EXPECT_EQ(other.assignment, cells.assignment);
    EXPECT_EQ(other.weights, cells.weights);
  }
}

TEST_F(KMeans, CentresThatCannotServeAreRefused) {
  const auto points = normal_matrix(10, 2, 1);
  EXPECT_THROW(assign_nearest(points, Matrix<double>(0, 2), workers_), InvalidArgument);
  EXPECT_THROW(assign_nearest(points, Matrix<double>(3, 1), workers_), InvalidArgument);
  EXPECT_THROW(lloyd(points, {}, Matrix<double>(3, 1), 5, workers_), InvalidArgument);
  EXPECT_THROW(lloyd(points, {}, points, 0, workers_), InvalidArgument);
}

}  // namespace
}  // namespace mercer::density
