#include "engine/dense_product.h"

#include <algorithm>

#include "engine/strips.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// `rows` x b.cols() from a(i, k) = a[i * row_stride + k * col_stride]. Large factors come through
/// the caches in parts: a task holds kRows x kDepth numbers of a and passes over the strips of b,
/// so that every number it loads serves many. Sums run over k in order all the same.
Matrix<double> product(const double* a, std::size_t rows, std::size_t row_stride,
                       std::size_t col_stride, MatrixView<const double> b, Workers& workers) {
  constexpr std::size_t kRows = 96;
  constexpr std::size_t kDepth = 256;
  Strips right(b.rows(), b.cols());
  for (std::size_t k = 0; k < b.rows(); ++k) {
    for (std::size_t j = 0; j < b.cols(); ++j) right(k, j) = b(k, j);
  }
  Matrix<double> result(rows, padded_columns(b.cols()));
  workers.for_each((rows + kRows - 1) / kRows, [&](std::size_t chunk) {
    const std::size_t first = chunk * kRows;
    for (std::size_t top = 0; top < b.rows(); top += kDepth) {
      right.for_each_until(b.cols(), [&](StripRange range) {
        multiply_add({.m = std::min(kRows, rows - first),
                      .n = padded_columns(range.end - range.begin),
                      .k = std::min(kDepth, b.rows() - top),
                      .a = a + first * row_stride + top * col_stride,
                      .a_row_stride = row_stride,
                      .a_col_stride = col_stride,
                      .b = right.strip(top, range.begin),
                      .b_stride = kStrip,
                      .c = &result(first, range.begin),
                      .c_stride = result.cols()});
      });
    }
  });
  if (result.cols() == b.cols()) return result;
  return Matrix<double>(result.view().cols_from(0, b.cols()));
}

}  // namespace

Matrix<double> dense_product(MatrixView<const double> a, MatrixView<const double> b,
                             Workers& workers) {
  return product(a.data(), a.rows(), a.stride(), 1, b, workers);
}

Matrix<double> dense_transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                        Workers& workers) {
  return product(a.data(), a.cols(), 1, a.stride(), b, workers);
}

Matrix<double> outer_product(MatrixView<const double> a, Workers& workers) {
  auto transposed = Matrix<double>::uninitialized(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) transposed(j, i) = a(i, j);
  }
  return dense_product(a, transposed, workers);
}

}  // namespace mercer::engine
