#include "engine/greedy_pivots.h"

#include <algorithm>
#include <numeric>
#include <utility>
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

BestPivots::BestPivots(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
                       const PivotOptions& options, Workers& workers)
    : factor_(factor),
      cut_(options.cut),
      score_(factor, options.criterion),
      energies_(std::move(gram), factor, options.weights, workers) {}

std::optional<std::size_t> BestPivots::winner() const {
  std::optional<std::size_t> best;
  double best_score = 0;
  for (const std::size_t row : energies_.active()) {
    if (factor_.residuals()[row] <= factor_.negligible()) continue;
    const double score = score_(row, energies_.values()[row]);
    if (best && score <= best_score) continue;
    best = row;
    best_score = score;
  }
  return best;
}

/// At most one refresh: gains that are still too large after it are so by rounding alone.
std::optional<std::size_t> BestPivots::sound_winner() {
  const auto best = winner();
  if (!best) return best;
  const double gain = energies_.values()[*best] / factor_.residuals()[*best];
  constexpr double kSlack = 1e-6;
  if (!energies_.worn() && gain <= energies_.largest_score() * (1 + kSlack)) return best;
  energies_.refresh();
  return winner();
}

bool BestPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  while (factor_.rank() < rank) {
    energies_.cut(cut_);
    energies_.update();
    score_.update();
    const auto best = sound_winner();
    if (!best || factor_.append(std::span(&*best, 1), 1).empty()) return false;
  }
  return true;
}

DrawnPivots::DrawnPivots(PartialCholesky& factor, const PivotOptions& options,
                         std::size_t candidates, std::size_t terms, RandomStream stream,
                         Workers& workers)
    : factor_(factor),
      options_(options),
      score_(factor, options.criterion),
      candidates_(candidates),
      terms_(terms),
      stream_(stream),
      workers_(workers),
      active_(factor.size()) {
  std::iota(active_.begin(), active_.end(), std::size_t{0});
}

std::vector<std::size_t> DrawnPivots::draw(std::span<const std::size_t> rows, std::size_t count) {
  auto drawn = sample_without_replacement(rows.size(), count, stream_.substream(draws_++));
  std::ranges::sort(drawn);
  for (std::size_t& row : drawn) row = rows[row];
  return drawn;
}

std::optional<std::size_t> DrawnPivots::winner() {
  std::vector<std::size_t> eligible;
  std::ranges::copy_if(active_, std::back_inserter(eligible), [&](std::size_t row) {
    return factor_.residuals()[row] > factor_.negligible();
  });
  const auto rows = draw(eligible, candidates_);
  const auto terms = draw(active_, terms_);
  std::vector<double> weights;
  for (const std::size_t term : terms) weights.push_back(weight_of(options_.weights, term));
  const auto energies = residual_energies(factor_, factor_.rank(), rows, terms, weights, workers_);
  evaluations_ += static_cast<std::uint64_t>(rows.size()) * terms.size();
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double score = score_(rows[i], energies[i]);
    if (best && score <= best_score) continue;
    best = rows[i];
    best_score = score;
  }
  return best;
}

bool DrawnPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  while (factor_.rank() < rank) {
    std::erase_if(active_,
                  [&](std::size_t row) { return factor_.residuals()[row] < options_.cut; });
    score_.update();
    const auto best = winner();
    if (!best || factor_.append(std::span(&*best, 1), 1).empty()) return false;
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
