#pragma once

#include <cstddef>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/run.h>

namespace mercer {

/// Random linear maps to fewer columns that keep Euclidean distances and inner products, each in
/// expectation and, but for `coordinates`, nearly so for all pairs of points at once.
enum class ProjectionMap {
  signs,        ///< entries +-1/sqrt(s)
  sparse,       ///< sqrt(3/s) times 1, 0 or -1 with probabilities 1/6, 2/3 and 1/6
  coordinates,  ///< s of the columns, times sqrt(d/s): poor where few columns matter. A comparator
  rotated,      ///< the same after a random rotation: s orthonormal directions times sqrt(d/s)
};

/// The dimensions s that keep all squared distances between `points` points within a factor 1 +-
/// `error`, and all inner products to within `error` (|x|^2 + |y|^2), with a probability of at
/// least 1 - points^-beta: s >= (4 + 2 beta) ln n / (error^2 / 2 - error^3 / 3), whatever the
/// number of columns. For all maps but `coordinates`. New points count too. Throws InvalidArgument
/// unless 0 < error < 1, beta > 0 and there are two points or more.
std::size_t projection_dimensions(std::size_t points, double error, double beta = 0.5);

/// A random map of points with `columns` columns to `dimensions`, to be put into InputMaps. The
/// seed of `run` decides it. 8 columns * dimensions bytes; columns * dimensions^2 flops for
/// `rotated`.
///
/// Throws InvalidArgument when that would not make points shorter, and MemoryLimitError.
ColumnProjection random_projection(std::size_t columns, std::size_t dimensions,
                                   ProjectionMap map = ProjectionMap::signs,
                                   const RunOptions& run = {});

/// Throws InvalidArgument for kernels that are no functions of distances or inner products:
/// laplacian_l1, chi2, exponential_chi2, precomputed. What a custom kernel is, its author knows.
void require_projectable(const Kernel& kernel);

}  // namespace mercer
