#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/pivoted_cholesky.h"
#include "engine/random.h"

namespace mercer::engine {

/// Randomly pivoted Cholesky in its accelerated form (Epperly, Tropp & Webber 2024): blocks of
/// proposals drawn from the residuals at the start of a round, each then accepted with the ratio of
/// its residual now to the one it was drawn from. By rejection sampling the pivots have exactly the
/// law of drawing one at a time, P(i) proportional to w_i d_i, at the speed of matrix products.
class RandomPivots {
 public:
  /// `weights` may be empty; they must stay. `fixed_block`: proposals per round, for tests;
  /// otherwise they follow from counts (never from time, so that a seed means the same everywhere).
  RandomPivots(PartialCholesky& factor, std::span<const double> weights, RandomStream stream,
               std::optional<std::size_t> fixed_block = std::nullopt);

  /// Pivots until the factor has `rank` of them. Returns false when the points have no more
  /// directions.
  bool grow(std::size_t rank);

  /// sum w d / sum w k(x, x) of the points.
  double residual_fraction() const;
  /// Pivots taken in every round.
  std::span<const std::size_t> rounds() const { return rounds_; }

 private:
  void adapt_block(std::size_t accepted, std::size_t rank);

  PartialCholesky& factor_;
  std::span<const double> weights_;
  RandomStream stream_;
  std::uint64_t position_ = 0;
  std::optional<std::size_t> fixed_block_;
  std::size_t block_ = 0;
  std::vector<std::size_t> rounds_;
};

}  // namespace mercer::engine
