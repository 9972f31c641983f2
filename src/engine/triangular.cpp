#include "engine/triangular.h"

#include <algorithm>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// A product with the inverse of a block costs twice a solve with it: narrow enough for that to be
/// a small part, wide enough for products to run at full speed.
constexpr std::size_t kTriangleBlock = 48;

}  // namespace

LowerTriangle::LowerTriangle(MatrixView<const double> l) : blocks_(l.rows(), l.rows()) {
  if (l.rows() != l.cols()) {
    throw InvalidArgument(fmt::format("a {} x {} matrix is no triangle", l.rows(), l.cols()));
  }
  for (std::size_t begin = 0; begin < size(); begin += kTriangleBlock) {
    const std::size_t rows = std::min(kTriangleBlock, size() - begin);
    for (std::size_t i = begin; i < begin + rows; ++i) {
      for (std::size_t j = 0; j < begin; ++j) blocks_(i, j) = -l(i, j);
      blocks_(i, i) = 1;
    }
    solve_lower(l.rows_from(begin, rows).cols_from(begin, rows),
                blocks_.view().rows_from(begin, rows).cols_from(begin, rows));
  }
}

void LowerTriangle::solve(MatrixView<double> b) const {
  if (b.rows() != size()) {
    throw InvalidArgument(
        fmt::format("a triangle of size {} cannot be solved for {} rows", size(), b.rows()));
  }
  Matrix<double> solved(std::min(kTriangleBlock, size()), b.cols());
  for (std::size_t begin = 0; begin < size(); begin += kTriangleBlock) {
    const std::size_t rows = std::min(kTriangleBlock, size() - begin);
    multiply_add({.m = rows,
                  .n = b.cols(),
                  .k = begin,
                  .a = &blocks_(begin, 0),
                  .a_row_stride = size(),
                  .a_col_stride = 1,
                  .b = b.data(),
                  .b_stride = b.stride(),
                  .c = &b(begin, 0),
                  .c_stride = b.stride()});
    std::fill_n(solved.data(), solved.size(), 0.0);
    multiply_add({.m = rows,
                  .n = b.cols(),
                  .k = rows,
                  .a = &blocks_(begin, begin),
                  .a_row_stride = size(),
                  .a_col_stride = 1,
                  .b = &b(begin, 0),
                  .b_stride = b.stride(),
                  .c = solved.data(),
                  .c_stride = b.cols()});
    for (std::size_t i = 0; i < rows; ++i) {
      std::ranges::copy(solved.row(i), b.row(begin + i).begin());
    }
  }
}

void LowerTriangle::solve(MatrixView<double> b, Workers& workers) const {
  workers.for_each((b.cols() + kBlock - 1) / kBlock, [&](std::size_t slab) {
    // A copy whose rows follow each other: those of a wide matrix share few places of the cache.
    const std::size_t first = slab * kBlock;
    const std::size_t cols = std::min(kBlock, b.cols() - first);
    Matrix<double> columns(b.rows(), padded_columns(cols));
    for (std::size_t i = 0; i < b.rows(); ++i) {
      std::copy_n(&b(i, first), cols, columns.row(i).begin());
    }
    solve(columns.view());
    for (std::size_t i = 0; i < b.rows(); ++i) {
      std::copy_n(columns.row(i).begin(), cols, &b(i, first));
    }
  });
}

}  // namespace mercer::engine
