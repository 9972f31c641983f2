#pragma once

#include <vector>

#include <mercer/block_model.h>

#include "engine/parallel.h"
#include "methods/block_algebra.h"

namespace mercer::methods {

/// The block of the rows of both, which must go together. Throws MemoryLimitError.
BlockNumbers merge_blocks(const BlockNumbers& a, const BlockNumbers& b, const MergeOptions& options,
                          double memory_limit_bytes, engine::Workers& workers);

/// The coefficient form of it, the only one for a linear kernel.
BlockNumbers merge_coefficients(const BlockNumbers& a, const BlockNumbers& b,
                                const MergeOptions& options, double memory_limit_bytes,
                                engine::Workers& workers);

/// Merges neighbours, then neighbours of these, until one is left; there is at least one.
BlockModel merge_tree(std::vector<BlockModel> blocks, const MergeOptions& options,
                      double memory_limit_bytes, engine::Workers& workers);

/// The same components and mean over at most `size` points of the library, as well as these can
/// represent them. Throws MemoryLimitError.
BlockNumbers reduce_library(const BlockNumbers& block, std::size_t size, double memory_limit_bytes,
                            engine::Workers& workers);

}  // namespace mercer::methods
