#include "engine/greedy_pivots.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/circle_factor.h"
#include "engine/elimination.h"
#include "engine/feature_mean.h"
#include "engine/random_pivots.h"
#include "engine/reference.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using testing::Rows;
using testing::to_rows;

Rows first(std::span<const std::size_t> rows, std::size_t count) {
  return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size()))};
}

/// 240 points about a circle (tests/golden/README.md).
class GreedyCircle : public ::testing::Test {
 protected:
  golden::Golden recorded_ = golden::Golden::load("greedy/circle240.txt");
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  const Matrix<double>& points_ = exact_["train"];
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
  Workers workers_{{.threads = 2}};

  std::unique_ptr<GramOperator> gram(bool stored = true, bool single_precision = false) {
    return make_gram(kernel_, points_, {.single_precision = single_precision, .stored = stored},
                     workers_);
  }
  std::size_t number(const std::string& name) {
    return static_cast<std::size_t>(recorded_.number(name));
  }
};

TEST_F(GreedyCircle, LargestResidualsGiveTheRecordedPivots) {
  PartialCholesky factor(kernel_, points_, 240, workers_);
  const auto grow = [&](std::size_t rank) { return grow_greedily(factor, rank); };
  EXPECT_EQ(grow_until(factor, {}, {.count = 10}, grow), PivotStop::count);
  EXPECT_NEAR(mean_residual(factor, {}), recorded_.number("max_residual.mse_10"), 1e-11);
  EXPECT_EQ(grow_until(factor, {}, {.count = 240, .mean_square = 1e-3}, grow),
            PivotStop::mean_square);
  EXPECT_EQ(factor.rank(), number("max_residual.size"));
  EXPECT_EQ(first(factor.pivots(), 10), to_rows(recorded_.values("max_residual.pivots")));
  EXPECT_NEAR(mean_residual(factor, {}), recorded_.number("max_residual.mse"), 1e-11);
}

TEST_F(GreedyCircle, BestGivesTheRecordedPivotsWhetherTheGramIsStoredOrNot) {
  for (const bool stored : {true, false}) {
    PartialCholesky factor(kernel_, points_, 240, workers_);
    BestPivots best(gram(stored), factor, {}, workers_);
    const auto grow = [&](std::size_t rank) { return best.grow(rank); };
    EXPECT_EQ(grow_until(factor, {}, {.count = 10}, grow), PivotStop::count);
    EXPECT_NEAR(mean_residual(factor, {}), recorded_.number("best.mse_10"), 1e-11);
    EXPECT_EQ(grow_until(factor, {}, {.count = 240, .mean_square = 1e-3}, grow),
              PivotStop::mean_square);
    EXPECT_EQ(factor.rank(), number("best.size"));
    EXPECT_EQ(first(factor.pivots(), 10), to_rows(recorded_.values("best.pivots")));
    EXPECT_NEAR(mean_residual(factor, {}), recorded_.number("best.mse"), 1e-11);
  }
}

/// Pivots by the rule `best`.
Rows best_by_definition(const Matrix<double>& gram, std::size_t count, double negligible) {
  const auto energy = [](const Matrix<double>& left, std::size_t j) {
    double sum = 0;
    for (const double value : left.row(j)) sum += value * value;
    return sum;
  };
  return testing::best_pivots(gram, count, negligible, energy);
}

// Far down, where energies have fallen by twenty orders of magnitude: without refreshes other rows
// would be chosen, and the factor would break.
TEST_F(GreedyCircle, RefreshesKeepTheBestPivotsOfTheExplicitMethod) {
  PartialCholesky factor(kernel_, points_, 240, workers_);
  BestPivots best(gram(), factor, {}, workers_);
  const auto grow = [&](std::size_t rank) { return best.grow(rank); };
  EXPECT_EQ(grow_until(factor, {}, {.count = 240}, grow), PivotStop::rank);
  EXPECT_GE(best.refreshes(), 2U);
  EXPECT_GT(factor.rank(), 80U);
  const auto gram = reference::kernel_matrix(kernel_, points_, points_);
  EXPECT_EQ(first(factor.pivots(), 60), best_by_definition(gram, 60, factor.negligible()));
  const auto g = factor.factor();
  double worst = 0;
  for (std::size_t i = 0; i < 240; ++i) {
    for (std::size_t j = 0; j < 240; ++j) {
      double left = gram(i, j);
      for (std::size_t c = 0; c < g.cols(); ++c) left -= g(i, c) * g(j, c);
      worst = std::max(worst, std::abs(left));
    }
  }
  EXPECT_LT(worst, 1e-8);
}

TEST_F(GreedyCircle, GainsAndWhatIsLeftAddUpToTheTrace) {
  PartialCholesky factor(kernel_, points_, 240, workers_);
  BestPivots best(gram(), factor, {}, workers_);
  double before = 1;
  for (std::size_t rank = 1; rank <= 40; ++rank) {
    ASSERT_TRUE(best.grow(rank));
    const double now = mean_residual(factor, {});
    EXPECT_LE(now, before);
    double gains = 0;
    for (std::size_t i = 0; i < 240; ++i) {
      for (const double value : factor.factor().row(i)) gains += value * value / 240;
    }
    EXPECT_NEAR(gains + now, 1, 1e-13);
    before = now;
  }
}

TEST_F(GreedyCircle, SampledBestIsNearlyAsGoodAsTheBest) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    PartialCholesky factor(kernel_, points_, 240, workers_);
    SampledBestPivots sampled(factor, {}, 10, RandomStream(seed));
    ASSERT_TRUE(sampled.grow(10));
    EXPECT_LT(mean_residual(factor, {}), 1.35 * recorded_.number("best.mse_10"));
    EXPECT_TRUE(sampled.grow(35));
    EXPECT_LT(mean_residual(factor, {}), 1.5 * recorded_.number("best.mse"));
  }
}

TEST_F(GreedyCircle, LimitsAreLookedAtInTheirOrder) {
  const auto stop = [&](const PivotLimits& limits) {
    PartialCholesky factor(kernel_, points_, 240, workers_);
    const auto reason = grow_until(factor, {}, limits,
                                   [&](std::size_t rank) { return grow_greedily(factor, rank); });
    return std::pair(reason, factor.rank());
  };
  EXPECT_EQ(stop({.count = 0}), std::pair(PivotStop::count, std::size_t{0}));
  EXPECT_EQ(stop({.count = 240, .mean_square = 2}),
            std::pair(PivotStop::mean_square, std::size_t{0}));
  const auto [reason, rank] = stop({.count = 240, .largest = 0.1});
  EXPECT_EQ(reason, PivotStop::largest);
  EXPECT_GT(rank, 10U);
  EXPECT_EQ(stop({.count = rank - 1, .largest = 0.1}).first, PivotStop::count);
}

// Many pivots at a time, with wide and narrow kernels: rows that were not looked at never come
// first.
TEST(GreedyPivots, ManyAtATimeAreThoseOfLargestResidualOneByOne) {
  Workers workers{{.threads = 2}};
  for (const double gamma : {1e-3, 0.05, 1.0}) {
    const Kernel kernel = Gaussian{gamma};
    const auto points = normal_matrix(700, 6, 7);
    const auto gram = reference::kernel_matrix(kernel, points, points);
    PartialCholesky factor(kernel, points, 400, workers);
    const std::size_t rank = gamma < 0.01 ? 60 : 400;  // then residuals are rounding
    EXPECT_TRUE(grow_greedily(factor, rank));
    const auto naive = reference::greedily_pivoted_cholesky(gram, rank).rows;
    EXPECT_EQ(first(factor.pivots(), rank), naive) << "gamma " << gamma;
  }
}

TEST(GreedyPivots, BatchesStopWhereSinglePivotsDo) {
  const auto points = normal_matrix(500, 3, 8);
  const Kernel kernel = Gaussian{.gamma = 0.5};
  Workers workers{{.threads = 2}};
  std::vector<double> weights(500);
  for (std::size_t i = 0; i < 500; ++i) weights[i] = static_cast<double>(i % 3);
  for (const PivotLimits limits :
       {PivotLimits{.count = 500, .mean_square = 0.01}, PivotLimits{.count = 500, .largest = 0.2},
        PivotLimits{.count = 500, .mean_square = 1e-4, .largest = 0.5},
        PivotLimits{.count = 77, .mean_square = 1e-9},
        PivotLimits{.count = 500, .mean_square = 0.9}}) {
    std::vector<Rows> pivots;
    std::vector<PivotStop> reasons;
    for (const PivotSteps steps : {PivotSteps::single, PivotSteps::batches}) {
      PartialCholesky factor(kernel, points, 500, workers);
      reasons.push_back(grow_until(
          factor, weights, limits, [&](std::size_t rank) { return grow_greedily(factor, rank); },
          steps));
      pivots.push_back(first(factor.pivots(), 500));
    }
    EXPECT_EQ(pivots[0], pivots[1]);
    EXPECT_EQ(reasons[0], reasons[1]);
    EXPECT_FALSE(pivots[0].empty());
  }
}

/// The same with the centred kernel matrix: kernel feature analysis.
class FeatureCircle : public GreedyCircle {
 protected:
  golden::Golden features_ = golden::Golden::load("features/circle240.txt");

  PartialCholesky centered_factor(std::size_t capacity) {
    return PartialCholesky(kernel_, points_, capacity, workers_,
                           feature_mean(*gram(), {}, workers_).offsets());
  }
  Rows rows(const std::string& name) { return to_rows(features_.values(name + ".rows")); }
  Matrix<double> centered_gram() {
    const auto a = feature_mean(*gram(), {}, workers_).offsets();
    auto k = reference::kernel_matrix(kernel_, points_, points_);
    for (std::size_t i = 0; i < 240; ++i) {
      for (std::size_t j = 0; j < 240; ++j) k(i, j) -= a[i] + a[j];
    }
    return k;
  }
};

TEST_F(FeatureCircle, EveryRuleGivesTheRecordedRowsWhetherTheGramIsStoredOrNot) {
  struct Case {
    std::string name;
    PivotOptions options;
    std::size_t asked;
  };
  for (const auto& [name, options, asked] :
       {Case{"akfa", {}, 10}, Case{"skfa", {.criterion = PivotCriterion::sparse}, 10},
        Case{"ackfa_0.1", {.cut = 0.1}, 10}, Case{"ackfa_0.4", {.cut = 0.4}, 30}}) {
    for (const bool stored : {true, false}) {
      for (const bool single : {false, true}) {
        SCOPED_TRACE(name + (stored ? " stored" : " matrix-free") + (single ? " single" : ""));
        PartialCholesky factor = centered_factor(asked);
        BestPivots best(gram(stored, single), factor, options, workers_);
        EXPECT_EQ(best.grow(asked), asked == 10);
        EXPECT_EQ(best.all_cut(), asked != 10);
        EXPECT_EQ(first(factor.pivots(), asked), rows(name));
        EXPECT_NEAR(mean_residual(factor, {}), features_.number(name + ".error"), 1e-11);
      }
    }
  }
}

// Down to an error of 1e-11, far below what energies could follow without being refreshed.
TEST_F(FeatureCircle, UpdatesKeepTheRowsOfTheExplicitMethod) {
  for (const bool single : {false, true}) {
    PartialCholesky factor = centered_factor(240);
    BestPivots best(gram(/*stored=*/!single, single), factor, {}, workers_);
    const auto grow = [&](std::size_t rank) { return best.grow(rank); };
    EXPECT_EQ(grow_until(factor, {}, {.count = 240, .mean_square = 1e-11}, grow),
              PivotStop::mean_square);
    EXPECT_GE(best.refreshes(), 2U);
    EXPECT_EQ(first(factor.pivots(), 240),
              best_by_definition(centered_gram(), factor.rank(), factor.negligible()));
  }
}

// Drawing as many as there are draws all: nothing is left to chance.
TEST_F(FeatureCircle, DrawingAllRowsIsTheRuleItself) {
  for (const auto& [name, options] :
       {std::pair("akfa", PivotOptions{}),
        std::pair("skfa", PivotOptions{.criterion = PivotCriterion::sparse})}) {
    PartialCholesky factor = centered_factor(10);
    DrawnPivots drawn(factor, options, 240, 240, RandomStream(1), workers_);
    EXPECT_TRUE(drawn.grow(10));
    EXPECT_EQ(first(factor.pivots(), 10), rows(name));
  }
  PartialCholesky factor = centered_factor(30);
  DrawnPivots drawn(factor, {.cut = 0.4}, 240, 240, RandomStream(1), workers_);
  EXPECT_FALSE(drawn.grow(30));
  EXPECT_TRUE(drawn.all_cut());
  EXPECT_EQ(first(factor.pivots(), 30), rows("ackfa_0.4"));
}

TEST_F(FeatureCircle, SomeCandidatesAndTermsDoNearlyAsWell) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    PartialCholesky factor = centered_factor(10);
    DrawnPivots drawn(factor, {}, 59, 120, RandomStream(seed), workers_);
    ASSERT_TRUE(drawn.grow(10));
    EXPECT_LT(mean_residual(factor, {}), 1.3 * features_.number("akfa.error"));
    EXPECT_EQ(drawn.kernel_evaluations(), 10U * 59 * 120);
    PartialCholesky again = centered_factor(10);
    DrawnPivots(again, {}, 59, 120, RandomStream(seed), workers_).grow(10);
    EXPECT_EQ(first(factor.pivots(), 10), first(again.pivots(), 10));
  }
}

TEST(GreedyPivots, CopiesAreNeverChosenTwiceByAnyRule) {
  const auto few = normal_matrix(6, 2, 1);
  Matrix<double> points(60, 2);
  for (std::size_t i = 0; i < 60; ++i) std::ranges::copy(few.row(i % 6), points.row(i).begin());
  const Kernel kernel = Gaussian{.gamma = 1};
  Workers workers{{.threads = 1}};
  const auto expect_rank_6 = [&](const auto& make_rule) {
    PartialCholesky factor(kernel, points, 60, workers);
    const auto rule = make_rule(factor);
    EXPECT_EQ(grow_until(factor, {}, {.count = 60}, rule), PivotStop::rank);
    EXPECT_EQ(factor.rank(), 6U);
  };
  expect_rank_6([](PartialCholesky& factor) -> std::function<bool(std::size_t)> {
    return [&](std::size_t rank) { return grow_greedily(factor, rank); };
  });
  expect_rank_6([&](PartialCholesky& factor) -> std::function<bool(std::size_t)> {
    auto best = std::make_shared<BestPivots>(make_gram(kernel, points, {}, workers), factor,
                                             PivotOptions{}, workers);
    return [best](std::size_t rank) { return best->grow(rank); };
  });
  expect_rank_6([](PartialCholesky& factor) -> std::function<bool(std::size_t)> {
    auto sampled =
        std::make_shared<SampledBestPivots>(factor, std::span<const double>(), 10, RandomStream(1));
    return [sampled](std::size_t rank) { return sampled->grow(rank); };
  });
  expect_rank_6([](PartialCholesky& factor) -> std::function<bool(std::size_t)> {
    auto random =
        std::make_shared<RandomPivots>(factor, std::span<const double>(), RandomStream(1), 1);
    return [random](std::size_t rank) { return random->grow(rank); };
  });
}

// Weights count rows: a row of weight 3 is chosen, and counted, as three copies would be.
TEST(GreedyPivots, IntegerWeightsEqualRepetition) {
  const auto points = normal_matrix(80, 3, 4);
  std::vector<double> weights(80);
  for (std::size_t i = 0; i < 80; ++i) weights[i] = static_cast<double>(1 + i % 3);
  const auto repeated = testing::repeat_rows(points, weights);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  Workers workers{{.threads = 2}};
  PartialCholesky weighted(kernel, points, 15, workers);
  BestPivots(make_gram(kernel, points, {}, workers), weighted, {.weights = weights}, workers)
      .grow(15);
  PartialCholesky copies(kernel, repeated, 15, workers);
  BestPivots(make_gram(kernel, repeated, {}, workers), copies, {}, workers).grow(15);
  EXPECT_NEAR(mean_residual(weighted, weights), mean_residual(copies, {}), 1e-13);
  for (std::size_t i = 0; i < 15; ++i) {
    const auto a = points.row(weighted.pivots()[i]);
    const auto b = repeated.row(copies.pivots()[i]);
    EXPECT_TRUE(std::ranges::equal(a, b)) << i;
  }
}

// Rows that were taken beforehand and weigh nothing: the library of a stream.
TEST(GreedyPivots, GrowthFromGivenRowsAddsOnlyWhatTheyMiss) {
  const auto points = normal_matrix(300, 2, 5);
  const Kernel kernel = Gaussian{.gamma = 0.3};
  Workers workers{{.threads = 2}};
  std::vector<double> weights(300, 1.0);
  std::fill_n(weights.begin(), 60, 0.0);
  Rows seeds(60);
  std::iota(seeds.begin(), seeds.end(), std::size_t{0});
  PartialCholesky factor(kernel, points, 300, workers);
  factor.append(seeds, 60);
  const std::size_t seeded = factor.rank();
  SampledBestPivots sampled(factor, weights, 10, RandomStream(2));
  EXPECT_EQ(grow_until(factor, weights, {.count = 300, .mean_square = 1e-3},
                       [&](std::size_t rank) { return sampled.grow(rank); }),
            PivotStop::mean_square);
  EXPECT_LT(factor.rank() - seeded, 20U);
  for (std::size_t i = seeded; i < factor.rank(); ++i) EXPECT_GE(factor.pivots()[i], 60U);
}

TEST(GreedyPivots, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(400, 5, 6);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  std::vector<std::vector<double>> residuals;
  for (const std::size_t threads : {1U, 3U}) {
    Workers workers{{.threads = threads}};
    PartialCholesky factor(kernel, points, 200, workers);
    SampledBestPivots(factor, {}, 10, RandomStream(3)).grow(30);
    BestPivots(make_gram(kernel, points, {}, workers), factor, {}, workers).grow(60);
    grow_greedily(factor, 200);
    residuals.emplace_back(factor.residuals().begin(), factor.residuals().end());
  }
  EXPECT_EQ(residuals[0], residuals[1]);
}

}  // namespace
}  // namespace mercer::engine
