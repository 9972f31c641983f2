#include "engine/tall.h"

#include <algorithm>
#include <vector>

#include "engine/tile.h"

namespace mercer::engine {

namespace {

constexpr std::size_t kChunk = 2048;
/// Rows that stay in the first-level cache while every column of `a` passes over them.
constexpr std::size_t kInnerRows = 128;

std::size_t chunk_count(std::size_t rows) {
  return (rows + kChunk - 1) / kChunk;
}

}  // namespace

Matrix<double> pick_rows(MatrixView<const double> points, std::span<const std::size_t> rows) {
  auto picked = Matrix<double>::uninitialized(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(points.row(rows[i]), picked.row(i).begin());
  }
  return picked;
}

Matrix<double> transposed_product(MatrixView<const double> a, MatrixView<const double> b,
                                  Workers& workers) {
  const std::size_t chunks = chunk_count(a.rows());
  const std::size_t size = a.cols() * b.cols();
  Matrix<double> partial(std::max<std::size_t>(chunks, 1), size);
  workers.for_each(chunks, [&](std::size_t chunk) {
    const std::size_t end = std::min(a.rows(), (chunk + 1) * kChunk);
    for (std::size_t i = chunk * kChunk; i < end; i += kInnerRows) {
      multiply_add({.m = a.cols(),
                    .n = b.cols(),
                    .k = std::min(kInnerRows, end - i),
                    .a = &a(i, 0),
                    .a_row_stride = 1,
                    .a_col_stride = a.stride(),
                    .b = &b(i, 0),
                    .b_stride = b.stride(),
                    .c = partial.row(chunk).data(),
                    .c_stride = b.cols()});
    }
  });
  Matrix<double> sum(a.cols(), b.cols());
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::size_t i = 0; i < size; ++i) sum.data()[i] += partial(chunk, i);
  }
  return sum;
}

void subtract_product(MatrixView<const double> a, MatrixView<const double> c, MatrixView<double> b,
                      Workers& workers) {
  Matrix<double> negative(c);
  for (std::size_t i = 0; i < negative.size(); ++i) negative.data()[i] = -negative.data()[i];
  workers.for_each(chunk_count(a.rows()), [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunk;
    multiply_add({.m = std::min(kChunk, a.rows() - begin),
                  .n = b.cols(),
                  .k = a.cols(),
                  .a = &a(begin, 0),
                  .a_row_stride = a.stride(),
                  .a_col_stride = 1,
                  .b = negative.data(),
                  .b_stride = negative.cols(),
                  .c = &b(begin, 0),
                  .c_stride = b.stride()});
  });
}

void multiply_from_right(MatrixView<double> b, MatrixView<const double> c, Workers& workers) {
  workers.for_each(chunk_count(b.rows()), [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunk;
    const std::size_t rows = std::min(kChunk, b.rows() - begin);
    Matrix<double> result(rows, c.cols());
    multiply_add({.m = rows,
                  .n = c.cols(),
                  .k = b.cols(),
                  .a = &b(begin, 0),
                  .a_row_stride = b.stride(),
                  .a_col_stride = 1,
                  .b = c.data(),
                  .b_stride = c.stride(),
                  .c = result.data(),
                  .c_stride = c.cols()});
    for (std::size_t i = 0; i < rows; ++i) {
      std::ranges::copy(result.row(i), b.row(begin + i).begin());
    }
  });
}

}  // namespace mercer::engine
