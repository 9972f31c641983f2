#include "engine/removed_matrix.h"

#include "engine/tile.h"

namespace mercer::engine {

RemovedRows::RemovedRows(const RemovedMatrix& of_rows, std::size_t width)
    : width_(width),
      panels_((of_rows.rows.rows() + width - 1) / width),
      negative_(of_rows.rows.cols(), panels_ * width) {
  const MatrixView<const double> m = of_rows.rows;
  for (std::size_t c = 0; c < m.cols(); ++c) {
    const bool is_swapped = of_rows.swapped && c + 2 >= m.cols();
    const std::size_t from = is_swapped ? 2 * m.cols() - 3 - c : c;
    for (std::size_t i = 0; i < m.rows(); ++i) negative_(c, i) = -m(i, from);
  }
}

void RemovedRows::subtract(double* block, MatrixView<const double> of_cols) const {
  for (std::size_t panel = 0; panel < panels_; ++panel) {
    multiply_add({.m = of_cols.rows(),
                  .n = width_,
                  .k = of_cols.cols(),
                  .a = of_cols.data(),
                  .a_row_stride = of_cols.stride(),
                  .a_col_stride = 1,
                  .b = negative_.data() + panel * width_,
                  .b_stride = negative_.cols(),
                  .c = block + panel * kBlock * width_,
                  .c_stride = width_});
  }
}

}  // namespace mercer::engine
