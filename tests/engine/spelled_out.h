#pragma once

#include <cstddef>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/tile.h"

namespace mercer::testing {

/// The matrix that an operator stands for, from its products with unit vectors.
template <class Symmetric>
Matrix<double> spelled_out(const Symmetric& s, engine::Workers& workers) {
  const std::size_t n = s.size();
  Matrix<double> unit(n, engine::padded_columns(n));
  for (std::size_t i = 0; i < n; ++i) unit(i, i) = 1;
  Matrix<double> image(n, engine::padded_columns(n));
  s.add_product(unit, image, workers);
  return Matrix<double>(image.view().cols_from(0, n));
}

}  // namespace mercer::testing
