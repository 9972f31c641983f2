#pragma once

#include <span>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>

#include "methods/rayleigh_ritz.h"

namespace mercer::methods {

/// The model of components that are combinations of all rows, without weights: its library is the
/// rows, or nothing for a linear kernel, whose components are axes in the space of the points.
/// `row_means` are those of the kernel matrix, (K 1)_i / n, and `mean_norm2` is 1^T K 1 / n^2; both
/// are zeros when not centred, and not used for a linear kernel. Signs are fixed here.
ModelParts row_expansion(MatrixView<const double> points, const Kernel& kernel,
                         RitzComponents components, std::span<const double> row_means,
                         double mean_norm2, bool center);

}  // namespace mercer::methods
