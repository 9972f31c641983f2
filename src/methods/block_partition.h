#pragma once

#include <cstddef>
#include <vector>

#include <mercer/partitioned.h>

#include "engine/random.h"

namespace mercer::methods {

/// Rows in a block when nothing is said.
inline constexpr std::size_t kDefaultBlockRows = 2000;

/// Where blocks of consecutive rows end, the last at n. Throws InvalidArgument when there are more
/// blocks than rows.
std::vector<std::size_t> block_ends(std::size_t n, const PartitionedOptions& options);

/// The numbers of the rows of every block, ascending. Throws InvalidArgument when the options do
/// not fit the number of rows.
std::vector<std::vector<std::size_t>> partition_rows(std::size_t n,
                                                     const PartitionedOptions& options,
                                                     const engine::RandomStream& stream);

}  // namespace mercer::methods
