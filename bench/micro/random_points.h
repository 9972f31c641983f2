#pragma once

#include <cstddef>
#include <random>

#include <mercer/matrix.h>

namespace mercer::bench {

/// Standard normal points, the same in every run.
inline Matrix<double> normal_points(std::size_t n, std::size_t d) {
  std::mt19937_64 generator(20260101);
  std::normal_distribution<double> normal;
  Matrix<double> points(n, d);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = normal(generator);
  return points;
}

/// The bandwidth of every benchmark: a typical pair of normal points has the kernel value e^-1.
inline double typical_gamma(std::size_t d) {
  return 1 / (2 * static_cast<double>(d));
}

}  // namespace mercer::bench
