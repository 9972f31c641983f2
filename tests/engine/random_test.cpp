#include "engine/random.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace mercer::engine {
namespace {

TEST(RandomStream, IsSplitmix64AtAnyPosition) {
  const RandomStream stream(42);
  EXPECT_EQ(stream.uniform(2), 0.27860113025513866);
  EXPECT_EQ(stream.uniform(0), 0.7415648787718233);
  EXPECT_EQ(stream.uniform(1), 0.1599103928769201);
  EXPECT_EQ(RandomStream(43).uniform(0), 0.7281787732893573);
}

TEST(RandomStream, NormalsHaveMeanZeroAndVarianceOne) {
  const RandomStream stream(7);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double x = stream.normal(static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 4 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 4 * std::sqrt(2.0 / kCount));
}

TEST(RandomStream, SubstreamsDiffer) {
  const RandomStream stream(1);
  EXPECT_NE(stream.substream(0).bits(0), stream.substream(1).bits(0));
  EXPECT_NE(stream.substream(0).bits(0), stream.bits(0));
}

TEST(RandomStream, BelowStaysBelow) {
  const RandomStream stream(3);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_LT(stream.below(i, 7), 7U);
  EXPECT_EQ(stream.below(5, 1), 0U);
}

TEST(SampleWithoutReplacement, DrawsDifferentRows) {
  const auto rows = sample_without_replacement(1000, 100, RandomStream(9));
  EXPECT_EQ(rows.size(), 100U);
  EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), 100U);
  for (const std::size_t row : rows) EXPECT_LT(row, 1000U);
}

TEST(SampleWithoutReplacement, TakesAllWhenMoreAreAsked) {
  const auto rows = sample_without_replacement(5, 100, RandomStream(9));
  EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), 5U);
}

TEST(SampleWithoutReplacement, EveryRowIsEquallyLikely) {
  std::vector<int> counts(10);
  constexpr int kRuns = 20000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    for (const std::size_t row : sample_without_replacement(10, 3, RandomStream(seed)))
      ++counts[row];
  }
  for (const int count : counts) EXPECT_NEAR(count, 0.3 * kRuns, 5 * std::sqrt(0.21 * kRuns));
}

}  // namespace
}  // namespace mercer::engine
