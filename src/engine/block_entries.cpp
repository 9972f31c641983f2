#include "engine/block_entries.h"

#include <algorithm>
#include <array>
#include <vector>

#include <mercer/matrix.h>

#include "engine/block_pairs.h"
#include "engine/tile.h"

namespace mercer::engine {

EntryRange entry_range(std::size_t n, const BlockEntries& entries, Workers& workers) {
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  const std::size_t width = panel_width<double>();
  std::vector<EntryRange> ranges(blocks, EntryRange::nothing());
  workers.for_each(blocks, [&](std::size_t task) {
    const std::size_t i = blocks - 1 - task;  // longest rows first: even load at the end
    auto values = Matrix<double>::uninitialized(kBlock, kBlock);
    const std::size_t rows = std::min(kBlock, n - i * kBlock);
    EntryRange range = EntryRange::nothing();
    for (std::size_t j = 0; j <= i; ++j) {
      workers.poll();
      entries(i, j, values.data());
      const std::size_t cols = std::min(kBlock, n - j * kBlock);
      for (std::size_t panel = 0; panel * width < rows; ++panel) {
        for (std::size_t c = 0; c < cols; ++c) {
          const double* column = values.data() + (panel * kBlock + c) * width;
          const std::size_t first = panel * width;
          const std::size_t begin = i == j ? std::max(first, c + 1) - first : 0;
          const std::size_t end = std::min(width, rows - first);
          for (std::size_t r = begin; r < end; ++r) range.include(column[r]);
        }
      }
    }
    ranges[i] = range;
  });
  return joined(ranges);
}

EntryNoise entry_noise(std::size_t n, const EntryRounding& rounding, const BlockEntries& entries,
                       Workers& workers) {
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  const std::size_t width = panel_width<double>();
  EntryNoise noise{.row_variances = std::vector<double>(n, 0.0), .all_seen = true};
  std::vector<EntryRange> ranges(blocks, EntryRange::nothing());
  const auto add = [&](std::size_t i, std::size_t j, const double* values) {
    const std::size_t cols = std::min(kBlock, n - j * kBlock);
    for (std::size_t row = i * kBlock; row < std::min((i + 1) * kBlock, n); ++row) {
      const std::size_t r = row - i * kBlock;
      const double* panel = values + r / width * kBlock * width + r % width;
      double row_variance = 0;
      for (std::size_t c = 0; c < (i == j ? r : cols); ++c) {
        const double variance = rounding.variance(panel[c * width]);
        ranges[i].include(panel[c * width]);
        row_variance += variance;
        noise.row_variances[j * kBlock + c] += variance;
      }
      noise.row_variances[row] += row_variance;
    }
  };
  for_each_block_pair((blocks + kBlockGroup - 1) / kBlockGroup, workers,
                      [&](std::size_t group_i, std::size_t group_j) {
                        auto values = Matrix<double>::uninitialized(kBlock, kBlock);
                        for_each_block(blocks, group_i, group_j, [&](std::size_t i, std::size_t j) {
                          workers.poll();
                          entries(i, j, values.data());
                          add(i, j, values.data());
                        });
                      });
  noise.entries = joined(ranges);
  return noise;
}

}  // namespace mercer::engine
