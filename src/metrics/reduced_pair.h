#pragma once

#include <cstddef>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::metrics {

/// Two tall matrices A and B without the directions that neither of them has:
/// A = 2^a_exponent Q a and B = 2^b_exponent Q b with orthonormal columns in Q, which is never
/// formed. Inner products of columns, and so norms of combinations and angles, stay as they are.
struct ReducedPair {
  Matrix<double> a;  ///< at most cols(A) + cols(B) rows
  Matrix<double> b;
  int a_exponent = 0;  ///< scales are powers of two, so that scaling rounds nothing
  int b_exponent = 0;
};

/// Householder QR of [B A], by parts of the rows and then of the parts' triangles (TSQR, Demmel et
/// al. 2012): stable column by column, and the parts are fixed, so that the bits do not depend on
/// the threads. Both matrices need the same number of rows and finite values.
/// Cost: 2 n (cols(A) + cols(B))^2 flops.
ReducedPair reduce_pair(MatrixView<const double> a, MatrixView<const double> b,
                        engine::Workers& workers);

/// Bytes that it allocates for n rows and `cols` columns of the two together.
double reduced_pair_bytes(std::size_t n, std::size_t cols);

}  // namespace mercer::metrics
