#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace mercer::engine {

struct EntryRange {
  double low = 0;
  double high = 0;

  /// What `include` begins from.
  static constexpr EntryRange nothing() {
    return {.low = std::numeric_limits<double>::infinity(),
            .high = -std::numeric_limits<double>::infinity()};
  }
  void include(double value) { include({.low = value, .high = value}); }
  void include(const EntryRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

/// All of them together; zeros when they hold nothing.
inline EntryRange joined(std::span<const EntryRange> ranges) {
  EntryRange all = EntryRange::nothing();
  for (const EntryRange& range : ranges) all.include(range);
  return all.low <= all.high ? all : EntryRange{};
}

/// How an entry r of a matrix becomes a random number with mean r (Achlioptas, McSherry &
/// Schoelkopf 2001, section 3): with probability 1/s it is kept as s r, otherwise it is 0; with
/// levels, what is kept is s times the high one with probability (r - low) / (high - low), or s
/// times the low one.
struct EntryRounding {
  double sparsity = 1;  ///< s, at least 1
  /// low <= r <= high for every entry.
  std::optional<EntryRange> levels{};

  /// Chance of the high level.
  static double chance(const EntryRange& levels, double r) {
    return levels.high > levels.low ? (r - levels.low) / (levels.high - levels.low) : 0;
  }

  /// s E[kept^2] - r^2, and E[level^2] = r (low + high) - low high.
  double variance(double r) const {
    const double square =
        levels ? r * (levels->low + levels->high) - levels->low * levels->high : r * r;
    return std::max(sparsity * square - r * r, 0.0);
  }

  /// Most that an entry within `entries` may change by.
  double largest_error(const EntryRange& entries) const {
    const double largest = std::max(std::abs(entries.low), std::abs(entries.high));
    const double dropped = sparsity > 1 ? largest : 0;
    if (!levels) return std::max((sparsity - 1) * largest, dropped);
    return std::max(
        {sparsity * levels->high - entries.low, entries.high - sparsity * levels->low, dropped});
  }
};

/// What the rounding of a symmetric matrix off its diagonal has done.
struct EntryNoise {
  /// Sum of the variances of each row, from all entries or, unbiased, from those that were kept.
  std::vector<double> row_variances{};
  EntryRange entries{};   ///< smallest and largest of the entries seen
  bool all_seen = false;  ///< that is, of all entries
};

}  // namespace mercer::engine
