#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "engine/entry_rounding.h"
#include "engine/parallel.h"

namespace mercer::engine {

/// Entries of a symmetric matrix in blocks of kBlock x kBlock: those of block (i, j), j <= i, laid
/// out as by KernelPoints::block. Called from several threads.
using BlockEntries = std::function<void(std::size_t i, std::size_t j, double* out)>;

/// Blocks on a side of what one task takes of a product or a pass by pairs (block_pairs.h): its
/// rows of v and y stay in the second-level cache.
inline constexpr std::size_t kBlockGroup = 8;

/// Calls visit(i, j) for the blocks j <= i of a pair of groups.
template <class Visit>
void for_each_block(std::size_t blocks, std::size_t group_i, std::size_t group_j,
                    const Visit& visit) {
  const std::size_t end_i = std::min((group_i + 1) * kBlockGroup, blocks);
  for (std::size_t i = group_i * kBlockGroup; i < end_i; ++i) {
    const std::size_t end_j = std::min((group_j + 1) * kBlockGroup, i + 1);
    for (std::size_t j = group_j * kBlockGroup; j < end_j; ++j) visit(i, j);
  }
}

/// Smallest and largest entry off the diagonal; zeros when n < 2.
EntryRange entry_range(std::size_t n, const BlockEntries& entries, Workers& workers);

/// What a rounding does to the entries off the diagonal, from all of them.
EntryNoise entry_noise(std::size_t n, const EntryRounding& rounding, const BlockEntries& entries,
                       Workers& workers);

}  // namespace mercer::engine
