#include "engine/random_pivots.h"

#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "engine/circle_factor.h"
#include "engine/greedy_pivots.h"
#include "engine/reference.h"
#include "engine/weighted_draw.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::Circle;
using testing::expect_factor_of;
using testing::normal_matrix;
using testing::Rows;
using testing::to_rows;
using testing::uniform_matrix;

std::vector<double> uniforms(std::uint64_t seed, std::size_t count) {
  const auto matrix = uniform_matrix(1, count, seed);
  return {matrix.data(), matrix.data() + count};
}

TEST_F(Circle, ReferenceDrawsTheRecordedPivots) {
  const auto all = uniforms(static_cast<std::uint64_t>(recorded_.number("seed")), 30);
  for (const std::size_t m : {10U, 30U}) {
    const std::string name = "simple_" + std::to_string(m);
    const auto pivots = reference::randomly_pivoted_cholesky(gram_, {}, std::span(all).first(m));
    EXPECT_EQ(pivots.rows, to_rows(recorded_.values(name + ".pivots")));
    EXPECT_NEAR(pivots.residual_fraction, recorded_.number(name + ".residual_fraction"), 1e-10);
  }
}

TEST_F(Circle, OneDrawAtATimeGivesTheRecordedPivots) {
  PartialCholesky factor(kernel_, points_, 30, workers_);
  for (std::uint64_t i = 0; i < 30; ++i) {
    const std::vector<double> masses(factor.residuals().begin(), factor.residuals().end());
    const std::size_t row = WeightedDraw(masses).draw(stream_.uniform(i));
    ASSERT_EQ(factor.append(std::span(&row, 1), 1).size(), 1U);
  }
  EXPECT_EQ(to_rows(factor.pivots()), to_rows(recorded_.values("simple_30.pivots")));
  EXPECT_NEAR(RandomPivots(factor, {}, stream_).residual_fraction(),
              recorded_.number("simple_30.residual_fraction"), 1e-10);
  expect_factor_of(gram_, factor);
}

TEST_F(Circle, BlocksOfProposalsGiveTheRecordedPivotsAndRounds) {
  for (const std::size_t m : {10U, 30U}) {
    const std::string name = "accelerated_" + std::to_string(m);
    PartialCholesky factor(kernel_, points_, m, workers_);
    RandomPivots pivots(factor, {}, stream_,
                        static_cast<std::size_t>(recorded_.number(name + ".block")));
    EXPECT_TRUE(pivots.grow(m));
    EXPECT_EQ(to_rows(factor.pivots()), to_rows(recorded_.values(name + ".pivots")));
    EXPECT_EQ(to_rows(pivots.rounds()), to_rows(recorded_.values(name + ".rounds")));
    EXPECT_NEAR(pivots.residual_fraction(), recorded_.number(name + ".residual_fraction"), 1e-10);
    expect_factor_of(gram_, factor);
  }
}

TEST_F(Circle, ResidualsAreOnAverageThoseOfOneDrawAtATime) {
  constexpr std::size_t kSeeds = 200;
  constexpr std::size_t kPivots = 20;
  double blocks = 0;
  double sequential = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    PartialCholesky factor(kernel_, points_, kPivots, workers_);
    RandomPivots pivots(factor, {}, RandomStream(seed));
    ASSERT_TRUE(pivots.grow(kPivots));
    blocks += pivots.residual_fraction();
    sequential += reference::randomly_pivoted_cholesky(gram_, {}, uniforms(seed + 1000, kPivots))
                      .residual_fraction;
  }
  EXPECT_NEAR(blocks / sequential, 1, 0.05);
  EXPECT_NEAR(sequential / kSeeds, 0.0241, 0.0012);
}

TEST_F(Circle, GrowingInStepsKeepsThePivotsBefore) {
  PartialCholesky factor(kernel_, points_, 100, workers_);
  RandomPivots pivots(factor, {}, stream_);
  Rows before;
  for (const std::size_t rank : {10U, 10U, 30U, 100U}) {
    ASSERT_TRUE(pivots.grow(rank));
    ASSERT_EQ(factor.rank(), rank);
    EXPECT_TRUE(std::ranges::equal(before, factor.pivots().first(before.size())));
    before = to_rows(factor.pivots());
    expect_factor_of(gram_, factor);
  }
  EXPECT_EQ(std::accumulate(pivots.rounds().begin(), pivots.rounds().end(), std::size_t{0}), 100U);
  EXPECT_TRUE(pivots.grow(101)) << "the capacity is full, not the space";
  EXPECT_EQ(factor.rank(), 100U);
}

TEST_F(Circle, AlmostConstantKernelsStopAtTheirNumericalRank) {
  const Kernel kernel = Gaussian{1e-9};
  const auto gram = reference::kernel_matrix(kernel, points_, points_);
  PartialCholesky factor(kernel, points_, 200, workers_);
  RandomPivots pivots(factor, {}, stream_);
  EXPECT_FALSE(pivots.grow(200));
  // A constant, two directions of order gamma, and those of order gamma^2 are rounding.
  EXPECT_EQ(factor.rank(), 3U);
  EXPECT_LT(pivots.residual_fraction(), 1e-10);
  expect_factor_of(gram, factor);
}

/// Probability of every sequence of `count` pivots, by elimination along each of them.
void enumerate(const Matrix<double>& left, std::span<const double> weights, std::size_t count,
               double probability, Rows& taken, std::map<Rows, double>& law) {
  if (taken.size() == count) {
    law[taken] = probability;
    return;
  }
  double total = 0;
  for (std::size_t i = 0; i < left.rows(); ++i) total += weights[i] * left(i, i);
  for (std::size_t pivot = 0; pivot < left.rows(); ++pivot) {
    if (std::ranges::find(taken, pivot) != taken.end()) continue;
    auto next = left;
    for (std::size_t i = 0; i < left.rows(); ++i) {
      for (std::size_t j = 0; j < left.rows(); ++j) {
        next(i, j) -= left(i, pivot) * left(pivot, j) / left(pivot, pivot);
      }
    }
    taken.push_back(pivot);
    enumerate(next, weights, count, probability * weights[pivot] * left(pivot, pivot) / total,
              taken, law);
    taken.pop_back();
  }
}

/// Six points, three of them close together, so that rejection has work to do.
class Law : public ::testing::Test {
 protected:
  static constexpr std::size_t kPivots = 3;
  static constexpr std::size_t kRuns = 12000;
  // Of 120 sequences: mean 119, standard deviation 15.4; exceeded with probability 1e-4.
  static constexpr double kLargestChiSquare = 182;

  Law() : points_(6, 1) {
    const double places[] = {0, 0.4, 1.0, 2.0, 3.1, 4.5};
    std::ranges::copy(places, points_.data());
  }

  std::map<Rows, double> law(std::span<const double> weights) const {
    std::map<Rows, double> law;
    Rows taken;
    enumerate(reference::kernel_matrix(kernel_, points_, points_), weights, kPivots, 1, taken, law);
    return law;
  }

  template <class Run>
  double chi_square(const std::map<Rows, double>& law, const Run& run) {
    std::map<Rows, double> counts;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) ++counts[run(seed)];
    double sum = 0;
    for (const auto& [rows, probability] : law) {
      const double expected = probability * kRuns;
      sum += (counts[rows] - expected) * (counts[rows] - expected) / expected;
    }
    return sum;
  }

  Kernel kernel_ = Gaussian{0.5};
  Matrix<double> points_;
  Workers workers_{{.threads = 1}};
};

TEST_F(Law, IsThatOfOneDrawAtATimeWhateverTheBlock) {
  const std::vector<double> ones(6, 1.0);
  const auto expected = law(ones);
  ASSERT_EQ(expected.size(), 120U);
  for (const std::size_t block : {1U, 2U, 3U, 8U}) {
    const double distance = chi_square(expected, [&](std::uint64_t seed) {
      PartialCholesky factor(kernel_, points_, kPivots, workers_);
      RandomPivots(factor, {}, RandomStream(seed).substream(block), block).grow(kPivots);
      return to_rows(factor.pivots());
    });
    EXPECT_LT(distance, kLargestChiSquare) << "blocks of " << block;
  }
}

TEST_F(Law, DoesNotDependOnSteps) {
  const std::vector<double> ones(6, 1.0);
  const double distance = chi_square(law(ones), [&](std::uint64_t seed) {
    PartialCholesky factor(kernel_, points_, kPivots, workers_);
    RandomPivots pivots(factor, {}, RandomStream(seed).substream(20), 3);
    for (std::size_t rank = 1; rank <= kPivots; ++rank) pivots.grow(rank);
    return to_rows(factor.pivots());
  });
  EXPECT_LT(distance, kLargestChiSquare);
}

TEST_F(Law, OfWeightsIsThatOfRepetitions) {
  const std::vector<double> weights = {1, 4, 2, 1, 3, 1};
  const auto expected = law(weights);
  const double weighted = chi_square(expected, [&](std::uint64_t seed) {
    PartialCholesky factor(kernel_, points_, kPivots, workers_);
    RandomPivots(factor, weights, RandomStream(seed).substream(30), 4).grow(kPivots);
    return to_rows(factor.pivots());
  });
  EXPECT_LT(weighted, kLargestChiSquare);
  const auto copies = testing::repeat_rows(points_, weights);
  Rows original;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    original.insert(original.end(), static_cast<std::size_t>(weights[i]), i);
  }
  const double repeated = chi_square(expected, [&](std::uint64_t seed) {
    PartialCholesky factor(kernel_, copies, kPivots, workers_);
    RandomPivots(factor, {}, RandomStream(seed).substream(31), 4).grow(kPivots);
    Rows rows;
    for (const std::size_t pivot : factor.pivots()) rows.push_back(original[pivot]);
    return rows;
  });
  EXPECT_LT(repeated, kLargestChiSquare);
  const std::vector<double> ones(6, 1.0);
  const double of_others = chi_square(law(ones), [&](std::uint64_t seed) {
    PartialCholesky factor(kernel_, points_, kPivots, workers_);
    RandomPivots(factor, weights, RandomStream(seed).substream(30), 4).grow(kPivots);
    return to_rows(factor.pivots());
  });
  EXPECT_GT(of_others, 10 * kLargestChiSquare) << "the test must tell laws apart";
}

TEST(RandomPivots, StopAtTheNumberOfDistinctRows) {
  Workers workers({.threads = 2});
  const auto points = testing::repeat_rows(normal_matrix(40, 3, 1), std::vector<double>(40, 50.0));
  ASSERT_EQ(points.rows(), 2000U);
  const Kernel kernel = Gaussian{0.5};
  PartialCholesky factor(kernel, points, 200, workers);
  RandomPivots pivots(factor, {}, RandomStream(7));
  EXPECT_FALSE(pivots.grow(200));
  EXPECT_EQ(factor.rank(), 40U);
  EXPECT_LT(pivots.residual_fraction(), 1e-13);
  PartialCholesky greedy(kernel, points, 200, workers);
  EXPECT_FALSE(grow_greedily(greedy, 200));
  EXPECT_EQ(greedy.rank(), 40U);
}

TEST(RandomPivots, OfAKernelThatIsZeroAreNone) {
  Workers workers({.threads = 1});
  const Matrix<double> zeros(30, 4);
  PartialCholesky factor(Linear{}, zeros, 10, workers);
  RandomPivots pivots(factor, {}, RandomStream(1));
  EXPECT_FALSE(pivots.grow(10));
  EXPECT_FALSE(grow_greedily(factor, 10));
  EXPECT_EQ(factor.rank(), 0U);
  EXPECT_EQ(factor.factor().cols(), 0U);
  EXPECT_TRUE(factor.pivot_factor().empty());
  EXPECT_EQ(pivots.residual_fraction(), 0);
}

TEST(RandomPivots, SkipRowsWithoutResidual) {
  Workers workers({.threads = 1});
  auto points = normal_matrix(30, 4, 2);
  for (std::size_t i = 0; i < 30; i += 3) std::ranges::fill(points.row(i), 0.0);
  PartialCholesky factor(Linear{}, points, 30, workers);
  EXPECT_FALSE(RandomPivots(factor, {}, RandomStream(1)).grow(30));
  EXPECT_EQ(factor.rank(), 4U) << "the linear kernel of 4 columns has 4 directions";
  for (const std::size_t pivot : factor.pivots()) EXPECT_NE(pivot % 3, 0U);
}

TEST(RandomPivots, AreTheSameBitsForAnyNumberOfThreads) {
  const auto points = normal_matrix(700, 5, 3);
  const std::vector<double> weights = uniforms(4, 700);
  const Kernel kernel = Gaussian{0.2};
  Workers one({.threads = 1});
  PartialCholesky expected(kernel, points, 150, one);
  ASSERT_TRUE(RandomPivots(expected, weights, RandomStream(5)).grow(150));
  for (const std::size_t threads : {2U, 4U}) {
    Workers workers({.threads = threads});
    PartialCholesky factor(kernel, points, 150, workers);
    ASSERT_TRUE(RandomPivots(factor, weights, RandomStream(5)).grow(150));
    EXPECT_EQ(to_rows(factor.pivots()), to_rows(expected.pivots()));
    EXPECT_TRUE(std::ranges::equal(factor.residuals(), expected.residuals()));
    EXPECT_TRUE(testing::same_bits(factor.factor(), expected.factor()));
  }
}

}  // namespace
}  // namespace mercer::engine
