#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"

namespace mercer::methods {

/// Up to m rows, each the farthest from those before it (lowest index on ties), the first at
/// random: Gonzalez 1985, within twice the smallest radius that m balls around rows can cover the
/// points with. Fewer when every row equals a chosen one. At most O(n m d), O(n) memory, no kernel
/// values; the weights of rows play no part. It sees outliers first.
std::vector<std::size_t> farthest_points(MatrixView<const double> points, std::size_t m,
                                         const engine::RandomStream& stream,
                                         engine::Workers& workers);

}  // namespace mercer::methods
