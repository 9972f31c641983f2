#pragma once

#include <span>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::methods {

double length(std::span<const double> x);

/// Gram-Schmidt: every row becomes a unit vector orthogonal to those before it. Gaussian rows
/// become rows of a rotation that is uniformly distributed and independent of their lengths. There
/// are no more rows than columns. rows^2 columns flops.
void orthonormalise(MatrixView<double> rows, engine::Workers& workers);

}  // namespace mercer::methods
