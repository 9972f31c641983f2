#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mercer::engine {

/// Draws rows with probability proportional to their masses, by inverting the cumulative sum. The
/// sum at a row is the total of the blocks of 1024 rows before its own plus the running sum inside
/// it: one fixed order, so draws do not depend on threads. O(n) to set up, O(log n + 1024) a draw.
class WeightedDraw {
 public:
  /// `masses` are finite and at least 0; they are viewed, not copied, and must stay unchanged.
  /// Throws NumericalError when they are not, or when their sum overflows.
  explicit WeightedDraw(std::span<const double> masses);

  double total() const { return block_ends_.empty() ? 0 : block_ends_.back(); }

  /// The first row whose cumulative sum is greater than u * total(), u in [0, 1). Strictly greater:
  /// a row without mass is never drawn. Throws NumericalError when no row has any.
  std::size_t draw(double u) const;

 private:
  std::span<const double> masses_;
  std::vector<double> block_ends_;  ///< cumulative sum at the last row of each block
};

}  // namespace mercer::engine
