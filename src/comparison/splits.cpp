#include "comparison/splits.h"

#include <algorithm>
#include <cmath>

#include "engine/random.h"

namespace mercer::comparison {

namespace {

constexpr std::uint64_t kSplitStream = 0x73706c697473;

Split split_at(std::vector<std::size_t> order, std::size_t first, std::size_t end,
               std::uint64_t seed) {
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  Split split{.train = {}, .test = {at(first), at(end)}, .seed = seed};
  split.train.assign(order.begin(), at(first));
  split.train.insert(split.train.end(), at(end), order.end());
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

}  // namespace

std::vector<Split> make_splits(std::size_t n, const CompareOptions& options, std::uint64_t seed) {
  std::vector<Split> splits;
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    const auto stream = engine::RandomStream(seed).substream(kSplitStream).substream(repeat);
    const auto order = engine::sample_without_replacement(n, n, stream);
    if (options.folds == 0) {
      const auto wanted = std::llround(options.test_fraction * static_cast<double>(n));
      const auto count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, n - 1);
      splits.push_back(split_at(order, 0, count, seed + repeat));
    } else {
      for (std::size_t fold = 0; fold < options.folds; ++fold) {
        splits.push_back(split_at(order, n * fold / options.folds, n * (fold + 1) / options.folds,
                                  seed + repeat));
      }
    }
  }
  return splits;
}

}  // namespace mercer::comparison
