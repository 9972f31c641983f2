#pragma once

#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

namespace mercer::engine {

/// k(x, y) straight from the formula, one pair at a time: for diagonals, custom kernels, and as the
/// oracle that tiles are tested against. Precomputed kernels have no formula: InvalidArgument.
double kernel_value(const Kernel& kernel, std::span<const double> x, std::span<const double> y);

/// k(x_i, x_i) of every row; 1 without computing where the kernel is normalised. `points` is the
/// Gram matrix for a precomputed kernel.
std::vector<double> kernel_diagonal(const Kernel& kernel, MatrixView<const double> points);

/// Throws DataError, naming row and column, on NaN, Inf, and on what the kernel cannot take
/// (negative entries for chi2 kernels; a matrix that is not square and symmetric for precomputed).
void check_training_points(const Kernel& kernel, MatrixView<const double> points);

/// The same for a block of points to be transformed that starts at row `first_row`.
void check_new_points(const Kernel& kernel, MatrixView<const double> points, std::size_t first_row);

}  // namespace mercer::engine
