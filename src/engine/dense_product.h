#pragma once

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/strips.h"

namespace mercer::engine {

// Products of matrices of any shape, by threads over fixed chunks of rows of the result, each of
// whose entries is summed in one order: the same bits for any number of threads.

/// A matrix made ready to be the right factor of several products.
class RightFactor {
 public:
  RightFactor(MatrixView<const double> b, Workers& workers);
  /// a b.
  Matrix<double> multiply(MatrixView<const double> a, Workers& workers) const;
  /// a^T b.
  Matrix<double> multiply_transposed(MatrixView<const double> a, Workers& workers) const;

 private:
  Matrix<double> product(const double* a, std::size_t rows, std::size_t row_stride,
                         std::size_t col_stride, Workers& workers) const;

  Strips strips_;
};

/// a b.
Matrix<double> dense_product(MatrixView<const double> a, MatrixView<const double> b,
                             Workers& workers);

/// a^T b.
Matrix<double> dense_transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                        Workers& workers);

/// a a^T.
Matrix<double> outer_product(MatrixView<const double> a, Workers& workers);

}  // namespace mercer::engine
