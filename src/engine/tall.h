#pragma once

#include <cstddef>
#include <span>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

// Products of tall matrices (n rows, few columns) with each other and with small ones, by threads
// over fixed chunks of rows. Sums over rows are made chunk by chunk in order: the same bits for any
// number of threads. The columns of `b` must be a multiple of kProductColumns.

/// a^T b.
Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                  Workers& workers);

/// b -= a c.
void subtract_product(MatrixView<const double> a, MatrixView<const double> c, MatrixView<double> b,
                      Workers& workers);

/// The first c.cols() columns of b become b c; c is square or narrower.
void multiply_from_right(MatrixView<double> b, MatrixView<const double> c, Workers& workers);

/// The rows of `points` with these numbers, in this order.
Matrix<double> pick_rows(MatrixView<const double> points, std::span<const std::size_t> rows);

}  // namespace mercer::engine
