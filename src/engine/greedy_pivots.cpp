#include "engine/greedy_pivots.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/tile.h"
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

/// The row with the largest score, the first on ties.
std::optional<std::size_t> best_of(std::span<const std::size_t> rows,
                                   std::span<const double> energies, const PivotScore& score) {
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double candidate = score(rows[i], energies[i]);
    if (best && candidate <= best_score) continue;
    best = rows[i];
    best_score = candidate;
  }
  return best;
}

}  // namespace

BestPivots::BestPivots(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
                       const PivotOptions& options, Workers& workers)
    : factor_(factor),
      cut_(options.cut),
      score_(factor, options.criterion),
      energies_(std::move(gram), factor, options.weights, workers) {}

/// Rows that may have the largest score, ascending. In single precision at least as many as are
/// looked at for the price of one.
std::vector<std::size_t> BestPivots::contenders() const {
  std::vector<std::size_t> rows;
  std::ranges::copy_if(energies_.active(), std::back_inserter(rows), [&](std::size_t row) {
    return factor_.residuals()[row] > factor_.negligible();
  });
  const auto score = [&](std::size_t row, double error) {
    return score_(row, energies_.values()[row] + error);
  };
  const double error = energies_.error();
  double reached = 0;  // by some row
  for (const std::size_t row : rows) reached = std::max(reached, score(row, -error));
  const std::size_t least = energies_.single_precision() ? panel_width<double>() : 1;
  if (rows.size() > least) {
    std::vector<double> scores(rows.size());
    std::ranges::transform(rows, scores.begin(),
                           [&](std::size_t row) { return score(row, error); });
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(least - 1);
    std::ranges::nth_element(scores, last, std::greater<>{});
    reached = std::min(reached, *last);
  }
  std::erase_if(rows, [&](std::size_t row) { return score(row, error) < reached; });
  return rows;
}

std::optional<std::size_t> BestPivots::winner() {
  for (;;) {
    const auto rows = contenders();
    if (rows.empty()) return std::nullopt;
    if (!energies_.single_precision()) return rows.front();  // ties go to the first
    // Where nearly all rows are equal, all would have to be looked at again.
    if (!energies_.second_look_pays(rows.size())) {
      energies_.use_double_precision();
      continue;
    }
    const double error = energies_.error();
    const auto exact = energies_.exact(rows);
    if (energies_.single_precision() && energies_.error() <= error)
      return best_of(rows, exact, score_);
  }
}

/// At most one refresh: gains that are still too large after it are so by rounding alone.
std::optional<std::size_t> BestPivots::sound_winner() {
  const auto best = winner();
  if (!best) return best;
  const double gain = (energies_.values()[*best] - energies_.error()) / factor_.residuals()[*best];
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
  return best_of(rows, energies, score_);
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
