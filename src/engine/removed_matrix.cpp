#include "engine/removed_matrix.h"

#include <cstddef>

namespace mercer::engine {

RemovedRows::RemovedRows(const RemovedMatrix& of_rows)
    : negative_(Matrix<double>::uninitialized(of_rows.rows.cols(), of_rows.rows.rows())) {
  const MatrixView<const double> m = of_rows.rows;
  for (std::size_t c = 0; c < m.cols(); ++c) {
    const bool is_swapped = of_rows.swapped && c + 2 >= m.cols();
    const std::size_t from = is_swapped ? 2 * m.cols() - 3 - c : c;
    for (std::size_t i = 0; i < m.rows(); ++i) negative_(c, i) = -m(i, from);
  }
}

}  // namespace mercer::engine
