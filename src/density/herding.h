#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::density {

struct Herd {
  /// Rows in the order they were picked; a row may be picked again.
  std::vector<std::size_t> picks;
  std::uint64_t kernel_evaluations = 0;
};

/// Kernel herding (Chen, Welling & Smola 2010): m rows, with repeats, whose equally weighted mean
/// in feature space follows that of all rows, m = 1, 2, ... being prefixes of one sequence. Row t
/// (from 0) is
///
///     argmax_i  mu_i - (1 / (t + 1)) sum_{s < t} k(x_i, x_{pick s}),     mu_i = sum_l v_l k(x_i,
///     x_l)
///
/// with v the weights (positive, one per row; empty: equal) divided by their sum. Values that
/// differ by rounding only count as equal, and the lowest row of equals is taken: copies of a row,
/// and points of a lattice, are picked alike on every machine. Points are finite. The same picks
/// for any number of threads.
///
/// n^2 + n m kernel values, none kept: O(n^2 d + n m d) time, O(n d) memory. Progress runs over the
/// current phase.
Herd herd(const Kernel& kernel, MatrixView<const double> points, std::span<const double> weights,
          std::size_t m, engine::Workers& workers);

}  // namespace mercer::density
