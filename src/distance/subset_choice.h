#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/sparse_distance.h>

#include "engine/parallel.h"

namespace mercer::distance {

struct SubsetChoice {
  std::vector<std::size_t> rows{};
  std::vector<double> gains{};  ///< for greedy choices
  std::size_t refreshes = 0;    ///< of the recurrences
  std::size_t swaps = 0;
};

/// `m` rows of the kernel matrix among the candidates, which are different; fewer where no
/// candidate adds anything. Not for `automatic`. The matrix is of items about their centroid or
/// another origin that keeps it positive semi-definite.
SubsetChoice choose_subset(MatrixView<const double> gram, std::span<const std::size_t> candidates,
                           std::size_t m, SubsetSelection selection, std::uint64_t seed,
                           engine::Workers& workers);

}  // namespace mercer::distance
