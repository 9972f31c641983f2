#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mercer::engine {

/// A seeded stream of random numbers that can be read at any position (counter-based splitmix64),
/// so that threads and blocks draw the same numbers whatever their order. Position i of the stream
/// is draw i of the sequential generator with state = seed.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : seed_(seed) {}
  /// An independent stream for a purpose (or a row, a block, a thread-free task).
  RandomStream substream(std::uint64_t purpose) const {
    return RandomStream(mix(seed_ ^ mix(purpose + kStep)));
  }

  std::uint64_t bits(std::uint64_t position) const { return mix(seed_ + (position + 1) * kStep); }
  /// In [0, 1), 53 random bits.
  double uniform(std::uint64_t position) const {
    return static_cast<double>(bits(position) >> 11) * 0x1p-53;
  }
  /// Standard normal (Box-Muller on the uniforms of an even and an odd position).
  double normal(std::uint64_t position) const;
  /// In [0, bound), by multiplication; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t position, std::uint64_t bound) const;

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t seed_;
};

/// `count` different numbers below `n` in random order (partial Fisher-Yates); all of them when
/// count >= n. O(count) memory for count << n.
std::vector<std::size_t> sample_without_replacement(std::size_t n, std::size_t count,
                                                    const RandomStream& stream);

}  // namespace mercer::engine
