#include "engine/weighted_draw.h"

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/random.h"

namespace mercer::engine {
namespace {

constexpr double kBelowOne = 0x1.fffffffffffffp-1;

TEST(WeightedDraw, TakesTheFirstRowWhoseCumulativeSumIsGreater) {
  const std::vector<double> masses = {0, 1, 0, 2, 1, 0};
  const WeightedDraw draw(masses);
  EXPECT_EQ(draw.total(), 4);
  EXPECT_EQ(draw.draw(0), 1U);
  EXPECT_EQ(draw.draw(0.2499), 1U);
  EXPECT_EQ(draw.draw(0.25), 3U);
  EXPECT_EQ(draw.draw(0.7499), 3U);
  EXPECT_EQ(draw.draw(0.75), 4U);
  EXPECT_EQ(draw.draw(kBelowOne), 4U);
}

TEST(WeightedDraw, BlocksMakeNoDifferenceWhereSumsAreExact) {
  std::vector<double> masses(5000);
  for (std::size_t i = 0; i < masses.size(); ++i) masses[i] = static_cast<double>(i % 7 % 4);
  const WeightedDraw draw(masses);
  const RandomStream stream(1);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double target = stream.uniform(i) * draw.total();
    std::size_t expected = 0;
    for (double sum = masses[0]; !(sum > target); sum += masses[expected]) ++expected;
    ASSERT_EQ(draw.draw(stream.uniform(i)), expected) << "draw " << i;
  }
}

TEST(WeightedDraw, RowsComeAsOftenAsTheirMassesSay) {
  const std::vector<double> masses = {1, 3, 0, 0.5, 5.5};
  const WeightedDraw draw(masses);
  const RandomStream stream(2);
  std::vector<double> counts(masses.size());
  constexpr int kDraws = 40000;
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[draw.draw(stream.uniform(i))];
  EXPECT_EQ(counts[2], 0);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double p = masses[i] / 10;
    EXPECT_NEAR(counts[i], kDraws * p, 4.5 * std::sqrt(kDraws * p * (1 - p))) << "row " << i;
  }
}

TEST(WeightedDraw, OnlyRowsWithMassAreDrawnAcrossBlocks) {
  std::vector<double> masses(4000, 0.0);
  const std::set<std::size_t> heavy = {1023, 1024, 2047, 3500};
  for (const std::size_t row : heavy) masses[row] = 0.1;
  const WeightedDraw draw(masses);
  const RandomStream stream(3);
  std::set<std::size_t> drawn;
  for (std::uint64_t i = 0; i < 500; ++i) drawn.insert(draw.draw(stream.uniform(i)));
  drawn.insert(draw.draw(0));
  drawn.insert(draw.draw(kBelowOne));
  EXPECT_EQ(drawn, heavy);
}

TEST(WeightedDraw, TheSmallestMassesStillHaveARow) {
  const std::vector<double> masses = {0, std::numeric_limits<double>::denorm_min(), 0};
  const WeightedDraw draw(masses);
  EXPECT_EQ(draw.draw(0), 1U);
  EXPECT_EQ(draw.draw(kBelowOne), 1U);
}

TEST(WeightedDraw, MassesThatCannotBeDrawnFromAreRefused) {
  EXPECT_EQ(WeightedDraw({}).total(), 0);
  EXPECT_THROW(WeightedDraw({}).draw(0.5), NumericalError);
  const std::vector<double> zeros(3, 0.0);
  EXPECT_THROW(WeightedDraw(zeros).draw(0.5), NumericalError);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, infinity, std::nan("")}) {
    const std::vector<double> masses = {1, 5, bad, 2};
    EXPECT_THROW(WeightedDraw{masses}, NumericalError) << bad;
  }
  const std::vector<double> huge(2, std::numeric_limits<double>::max());
  EXPECT_THROW(WeightedDraw{huge}, NumericalError);
}

}  // namespace
}  // namespace mercer::engine
