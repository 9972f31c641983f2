#pragma once

#include <span>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/statistics.h"

namespace mercer::methods {

/// Moments of rows that are in memory, such as those of a Cholesky factor, about their mean: sums
/// about another point would lose digits where all rows are close together (wide kernels).
/// `weights` may be empty. n c^2 flops.
engine::Moments factor_moments(MatrixView<const double> factor, std::span<const double> weights,
                               engine::Workers& workers);

}  // namespace mercer::methods
