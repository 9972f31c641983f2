#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/compare.h>

namespace mercer::comparison {

/// Rows to fit on and rows to test on, each ascending.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
  std::uint64_t seed = 0;  ///< for what is fitted to it
};

/// All splits of n rows that the options ask for. Both sides have at least one row.
std::vector<Split> make_splits(std::size_t n, const CompareOptions& options, std::uint64_t seed);

}  // namespace mercer::comparison
