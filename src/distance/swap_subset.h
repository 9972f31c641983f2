#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "distance/gram_powers.h"
#include "engine/parallel.h"

namespace mercer::distance {

/// Landmarks change places with candidates while the best of all m n such swaps raises Tr(P K). The
/// whole neighbourhood costs n^2 m for the products with K and n m^2 for the swaps. Gains below
/// 1e-12 end it, and so does a swap that turns out to gain nothing: its value comes from
/// differences that cancel once nearly all is explained. Returns the rows in ascending order;
/// `swaps` counts them.
struct SwappedSubset {
  std::vector<std::size_t> rows{};
  std::size_t swaps = 0;
};
SwappedSubset swap_subset(MatrixView<const double> gram, const PowerDiagonals& powers,
                          std::span<const std::size_t> candidates, std::vector<std::size_t> rows,
                          engine::Workers& workers);

}  // namespace mercer::distance
