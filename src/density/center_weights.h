#pragma once

#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "density/kernel_sums.h"
#include "engine/parallel.h"

namespace mercer::density {

/// The weights w >= 0 of centres with which they stand best for rows x_i of weights v_i, given
/// z_j = sum_i v_i k(c_j, x_i)^power (KernelSums): w minimises
///
///     | sum_i v_i phi(x_i) - sum_j w_j phi(c_j) |                              power 1 (MMD)
///     | sum_i v_i phi(x_i) phi(x_i)^T - sum_j w_j phi(c_j) phi(c_j)^T |_HS     power 2 (operator)
///
/// that is w^T M w - 2 z^T w with M the kernel matrix of the centres, its entries raised to the
/// power. Their sum is near sum_i v_i but not forced to it: rescaling would lose the optimum.
/// Centres that do not help weigh exactly 0; all do where no z_j is positive.
///
/// O(m^2 d + m^3) time; two m x m matrices of memory, which the caller holds against its limit. The
/// same bits for any number of threads. Progress runs over the current phase. Throws NumericalError
/// when no optimum is found, which happens for indefinite kernels only.
std::vector<double> optimal_weights(const Kernel& kernel, MatrixView<const double> centres,
                                    int power, std::span<const double> z, engine::Workers& workers);

}  // namespace mercer::density
