#pragma once

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

/// Kernel values of every row of `a` with every row of `b`, a.rows() x b.rows().
Matrix<double> kernel_matrix(const Kernel& kernel, MatrixView<const double> a,
                             MatrixView<const double> b, Workers& workers);

}  // namespace mercer::engine
