#include "engine/dense_product.h"

#include <algorithm>

#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// `rows` x b.cols() from a(i, k) = a[i * row_stride + k * col_stride].
Matrix<double> product(const double* a, std::size_t rows, std::size_t row_stride,
                       std::size_t col_stride, MatrixView<const double> b, Workers& workers) {
  constexpr std::size_t kRows = 64;
  Matrix<double> padded(b.rows(), padded_columns(b.cols()));
  for (std::size_t i = 0; i < b.rows(); ++i) std::ranges::copy(b.row(i), padded.row(i).begin());
  Matrix<double> result(rows, padded.cols());
  workers.for_each((rows + kRows - 1) / kRows, [&](std::size_t chunk) {
    const std::size_t first = chunk * kRows;
    multiply_add({.m = std::min(kRows, rows - first),
                  .n = padded.cols(),
                  .k = padded.rows(),
                  .a = a + first * row_stride,
                  .a_row_stride = row_stride,
                  .a_col_stride = col_stride,
                  .b = padded.data(),
                  .b_stride = padded.cols(),
                  .c = result.row(first).data(),
                  .c_stride = result.cols()});
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
