#include "engine/greedy_pivots.h"

#include <algorithm>
#include <vector>

#include "engine/weighted_draw.h"

namespace mercer::engine {

namespace {

double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1 : weights[i];
}

double largest_residual(const PartialCholesky& factor, std::span<const double> weights) {
  double largest = 0;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    if (weight_of(weights, i) > 0) largest = std::max(largest, factor.residuals()[i]);
  }
  return largest;
}

}  // namespace

BestPivots::BestPivots(const Kernel& kernel, MatrixView<const double> points,
                       PartialCholesky& factor, std::span<const double> weights, bool stored,
                       Workers& workers)
    : factor_(factor),
      weights_(weights),
      energies_(kernel, points, factor, weights, stored, workers) {}

std::optional<BestPivots::Winner> BestPivots::winner() const {
  std::optional<Winner> best;
  for (std::size_t j = 0; j < factor_.size(); ++j) {
    const double residual = factor_.residuals()[j];
    if (residual <= factor_.negligible()) continue;
    const double score = energies_.values()[j] / residual;
    if (!best || score > best->score) best = {.row = j, .score = score};
  }
  return best;
}

/// At most one refresh: scores that are still too large after it are so by rounding alone.
std::optional<BestPivots::Winner> BestPivots::sound_winner() {
  const auto best = winner();
  if (!best) return best;
  double most = 0;
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    most += weight_of(weights_, i) * factor_.residuals()[i];
  }
  constexpr double kSlack = 1e-6;
  if (!energies_.worn() && best->score <= most * (1 + kSlack)) return best;
  energies_.refresh();
  return winner();
}

bool BestPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  while (factor_.rank() < rank) {
    const auto best = sound_winner();
    if (!best || factor_.append(std::span(&best->row, 1), 1).empty()) return false;
    energies_.downdate();
  }
  return true;
}

SampledBestPivots::SampledBestPivots(PartialCholesky& factor, std::span<const double> weights,
                                     std::size_t candidates, RandomStream stream)
    : factor_(factor), weights_(weights), candidates_(candidates), stream_(stream) {}

bool SampledBestPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  while (factor_.rank() < rank) {
    // Rows that depend on the pivots are no candidates, however many they are.
    std::vector<double> masses(factor_.size(), 0.0);
    bool any = false;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      if (factor_.residuals()[i] <= factor_.negligible()) continue;
      masses[i] = weight_of(weights_, i) * factor_.residuals()[i];
      any = any || masses[i] > 0;
    }
    if (!any) return false;
    const WeightedDraw draw(masses);
    std::vector<std::size_t> rows(candidates_);
    for (auto& row : rows) row = draw.draw(stream_.uniform(position_++));
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    if (!factor_.append_best(rows, weights_)) return false;
  }
  return true;
}

double mean_residual(const PartialCholesky& factor, std::span<const double> weights) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    sum += weight_of(weights, i) * factor.residuals()[i];
    total += weight_of(weights, i);
  }
  return total > 0 ? sum / total : 0;
}

PivotStop grow_until(PartialCholesky& factor, std::span<const double> weights,
                     const PivotLimits& limits, const std::function<bool(std::size_t rank)>& grow) {
  const std::size_t count = std::min(limits.count, factor.capacity());
  for (;;) {
    if (factor.rank() >= count && count < factor.size()) return PivotStop::count;
    if (limits.mean_square > 0 && mean_residual(factor, weights) <= limits.mean_square) {
      return PivotStop::mean_square;
    }
    if (limits.largest > 0 && largest_residual(factor, weights) <= limits.largest) {
      return PivotStop::largest;
    }
    if (factor.rank() >= factor.size() || !grow(factor.rank() + 1)) return PivotStop::rank;
  }
}

}  // namespace mercer::engine
