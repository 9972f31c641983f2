#include "engine/pair_distances.h"

#include <atomic>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "numbers.h"

namespace mercer::engine {
namespace {

TEST(PairDistances, ItemsAreComparedOnceEach) {
  const auto points = testing::normal_matrix(101, 3, 1);
  std::atomic<std::size_t> calls = 0;
  const IndexedDistance distance{.count = 101, .squared = [&](std::size_t i, std::size_t j) {
                                   EXPECT_NE(i, j);
                                   ++calls;
                                   return squared_distance(L1Distance{}, points.row(i),
                                                           points.row(j));
                                 }};
  std::vector<std::size_t> all(101);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> some{90, 3, 17, 100, 64, 0};
  for (const auto& sample : {all, some}) {
    for (const std::size_t threads : {1U, 3U}) {
      calls = 0;
      Workers workers({.threads = threads});
      const auto squares = item_distances(IndexedPairs(distance), sample, workers);
      EXPECT_EQ(static_cast<double>(calls), item_distance_count(101, sample.size()));
      for (std::size_t i = 0; i < 101; ++i) {
        for (std::size_t c = 0; c < sample.size(); ++c) {
          EXPECT_EQ(squares(i, c),
                    squared_distance(L1Distance{}, points.row(i), points.row(sample[c])));
        }
      }
    }
  }
}

TEST(PairDistances, SquaresThatMakeNoSenseAreNamed) {
  const IndexedDistance distance{.count = 3, .squared = [](std::size_t i, std::size_t j) {
                                   return i == 2 && j == 1 ? -4.0 : 1.0;
                                 }};
  Workers workers({});
  const std::vector<std::size_t> all{0, 1, 2};
  try {
    item_distances(IndexedPairs(distance), all, workers);
    FAIL();
  } catch (const NumericalError& e) {
    EXPECT_NE(std::string(e.what()).find("items 3 and 2 is -4"), std::string::npos) << e.what();
  }
}

TEST(PairDistances, ObjectsHaveDistancesToo) {
  const std::vector<std::string> words{"a", "bcd", "ef"};
  const auto by_length = [](const std::string& a, const std::string& b) {
    const double difference = static_cast<double>(a.size()) - static_cast<double>(b.size());
    return difference * difference;
  };
  const auto among = object_distances(std::span<const std::string>(words), by_length, "length");
  EXPECT_EQ(among.count, 3u);
  EXPECT_EQ(among.squared(0, 1), 4);
  const std::vector<std::string> queries{"ghijk"};
  const auto from = object_queries(std::span<const std::string>(queries),
                                   std::span<const std::string>(words), by_length);
  EXPECT_EQ(from.count, 1u);
  EXPECT_EQ(from.squared(0, 2), 9);
}

}  // namespace
}  // namespace mercer::engine
