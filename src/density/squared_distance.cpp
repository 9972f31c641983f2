#include "density/squared_distance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mercer::density {

double squaring_scale(MatrixView<const double> points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (const double x : points.row(i)) largest = std::max(largest, std::abs(x));
  }
  if (largest == 0) return 1;
  // Subnormal data would need a factor beyond the largest power of two.
  return std::ldexp(1.0,
                    std::min(-std::ilogb(largest), std::numeric_limits<double>::max_exponent - 1));
}

namespace {

/// Sum of the squares of difference(j), j < count, in one order.
template <class Difference>
double sum_of_squares(std::size_t count, const Difference& difference) {
  // Independent sums hide the latency of the additions and fill vectors.
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = difference(j + lane);
      sums[lane] += value * value;
    }
  }
  double sum = 0;
  for (; j < count; ++j) {
    const double value = difference(j);
    sum += value * value;
  }
  for (const double lane_sum : sums) sum += lane_sum;
  return sum;
}

}  // namespace

double squared_distance(std::span<const double> x, std::span<const double> y, double scale) {
  return sum_of_squares(x.size(), [&](std::size_t j) { return scale * x[j] - scale * y[j]; });
}

double squared_difference_of_many(std::span<const double> x, std::span<const double> y,
                                  double scale) {
  return sum_of_squares(x.size(), [&](std::size_t j) { return scale * (x[j] - y[j]); });
}

}  // namespace mercer::density
