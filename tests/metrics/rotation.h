#pragma once

#include <cstddef>
#include <cstdint>

#include <mercer/matrix.h>

#include "metrics/small_algebra.h"
#include "numbers.h"

namespace mercer::metrics {

/// `count` orthonormal rows of length `size`, any of them (Gram-Schmidt, twice).
inline Matrix<double> orthonormal_rows(std::size_t count, std::size_t size, std::uint64_t seed) {
  auto q = testing::normal_matrix(count, size, seed);
  for (std::size_t i = 0; i < count; ++i) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t j = 0; j < i; ++j) {
        double overlap = 0;
        for (std::size_t l = 0; l < size; ++l) overlap += q(i, l) * q(j, l);
        for (std::size_t l = 0; l < size; ++l) q(i, l) -= overlap * q(j, l);
      }
      const double norm = frobenius_norm(q.view().rows_from(i, 1));
      for (double& value : q.row(i)) value /= norm;
    }
  }
  return q;
}

}  // namespace mercer::metrics
