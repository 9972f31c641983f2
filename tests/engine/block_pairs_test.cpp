#include "engine/block_pairs.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mercer::engine {
namespace {

TEST(BlockPairs, EveryPairComesOnceAndNoBlockIsInTwoAtATime) {
  for (std::size_t blocks = 0; blocks <= 17; ++blocks) {
    Workers workers{{.threads = 4}};
    std::vector<std::atomic<int>> busy(blocks);
    std::vector<std::atomic<int>> count(blocks * blocks);
    std::atomic<bool> shared = false;
    for_each_block_pair(blocks, workers, [&](std::size_t i, std::size_t j) {
      if (++busy[i] != 1 || (i != j && ++busy[j] != 1)) shared = true;
      ++count[i * blocks + j];
      // Long enough for every other task of the round to begin.
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      --busy[i];
      if (i != j) --busy[j];
    });
    EXPECT_FALSE(shared) << blocks;
    for (std::size_t i = 0; i < blocks; ++i) {
      for (std::size_t j = 0; j < blocks; ++j) EXPECT_EQ(count[i * blocks + j], j <= i ? 1 : 0);
    }
  }
}

TEST(BlockPairs, ABlockMeetsTheOthersInTheSameOrderForEveryNumberOfThreads) {
  constexpr std::size_t kBlocks = 11;
  const auto order = [](std::size_t threads) {
    Workers workers{{.threads = threads}};
    std::vector<std::vector<std::size_t>> met(kBlocks);
    for_each_block_pair(kBlocks, workers, [&](std::size_t i, std::size_t j) {
      met[i].push_back(j);
      if (i != j) met[j].push_back(i);
    });
    return met;
  };
  const auto one = order(1);
  EXPECT_EQ(one, order(2));
  EXPECT_EQ(one, order(5));
}

TEST(BlockPairs, ProgressNeverGoesBack) {
  double last = 0;
  double largest = 0;
  Workers workers{{.threads = 1, .progress = [&](const Progress& progress) {
                     EXPECT_GE(progress.fraction, last - 1e-12);
                     last = progress.fraction;
                     largest = std::max(largest, last);
                   }}};
  workers.begin_phase("pairs");
  for_each_block_pair(
      8, workers, [](std::size_t, std::size_t) {}, PhasePart{.from = 0.25, .to = 1});
  EXPECT_GT(largest, 0.9);
  EXPECT_LE(largest, 1);
}

}  // namespace
}  // namespace mercer::engine
