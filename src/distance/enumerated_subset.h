#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::distance {

enum class EnumeratedObjective {
  trace,  ///< the largest Tr(P K) = Tr((K^2)_RR^-1 (K^3)_RR)
  l1,     ///< the smallest sum of |(N K)_ij|
};

struct EnumeratedSubset {
  std::vector<std::size_t> rows{};  ///< ascending
  double value = 0;
};

/// The best of all subsets of `m` candidates, the lexicographically first on ties. Throws
/// InvalidArgument when there are more than 10^6.
EnumeratedSubset enumerate_subsets(MatrixView<const double> gram,
                                   std::span<const std::size_t> candidates, std::size_t m,
                                   EnumeratedObjective objective, engine::Workers& workers);

}  // namespace mercer::distance
