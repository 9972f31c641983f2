#pragma once

#include <cstddef>
#include <span>

#include <mercer/matrix.h>

namespace mercer::density {

/// The power of two that brings the largest coordinate into [1, 2), so that squared distances
/// neither overflow nor vanish whatever the unit of the data (1e150, 1e-150). Differences 1e-154
/// times smaller than the largest coordinate still square to nearly nothing. 1 for zeros.
double squaring_scale(MatrixView<const double> points);

/// |scale x - scale y|^2 by differences: exactly 0 for equal points and free of cancellation far
/// from the origin. One fixed order of sums.
double squared_distance(std::span<const double> x, std::span<const double> y, double scale);

/// squared_difference below for points of at least kManyCoordinates.
double squared_difference_of_many(std::span<const double> x, std::span<const double> y,
                                  double scale);
inline constexpr std::size_t kManyCoordinates = 8;

/// |scale (x - y)|^2 by differences, for a scale that comes from a length and not from the data:
/// points far from the origin may overflow when multiplied by it, their difference only when it is
/// far greater than the length. One fixed order of sums.
inline double squared_difference(std::span<const double> x, std::span<const double> y,
                                 double scale) {
  if (x.size() >= kManyCoordinates) return squared_difference_of_many(x, y, scale);
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double difference = scale * (x[j] - y[j]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace mercer::density
