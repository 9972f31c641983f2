#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::testing {

/// Takes a pivot off what is left of a kernel matrix: left -= column column^T / pivot, with exact
/// zeros where the pivot stood.
inline void eliminate(Matrix<double>& left, std::size_t pivot) {
  const std::size_t n = left.rows();
  const double value = left(pivot, pivot);
  std::vector<double> column(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = left(i, pivot);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left(i, j) -= column[i] * column[j] / value;
  }
  for (std::size_t i = 0; i < n; ++i) left(i, pivot) = left(pivot, i) = 0;
}

}  // namespace mercer::testing
