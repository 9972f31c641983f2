#pragma once

#include <span>

#include <mercer/matrix.h>

namespace mercer::density {

/// The power of two that brings the largest coordinate into [1, 2), so that squared distances
/// neither overflow nor vanish whatever the unit of the data (1e150, 1e-150). Differences 1e-154
/// times smaller than the largest coordinate still square to nearly nothing. 1 for zeros.
double squaring_scale(MatrixView<const double> points);

/// |scale x - scale y|^2 by differences: exactly 0 for equal points and free of cancellation far
/// from the origin. One fixed order of sums.
double squared_distance(std::span<const double> x, std::span<const double> y, double scale);

}  // namespace mercer::density
