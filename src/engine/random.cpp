#include "engine/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace mercer::engine {

double RandomStream::normal(std::uint64_t position) const {
  const std::uint64_t pair = position & ~std::uint64_t{1};
  const double radius = std::sqrt(-2 * std::log1p(-uniform(pair)));  // 1 - u is never 0
  const double angle = 2 * std::numbers::pi * uniform(pair + 1);
  return radius * ((position & 1) == 0 ? std::cos(angle) : std::sin(angle));
}

std::uint64_t RandomStream::below(std::uint64_t position, std::uint64_t bound) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits(position)} * bound) >> 64);
}

std::vector<std::size_t> sample_without_replacement(std::size_t n, std::size_t count,
                                                    const RandomStream& stream) {
  count = std::min(count, n);
  std::vector<std::size_t> chosen(count);
  // The array 0..n-1 that Fisher-Yates would shuffle, kept only where it differs from the identity.
  std::unordered_map<std::size_t, std::size_t> moved;
  const auto value_at = [&](std::size_t i) {
    const auto it = moved.find(i);
    return it == moved.end() ? i : it->second;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + stream.below(i, n - i);
    chosen[i] = value_at(j);
    moved[j] = value_at(i);
  }
  return chosen;
}

}  // namespace mercer::engine
