#include "comparison/splits.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace mercer::comparison {
namespace {

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::vector<std::size_t> together(const Split& split) {
  std::vector<std::size_t> rows = split.train;
  rows.insert(rows.end(), split.test.begin(), split.test.end());
  std::ranges::sort(rows);
  return rows;
}

TEST(Splits, EveryRowIsOnOneSide) {
  for (const std::size_t n : {4u, 5u, 100u}) {
    for (const std::size_t folds : {0u, 2u, 4u}) {
      const auto splits = make_splits(n, {.repeats = 3, .folds = folds}, 7);
      EXPECT_EQ(splits.size(), 3 * std::max<std::size_t>(folds, 1));
      for (const Split& split : splits) {
        EXPECT_EQ(together(split), all_rows(n));
        EXPECT_FALSE(split.train.empty());
        EXPECT_FALSE(split.test.empty());
      }
    }
  }
}

TEST(Splits, TheShareOfTestRowsIsTheOneAskedFor) {
  EXPECT_EQ(make_splits(100, {.repeats = 1, .test_fraction = 0.25}, 1).front().test.size(), 25u);
  EXPECT_EQ(make_splits(4, {.repeats = 1, .test_fraction = 0.01}, 1).front().test.size(), 1u);
  EXPECT_EQ(make_splits(4, {.repeats = 1, .test_fraction = 0.99}, 1).front().train.size(), 1u);
}

TEST(Splits, FoldsTestEveryRowOnce) {
  const auto splits = make_splits(23, {.repeats = 1, .folds = 5}, 3);
  std::multiset<std::size_t> tested;
  for (const Split& split : splits) tested.insert(split.test.begin(), split.test.end());
  const auto rows = all_rows(23);
  EXPECT_TRUE(std::ranges::equal(tested, rows));
}

TEST(Splits, SeedsDecide) {
  const auto tests = [](std::uint64_t seed) {
    return make_splits(50, {.repeats = 2}, seed).back().test;
  };
  EXPECT_EQ(tests(1), tests(1));
  EXPECT_NE(tests(1), tests(2));
  const auto repeated = make_splits(50, {.repeats = 2}, 1);
  EXPECT_NE(repeated[0].test, repeated[1].test);
  EXPECT_NE(repeated[0].seed, repeated[1].seed);
}

}  // namespace
}  // namespace mercer::comparison
