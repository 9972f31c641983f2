#include "density/unit_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::density {

std::vector<double> unit_weights(std::span<const double> weights, std::size_t count,
                                 std::string_view of) {
  if (weights.empty()) return std::vector<double>(count, 1 / static_cast<double>(count));
  if (weights.size() != count) {
    throw InvalidArgument(fmt::format("there are {} weights for {} {}", weights.size(), count, of));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] > 0 && std::isfinite(weights[i])) continue;
    throw InvalidArgument(fmt::format(
        "weight {} is {}: weights must be positive and finite; leave out {} of weight 0", i + 1,
        weights[i], of));
  }
  const double largest = *std::ranges::max_element(weights);
  std::vector<double> unit(weights.begin(), weights.end());
  for (double& weight : unit) weight /= largest;
  const double sum = std::accumulate(unit.begin(), unit.end(), 0.0);
  for (double& weight : unit) weight /= sum;
  return unit;
}

}  // namespace mercer::density
