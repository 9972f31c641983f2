#pragma once

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::engine {

// Products of matrices of any shape, by threads over fixed chunks of rows of the result, each of
// whose entries is summed in one order: the same bits for any number of threads.

/// a b.
Matrix<double> dense_product(MatrixView<const double> a, MatrixView<const double> b,
                             Workers& workers);

/// a^T b.
Matrix<double> dense_transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                        Workers& workers);

/// a a^T.
Matrix<double> outer_product(MatrixView<const double> a, Workers& workers);

}  // namespace mercer::engine
