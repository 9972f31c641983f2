#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mercer::engine {

// The innermost loops of distances. Rows are kept one after another, padded with zeros, and vectors
// run along their coordinates: the same loop serves whole blocks and single pairs here and there,
// so that a distance has the same bits in any company, equal rows are exactly 0 apart, and no
// digits cancel as they do where |x|^2 + |y|^2 - 2 <x, y> is taken.

/// What is summed over the coordinates.
enum class DistanceForm {
  squared_differences,  ///< (x - y)^2
  differences,          ///< |x - y|
  chi2,                 ///< (x - y)^2 / (x + y)
  jensen_shannon,       ///< (x ln(2x / (x + y)) + y ln(2y / (x + y))) / 2
};

struct DistanceSumArgs {
  DistanceForm form = DistanceForm::squared_differences;
  std::size_t depth = 0;  ///< coordinates with their padding, a multiple of kProductColumns
  const double* x = nullptr;
  const double* rows = nullptr;            ///< `depth` numbers each
  std::span<const std::size_t> columns{};  ///< which of the rows
  double* out = nullptr;                   ///< one number for each of them
};
void distance_sums(const DistanceSumArgs& args);

/// 64-bit words of a row are padded to a multiple of this.
inline constexpr std::size_t kBitWords = 8;

struct BitDistanceArgs {
  bool jaccard = false;   ///< share of the positions of either that only one has; else their number
  std::size_t words = 0;  ///< with their padding
  const std::uint64_t* x = nullptr;
  const std::uint64_t* rows = nullptr;
  std::span<const std::size_t> columns{};
  double* out = nullptr;
};
void bit_distances(const BitDistanceArgs& args);

}  // namespace mercer::engine
