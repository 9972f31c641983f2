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

double squared_distance(std::span<const double> x, std::span<const double> y, double scale) {
  // Independent sums hide the latency of the additions and fill vectors.
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::size_t j = 0;
  for (; j + kLanes <= x.size(); j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double difference = scale * x[j + lane] - scale * y[j + lane];
      sums[lane] += difference * difference;
    }
  }
  double sum = 0;
  for (; j < x.size(); ++j) {
    const double difference = scale * x[j] - scale * y[j];
    sum += difference * difference;
  }
  for (const double lane_sum : sums) sum += lane_sum;
  return sum;
}

}  // namespace mercer::density
