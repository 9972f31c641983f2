#include "engine/block_product.h"

#include <algorithm>

#include "engine/tile.h"

namespace mercer::engine {

void add_forward(const double* block, std::size_t width, std::size_t rows,
                 MatrixView<const double> v, double* forward) {
  const std::size_t p = v.cols();
  for (std::size_t panel = 0; panel * width < rows; ++panel) {
    multiply_add({.m = p,
                  .n = width,
                  .k = v.rows(),
                  .a = v.data(),
                  .a_row_stride = 1,
                  .a_col_stride = v.stride(),
                  .b = block + panel * kBlock * width,
                  .b_stride = width,
                  .c = forward + panel * p * width,
                  .c_stride = width});
  }
}

void add_block_times(const double* block, std::size_t width, std::size_t rows, std::size_t cols,
                     MatrixView<const double> v, MatrixView<double> out) {
  for (std::size_t panel = 0; panel * width < rows; ++panel) {
    multiply_add({.m = cols,
                  .n = v.cols(),
                  .k = std::min(width, rows - panel * width),
                  .a = block + panel * kBlock * width,
                  .a_row_stride = width,
                  .a_col_stride = 1,
                  .b = v.data() + panel * width * v.stride(),
                  .b_stride = v.stride(),
                  .c = out.data(),
                  .c_stride = out.stride()});
  }
}

}  // namespace mercer::engine
