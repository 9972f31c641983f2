#include "engine/pivoted_cholesky.h"

#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "engine/greedy_pivots.h"
#include "engine/reference.h"
#include "engine/simd.h"
#include "engine/weighted_draw.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using testing::uniform_matrix;
using Rows = std::vector<std::size_t>;

Rows to_rows(std::span<const std::size_t> rows) {
  return {rows.begin(), rows.end()};
}

Rows to_rows(const std::vector<double>& numbers) {
  Rows rows;
  for (const double number : numbers) rows.push_back(static_cast<std::size_t>(number));
  return rows;
}

std::vector<double> uniforms(std::uint64_t seed, std::size_t count) {
  const auto matrix = uniform_matrix(1, count, seed);
  return {matrix.data(), matrix.data() + count};
}

/// 240 points about a circle with recorded draws (tests/golden/README.md).
class Circle : public ::testing::Test {
 protected:
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  golden::Golden recorded_ = golden::Golden::load("landmarks/circle240.txt");
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
  const Matrix<double>& points_ = exact_["train"];
  Matrix<double> gram_ = reference::kernel_matrix(kernel_, points_, points_);
  RandomStream stream_{static_cast<std::uint64_t>(recorded_.number("seed"))};
  Workers workers_{{.threads = 2}};
};

/// What makes it the partial Cholesky factor of `gram`, whatever the pivots.
void expect_factor_of(MatrixView<const double> gram, const PartialCholesky& factor,
                      double tolerance = 1e-12) {
  const auto g = factor.factor();
  const auto pivots = factor.pivots();
  const auto lower = factor.pivot_factor();
  double scale = 0;
  for (const double value : factor.diagonal()) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::size_t j = 0; j < pivots.size(); ++j) {
      double product = 0;
      for (std::size_t c = 0; c < pivots.size(); ++c) product += lower(i, c) * lower(j, c);
      ASSERT_NEAR(product, gram(pivots[i], pivots[j]), tolerance * scale) << i << ' ' << j;
      ASSERT_EQ(lower(i, j), g(pivots[i], j));
      if (j > i) {
        ASSERT_EQ(g(pivots[i], j), 0);
      }
    }
    ASSERT_EQ(factor.residuals()[pivots[i]], 0);
  }
  for (std::size_t i = 0; i < g.rows(); ++i) {
    double explained = 0;
    for (const double value : g.row(i)) explained += value * value;
    ASSERT_NEAR(factor.residuals()[i], std::max(factor.diagonal()[i] - explained, 0.0),
                tolerance * scale)
        << i;
    for (std::size_t p = 0; p < pivots.size(); ++p) {
      double product = 0;
      for (std::size_t c = 0; c < pivots.size(); ++c) product += g(i, c) * lower(p, c);
      ASSERT_NEAR(product, gram(i, pivots[p]), tolerance * scale) << i << ' ' << p;
    }
  }
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

TEST_F(Circle, GreedyPivotsAreTheNaiveOnes) {
  PartialCholesky factor(kernel_, points_, 30, workers_);
  EXPECT_TRUE(grow_greedily(factor, 10));
  EXPECT_TRUE(grow_greedily(factor, 30));
  const auto naive = reference::greedily_pivoted_cholesky(gram_, 30);
  EXPECT_EQ(to_rows(factor.pivots()), naive.rows);
  EXPECT_EQ(factor.pivots()[0], 0U) << "the first of equals";
  expect_factor_of(gram_, factor);
}

TEST_F(Circle, PivotsThatAreForgottenLeaveTheFactorAsItWas) {
  PartialCholesky factor(kernel_, points_, 40, workers_);
  ASSERT_TRUE(RandomPivots(factor, {}, stream_).grow(20));
  const std::vector<double> before(factor.residuals().begin(), factor.residuals().end());
  ASSERT_TRUE(grow_greedily(factor, 33));
  while (factor.rank() > 20) factor.forget_last();
  expect_factor_of(gram_, factor);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(factor.residuals()[i], before[i], 1e-14) << i;
  }
  ASSERT_TRUE(grow_greedily(factor, 40));
  expect_factor_of(gram_, factor);
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

std::vector<Kernel> every_kernel_and_custom() {
  auto kernels = testing::every_kernel();
  kernels.emplace_back(Custom{.function = [](std::span<const double> x, std::span<const double> y) {
    double product = 1;
    for (std::size_t j = 0; j < x.size(); ++j) product *= 1 + std::min(x[j], y[j]);
    return product;
  }});
  return kernels;
}

TEST(PartialCholesky, HoldsItsInvariantsForEveryKernel) {
  for (const Kernel& kernel : every_kernel_and_custom()) {
    SCOPED_TRACE(kernel_name(kernel));
    Workers workers({.threads = 2});
    // Entries in [0, 1): every kernel takes them. More than two blocks of rows, the last one
    // ragged.
    const auto points = uniform_matrix(211, 6, 6);
    const auto gram = reference::kernel_matrix(kernel, points, points);
    PartialCholesky random(kernel, points, 40, workers);
    RandomPivots pivots(random, {}, RandomStream(8));
    const bool all = pivots.grow(40);
    // The linear kernels have as many directions as columns, and an indefinite one runs out of
    // positive residuals.
    const std::string name = kernel_name(kernel);
    if (name == "linear" || name == "cosine") {
      EXPECT_EQ(random.rank(), 6U);
    } else if (name != "sigmoid") {
      EXPECT_EQ(random.rank(), 40U);
    }
    EXPECT_EQ(all, random.rank() == 40);
    expect_factor_of(gram, random, 1e-11);
    PartialCholesky greedy(kernel, points, 40, workers);
    EXPECT_EQ(grow_greedily(greedy, 40), all);
    EXPECT_GE(greedy.rank(), 3U);
    expect_factor_of(gram, greedy, 1e-11);
  }
}

TEST(PartialCholesky, TakesAPrecomputedMatrix) {
  Workers workers({.threads = 2});
  const auto points = normal_matrix(150, 3, 9);
  const Kernel kernel = Laplacian{0.4};
  const auto gram = reference::kernel_matrix(kernel, points, points);
  PartialCholesky by_formula(kernel, points, 40, workers);
  PartialCholesky given(Precomputed{}, gram, 40, workers);
  EXPECT_TRUE(RandomPivots(by_formula, {}, RandomStream(2)).grow(40));
  EXPECT_TRUE(RandomPivots(given, {}, RandomStream(2)).grow(40));
  EXPECT_EQ(to_rows(given.pivots()), to_rows(by_formula.pivots()));
  expect_factor_of(gram, given);
}

TEST(PartialCholesky, OfKernelValuesThatOverflowIsAnError) {
  Workers workers({.threads = 1});
  auto points = normal_matrix(20, 2, 11);
  points(7, 0) = 1e120;
  try {
    const PartialCholesky factor(Polynomial{.gamma = 1}, points, 5, workers);
    FAIL() << "an infinite k(x, x) was taken";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("row 8 is inf"), std::string::npos) << error.what();
  }
}

TEST(PartialCholesky, HoldsItsInvariantsOnEveryInstructionSet) {
  const auto points = normal_matrix(211, 5, 12);
  const Kernel kernel = Gaussian{0.1};
  const auto gram = reference::kernel_matrix(kernel, points, points);
  for (const std::string& target : simd_targets()) {
    SCOPED_TRACE(target);
    const ForcedSimdTarget forced(target);
    Workers workers({.threads = 1});
    PartialCholesky factor(kernel, points, 101, workers);
    // Blocks of more pivots than a block of kernel values has columns, and of a few.
    Rows many(97);
    std::iota(many.begin(), many.end(), std::size_t{50});
    EXPECT_EQ(factor.append(many, 97).size(), 97U);
    EXPECT_EQ(factor.append(Rows{0, 1, 2, 3, 4}, 5).size(), 4U);
    expect_factor_of(gram, factor);
  }
}

class Append : public ::testing::Test {
 protected:
  Append() : points_(normal_matrix(20, 3, 10)) {
    std::ranges::copy(points_.row(3), points_.row(12).begin());
    gram_ = reference::kernel_matrix(kernel_, points_, points_);
  }

  Kernel kernel_ = Gaussian{0.3};
  Matrix<double> points_;
  Matrix<double> gram_;
  Workers workers_{{.threads = 1}};
};

TEST_F(Append, SkipsRowsThatDependOnThoseBefore) {
  PartialCholesky factor(kernel_, points_, 20, workers_);
  EXPECT_EQ(factor.append(Rows{3, 3, 12, 5}, 20), (Rows{0, 3}));
  EXPECT_EQ(factor.append(Rows{5, 12, 3}, 20), Rows{}) << "also on those of earlier calls";
  EXPECT_EQ(factor.append(Rows{12, 0, 5, 7}, 20), (Rows{1, 3}));
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{3, 5, 0, 7}));
  EXPECT_LE(factor.residuals()[12], factor.negligible());
  expect_factor_of(gram_, factor);
}

TEST_F(Append, TakesNoMoreThanAskedAndFit) {
  PartialCholesky factor(kernel_, points_, 5, workers_);
  EXPECT_EQ(factor.append(Rows{1, 2, 4, 5}, 0), Rows{});
  EXPECT_EQ(factor.append(Rows{1, 2, 4, 5}, 3), (Rows{0, 1, 2}));
  EXPECT_EQ(factor.append(Rows{6, 7, 8, 9}, 4), (Rows{0, 1}));
  EXPECT_EQ(factor.append(Rows{10}, 1), Rows{});
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{1, 2, 4, 6, 7}));
  EXPECT_EQ(PartialCholesky(kernel_, points_, 1000, workers_).capacity(), 20U);
  expect_factor_of(gram_, factor);
}

TEST_F(Append, AsksWithTheResidualsThenAndNow) {
  PartialCholesky factor(kernel_, points_, 20, workers_);
  ASSERT_EQ(factor.append(Rows{0}, 1).size(), 1U);
  const std::vector<double> at_start(factor.residuals().begin(), factor.residuals().end());
  // What each row would have left with the accepted ones before it as pivots.
  PartialCholesky with_four(kernel_, points_, 20, workers_);
  ASSERT_EQ(with_four.append(Rows{0, 4}, 2).size(), 2U);
  std::size_t asked = 0;
  const Rows rows = {4, 9, 6};
  const auto taken = factor.append(rows, 20, [&](std::size_t j, double now, double before) {
    EXPECT_EQ(before, at_start[rows[j]]);
    EXPECT_NEAR(now, j == 0 ? at_start[4] : with_four.residuals()[rows[j]], 1e-14);
    ++asked;
    return j != 1;
  });
  EXPECT_EQ(asked, 3U);
  EXPECT_EQ(taken, (Rows{0, 2}));
  EXPECT_EQ(to_rows(factor.pivots()), (Rows{0, 4, 6}));
  expect_factor_of(gram_, factor);
}

}  // namespace
}  // namespace mercer::engine
