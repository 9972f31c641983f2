#include "engine/dense_product.h"

#include <algorithm>

#include "engine/strips.h"
#include "engine/tile.h"

namespace mercer::engine {

RightFactor::RightFactor(MatrixView<const double> b, Workers& workers)
    : strips_(b.rows(), b.cols()) {
  workers.for_each((b.cols() + kStrip - 1) / kStrip, [&](std::size_t strip) {
    const std::size_t end = std::min(b.cols(), (strip + 1) * kStrip);
    for (std::size_t k = 0; k < b.rows(); ++k) {
      for (std::size_t j = strip * kStrip; j < end; ++j) strips_(k, j) = b(k, j);
    }
  });
}

/// `rows` rows from a(i, k) = a[i * row_stride + k * col_stride]. Large factors come through the
/// caches in parts: a task holds kRows x kDepth numbers of a and passes over the strips of b, so
/// that every number it loads serves many. Sums run over k in order all the same.
Matrix<double> RightFactor::product(const double* a, std::size_t rows, std::size_t row_stride,
                                    std::size_t col_stride, Workers& workers) const {
  constexpr std::size_t kRows = 96;
  constexpr std::size_t kDepth = 256;
  const std::size_t depth = strips_.rows();
  Matrix<double> result(rows, padded_columns(strips_.cols()));
  workers.for_each((rows + kRows - 1) / kRows, [&](std::size_t chunk) {
    const std::size_t first = chunk * kRows;
    for (std::size_t top = 0; top < depth; top += kDepth) {
      strips_.for_each_until(strips_.cols(), [&](StripRange range) {
        multiply_add({.m = std::min(kRows, rows - first),
                      .n = padded_columns(range.end - range.begin),
                      .k = std::min(kDepth, depth - top),
                      .a = a + first * row_stride + top * col_stride,
                      .a_row_stride = row_stride,
                      .a_col_stride = col_stride,
                      .b = strips_.strip(top, range.begin),
                      .b_stride = kStrip,
                      .c = &result(first, range.begin),
                      .c_stride = result.cols()});
      });
    }
  });
  if (result.cols() == strips_.cols()) return result;
  return Matrix<double>(result.view().cols_from(0, strips_.cols()));
}

Matrix<double> RightFactor::multiply(MatrixView<const double> a, Workers& workers) const {
  return product(a.data(), a.rows(), a.stride(), 1, workers);
}

Matrix<double> RightFactor::multiply_transposed(MatrixView<const double> a,
                                                Workers& workers) const {
  return product(a.data(), a.cols(), 1, a.stride(), workers);
}

Matrix<double> dense_product(MatrixView<const double> a, MatrixView<const double> b,
                             Workers& workers) {
  return RightFactor(b, workers).multiply(a, workers);
}

Matrix<double> dense_transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                        Workers& workers) {
  return RightFactor(b, workers).multiply_transposed(a, workers);
}

Matrix<double> outer_product(MatrixView<const double> a, Workers& workers) {
  auto transposed = Matrix<double>::uninitialized(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) transposed(j, i) = a(i, j);
  }
  return dense_product(a, transposed, workers);
}

}  // namespace mercer::engine
