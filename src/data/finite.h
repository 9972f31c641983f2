#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace mercer::data {

/// False when there is a NaN or Inf. Without a branch, so that it vectorises.
template <class T>
bool all_finite(std::span<const T> numbers) {
  bool finite = true;
  for (const T x : numbers) finite &= std::abs(x) <= std::numeric_limits<T>::max();
  return finite;
}

inline bool is_weight(double weight) {
  return weight > 0 && std::isfinite(weight);
}

}  // namespace mercer::data
