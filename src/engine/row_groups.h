#pragma once

#include <cstddef>
#include <vector>

namespace mercer::engine {

/// Consecutive rows [begin, end) of a triangle of blocks, which one task sweeps into a partial
/// result of its own.
struct RowGroup {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Cuts a lower triangle of `rows` rows of blocks into at most kMostRowGroups groups of about equal
/// area. Their number follows from the size alone, never from the number of threads, so that the
/// order of summation is always the same. More groups would feed more threads but cost a partial
/// result each.
std::vector<RowGroup> row_groups(std::size_t rows);

inline constexpr std::size_t kMostRowGroups = 32;

}  // namespace mercer::engine
