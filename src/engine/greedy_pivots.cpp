#include "engine/greedy_pivots.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "engine/tile.h"
#include "engine/weighted_draw.h"

namespace mercer::engine {

namespace {

double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1 : weights[i];
}

/// Pivots added at a time, when there are `rank` of them.
std::size_t batch_size(std::size_t rank) {
  constexpr std::size_t kMost = 128;
  return std::min(rank / 8 + 1, kMost);
}

/// Rows by falling residual, the first of equals first.
struct LargerResidual {
  std::span<const double> residuals;

  bool operator()(std::size_t a, std::size_t b) const {
    return residuals[a] != residuals[b] ? residuals[a] > residuals[b] : a < b;
  }
};

/// The next pivots of largest residual in their order, at least one and at most `most`, as far as
/// they are known from what is left of `candidates` rows.
std::vector<std::size_t> next_largest(PartialCholesky& factor, std::size_t candidates,
                                      std::size_t most) {
  std::vector<std::size_t> rows(factor.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const LargerResidual before{factor.residuals()};
  if (candidates < rows.size()) {
    // One more than the candidates: the first that is not looked at.
    std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(candidates), before);
    rows.resize(candidates + 1);
  }
  std::ranges::sort(rows, before);
  if (most == 1) return {rows.front()};
  const std::size_t count = std::min(candidates, rows.size());
  const bool all = count == rows.size();
  const std::size_t outside = all ? factor.size() : rows.back();
  const double bound = all ? 0 : factor.residuals()[outside];
  rows.resize(count);

  Matrix<double> h = factor.residual_matrix(rows);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t l = i + 1; l < count; ++l) h(i, l) = h(l, i);
  }
  std::vector<std::size_t> left(count);
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<std::size_t> pivots;
  std::vector<double> column(count);
  while (pivots.size() < most && !left.empty()) {
    const auto largest = std::ranges::max_element(left, [&](std::size_t a, std::size_t b) {
      return h(a, a) != h(b, b) ? h(a, a) < h(b, b) : rows[a] > rows[b];
    });
    const std::size_t j = *largest;
    const double now = h(j, j);
    if (now < bound || (now == bound && outside < rows[j])) break;
    if (!pivots.empty() && now <= factor.negligible()) break;
    pivots.push_back(rows[j]);
    left.erase(largest);
    for (const std::size_t i : left) column[i] = h(i, j);
    for (const std::size_t i : left) {
      const double multiple = column[i] / now;
      for (const std::size_t l : left) h(i, l) -= multiple * column[l];
    }
  }
  return pivots;
}

/// The mean and the largest of what rows of positive weight leave, by a function of the row.
struct Spread {
  double mean = 0;
  double largest = 0;
};
template <class Residual>
Spread spread_of(const PartialCholesky& factor, std::span<const double> weights,
                 const Residual& residual) {
  Spread spread;
  double total = 0;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    const double weight = weight_of(weights, i);
    spread.mean += weight * residual(i);
    total += weight;
    if (weight > 0) spread.largest = std::max(spread.largest, residual(i));
  }
  spread.mean = total > 0 ? spread.mean / total : 0;
  return spread;
}

/// The limit on residuals that holds, the first of them.
std::optional<PivotStop> limit_met(const Spread& spread, const PivotLimits& limits) {
  if (limits.mean_square > 0 && spread.mean <= limits.mean_square) return PivotStop::mean_square;
  if (limits.largest > 0 && spread.largest <= limits.largest) return PivotStop::largest;
  return std::nullopt;
}

/// Gives pivots back, down to `rank`, as long as a limit holds without the last one.
void give_back(PartialCholesky& factor, std::span<const double> weights, const PivotLimits& limits,
               std::size_t rank) {
  while (factor.rank() > rank) {
    const auto g = factor.factor();
    const auto without_last = spread_of(factor, weights, [&](std::size_t i) {
      const double value = g(i, g.cols() - 1);
      return factor.residuals()[i] + value * value;
    });
    if (!limit_met(without_last, limits)) return;
    factor.forget_last();
  }
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

bool grow_greedily(PartialCholesky& factor, std::size_t rank) {
  rank = std::min(rank, factor.capacity());
  constexpr std::size_t kFewest = 16;
  constexpr std::size_t kMost = 256;
  std::size_t candidates = kMost;
  while (factor.rank() < rank) {
    const std::size_t most = rank - factor.rank();
    const auto pivots = next_largest(factor, std::min(2 * most, candidates), most);
    if (factor.append(pivots, most).empty()) return false;
    candidates = std::clamp(3 * pivots.size(), kFewest, kMost);
  }
  return true;
}

BestPivots::BestPivots(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
                       const PivotOptions& options, Workers& workers)
    : factor_(factor),
      cut_(options.cut),
      score_(factor, options.criterion),
      energies_(std::move(gram), factor, options.weights, workers) {}

/// Rows that may have the largest score, ascending. In single precision at least as many as are
/// looked at for the price of one.
///
/// A row that is nearly spanned may point the right way and win. But a residual d is known only to
/// 1e-16 k(x, x) / d of itself, and so is the column that it scales: where others have a residual
/// that is larger by a large factor, they come first.
std::vector<std::size_t> BestPivots::contenders() const {
  constexpr double kNearlySpanned = 1e-6;
  const auto residuals = factor_.residuals();
  double largest = 0;
  for (const std::size_t row : energies_.active()) largest = std::max(largest, residuals[row]);
  const double least_residual = std::max(factor_.negligible(), kNearlySpanned * largest);
  std::vector<std::size_t> rows;
  std::ranges::copy_if(energies_.active(), std::back_inserter(rows),
                       [&](std::size_t row) { return residuals[row] > least_residual; });
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
  return spread_of(factor, weights, [&](std::size_t i) { return factor.residuals()[i]; }).mean;
}

PivotStop grow_until(PartialCholesky& factor, std::span<const double> weights,
                     const PivotLimits& limits, const std::function<bool(std::size_t rank)>& grow,
                     PivotSteps steps) {
  const std::size_t count = std::min(limits.count, factor.capacity());
  for (;;) {
    const std::size_t rank = factor.rank();
    if (rank >= count && count < factor.size()) return PivotStop::count;
    const auto spread =
        spread_of(factor, weights, [&](std::size_t i) { return factor.residuals()[i]; });
    if (const auto met = limit_met(spread, limits)) return *met;
    if (rank >= factor.size()) return PivotStop::rank;
    const std::size_t step = steps == PivotSteps::batches ? batch_size(rank) : 1;
    if (!grow(std::max(std::min(rank + step, count), rank + 1)) && factor.rank() == rank) {
      return PivotStop::rank;
    }
    give_back(factor, weights, limits, rank + 1);
  }
}

}  // namespace mercer::engine
