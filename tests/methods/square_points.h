#pragma once

#include <cstdint>

#include <mercer/matrix.h>

namespace mercer::testing {

/// Points of the unit square from splitmix64 (Steele, Lea & Flood 2014), row by row: those of
/// golden/reduced_set.
inline Matrix<double> square_points(std::size_t n, std::uint64_t seed) {
  Matrix<double> points(n, 2);
  std::uint64_t state = seed;
  for (std::size_t i = 0; i < points.size(); ++i) {
    state += 0x9E3779B97F4A7C15;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    points.data()[i] = static_cast<double>(z >> 11) * 0x1p-53;
  }
  return points;
}

}  // namespace mercer::testing
