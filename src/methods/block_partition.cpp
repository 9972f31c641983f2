#include "methods/block_partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::methods {

namespace {

std::vector<std::vector<std::size_t>> by_label(const std::vector<std::size_t>& labels) {
  std::map<std::size_t, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) rows[labels[i]].push_back(i);
  std::vector<std::vector<std::size_t>> blocks;
  for (auto& [label, block] : rows) blocks.push_back(std::move(block));
  return blocks;
}

}  // namespace

std::vector<std::size_t> block_ends(std::size_t n, const PartitionedOptions& options) {
  std::vector<std::size_t> ends;
  if (options.blocks) {
    const std::size_t count = *options.blocks;
    if (count > n) {
      throw InvalidArgument(fmt::format("there are {} blocks for {} rows", count, n));
    }
    for (std::size_t b = 1; b <= count; ++b) ends.push_back(n / count * b + n % count * b / count);
    return ends;
  }
  const std::size_t size = options.block_size.value_or(kDefaultBlockRows);
  for (std::size_t end = size; end < n; end += size) ends.push_back(end);
  ends.push_back(n);
  return ends;
}

std::vector<std::vector<std::size_t>> partition_rows(std::size_t n,
                                                     const PartitionedOptions& options,
                                                     const engine::RandomStream& stream) {
  if (options.partition == Partition::labels) {
    if (options.labels.size() != n) {
      throw InvalidArgument(
          fmt::format("there are {} labels for {} rows", options.labels.size(), n));
    }
    return by_label(options.labels);
  }
  std::vector<std::size_t> order;
  if (options.partition == Partition::in_order) {
    order.resize(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
  } else {
    order = engine::sample_without_replacement(n, n, stream);
  }
  std::vector<std::vector<std::size_t>> blocks;
  std::size_t first = 0;
  for (const std::size_t end : block_ends(n, options)) {
    blocks.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(first),
                        order.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::sort(blocks.back());
    first = end;
  }
  return blocks;
}

}  // namespace mercer::methods
