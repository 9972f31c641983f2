#pragma once

#include <cstddef>

#include <mercer/matrix.h>

namespace mercer::engine {

// Products with a block of kernel values as KernelPoints::block lays it out.

/// forward ([panel][column of v][row in panel]) += block * v. The block holds `rows` x v.rows()
/// values in panels of `width`.
void add_forward(const double* block, std::size_t width, std::size_t rows,
                 MatrixView<const double> v, double* forward);

/// out (cols x p) += block^T-wise product: for every column j of the block and row i,
/// out[j] += block(i, j) * v[i]. The block holds `rows` x `cols` values in panels of `width`.
void add_block_times(const double* block, std::size_t width, std::size_t rows, std::size_t cols,
                     MatrixView<const double> v, MatrixView<double> out);

}  // namespace mercer::engine
