#pragma once

#include <cstddef>
#include <vector>

#include <mercer/kronecker.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"

namespace mercer::methods {

/// As on the command line.
const char* order_name(KroneckerOrder order);

/// The rows of `points` in the order in which `group_size` of them at a time make a group.
/// Ties go to the lowest row. Cost: n d for each of some dozen products a level, and with
/// `bisection` log2 n levels; O(n + d) memory a thread.
std::vector<std::size_t> kronecker_order(MatrixView<const double> points, KroneckerOrder order,
                                         std::size_t group_size, const engine::RandomStream& stream,
                                         engine::Workers& workers);

}  // namespace mercer::methods
