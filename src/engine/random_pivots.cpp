#include "engine/random_pivots.h"

#include <algorithm>
#include <cmath>

#include "engine/weighted_draw.h"

namespace mercer::engine {

RandomPivots::RandomPivots(PartialCholesky& factor, std::span<const double> weights,
                           RandomStream stream, std::optional<std::size_t> fixed_block)
    : factor_(factor), weights_(weights), stream_(stream), fixed_block_(fixed_block) {}

double RandomPivots::residual_fraction() const {
  double residual = 0;
  double total = 0;
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    const double weight = weights_.empty() ? 1 : weights_[i];
    residual += weight * factor_.residuals()[i];
    total += weight * factor_.diagonal()[i];
  }
  return total > 0 ? residual / total : 0;
}

/// Rejected proposals cost block^2; n * (share accepted) / 4 keeps that below about a quarter of
/// the work on accepted ones, and the other terms stop at what is still needed.
void RandomPivots::adapt_block(std::size_t accepted, std::size_t rank) {
  const double share =
      static_cast<double>(std::max<std::size_t>(accepted, 1)) / static_cast<double>(block_);
  const auto affordable = static_cast<std::size_t>(static_cast<double>(factor_.size()) * share / 4);
  const auto needed =
      static_cast<std::size_t>(std::ceil(static_cast<double>(rank - factor_.rank()) / share)) + 2;
  constexpr std::size_t kMost = 512;
  const std::size_t grown = (3 * block_ + 1) / 2;
  block_ =
      std::max({std::min({affordable, needed, kMost, grown}), (block_ + 2) / 3, std::size_t{10}});
}

bool RandomPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  if (block_ == 0) {
    block_ = fixed_block_.value_or(std::clamp<std::size_t>(rank / 10, 8, 128));
  }
  constexpr int kMostEmptyRounds = 20;
  int empty_rounds = 0;
  while (factor_.rank() < rank) {
    std::vector<double> masses(factor_.residuals().begin(), factor_.residuals().end());
    if (std::ranges::max(masses) <= factor_.negligible()) return false;
    for (std::size_t i = 0; i < weights_.size(); ++i) masses[i] *= weights_[i];
    const WeightedDraw draw(masses);
    std::vector<std::size_t> proposals(block_);
    std::vector<double> chances(block_);
    for (auto& proposal : proposals) proposal = draw.draw(stream_.uniform(position_++));
    for (auto& chance : chances) chance = stream_.uniform(position_++);
    const auto taken = factor_.append(
        proposals, rank - factor_.rank(),
        [&](std::size_t j, double now, double at_start) { return chances[j] * at_start < now; });
    rounds_.push_back(taken.size());
    if (taken.empty()) {
      if (++empty_rounds == kMostEmptyRounds) return false;
      if (!fixed_block_) block_ = std::max<std::size_t>(10, block_ / 3);
      continue;
    }
    empty_rounds = 0;
    if (!fixed_block_) adapt_block(taken.size(), rank);
  }
  return true;
}

}  // namespace mercer::engine
