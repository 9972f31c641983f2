#include "distance/subset_choice.h"

#include <algorithm>
#include <limits>

#include <mercer/kernel.h>

#include "distance/enumerated_subset.h"
#include "distance/greedy_subset.h"
#include "distance/swap_subset.h"
#include "engine/greedy_pivots.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random.h"
#include "engine/random_pivots.h"
#include "engine/weighted_draw.h"

namespace mercer::distance {

namespace {

constexpr std::uint64_t kSubsetStream = 0x737562736574;

SubsetChoice greedy(MatrixView<const double> gram, std::span<const std::size_t> candidates,
                    std::size_t m, SubsetSelection selection, engine::Workers& workers) {
  const auto objective = selection == SubsetSelection::greedy_frobenius ? SubsetObjective::frobenius
                                                                        : SubsetObjective::trace;
  GreedySubset subset(gram, candidates, objective, m, workers);
  while (subset.rows().size() < m && subset.grow()) {
  }
  SubsetChoice choice{
      .rows = subset.rows(), .gains = subset.gains(), .refreshes = subset.refreshes()};
  if (selection != SubsetSelection::swap) return choice;
  auto swapped = swap_subset(gram, subset.powers(), candidates, choice.rows, workers);
  if (swapped.swaps > 0) choice.gains.clear();
  choice.swaps = swapped.swaps;
  choice.rows = std::move(swapped.rows);
  return choice;
}

/// D. Arthur, S. Vassilvitskii, "k-means++", 2007: by the squared distance from the nearest so far.
std::vector<std::size_t> far_apart(MatrixView<const double> gram,
                                   std::span<const std::size_t> candidates, std::size_t m,
                                   const engine::RandomStream& stream) {
  std::vector<std::size_t> rows{candidates[stream.below(0, candidates.size())]};
  std::vector<double> nearest(candidates.size(), std::numeric_limits<double>::infinity());
  while (rows.size() < m) {
    const std::size_t last = rows.back();
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const std::size_t j = candidates[c];
      const double scale = gram(j, j) + gram(last, last);
      const double square = scale - 2 * gram(j, last);
      // Equal items are a rounding apart.
      nearest[c] = std::min(nearest[c], square > 1e-12 * scale ? square : 0);
    }
    const engine::WeightedDraw draw(nearest);
    if (!(draw.total() > 0)) break;
    rows.push_back(candidates[draw.draw(stream.uniform(rows.size()))]);
  }
  return rows;
}

std::vector<std::size_t> by_cholesky(MatrixView<const double> gram,
                                     std::span<const std::size_t> candidates, std::size_t m,
                                     bool random, const engine::RandomStream& stream,
                                     engine::Workers& workers) {
  Matrix<double> among(candidates.size(), candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = 0; j < candidates.size(); ++j) {
      among(i, j) = gram(candidates[i], candidates[j]);
    }
  }
  engine::PartialCholesky factor(Precomputed{}, among, m, workers);
  if (random) {
    engine::RandomPivots(factor, {}, stream).grow(m);
  } else {
    engine::grow_greedily(factor, m);
  }
  std::vector<std::size_t> rows;
  for (const std::size_t pivot : factor.pivots()) rows.push_back(candidates[pivot]);
  return rows;
}

}  // namespace

SubsetChoice choose_subset(MatrixView<const double> gram, std::span<const std::size_t> candidates,
                           std::size_t m, SubsetSelection selection, std::uint64_t seed,
                           engine::Workers& workers) {
  const auto stream = engine::RandomStream(seed).substream(kSubsetStream);
  m = std::min(m, candidates.size());
  SubsetChoice choice;
  switch (selection) {
    case SubsetSelection::automatic:
    case SubsetSelection::swap:
    case SubsetSelection::greedy:
    case SubsetSelection::greedy_frobenius:
      choice = greedy(gram, candidates, m, selection, workers);
      break;
    case SubsetSelection::enumerate:
      choice.rows =
          enumerate_subsets(gram, candidates, m, EnumeratedObjective::trace, workers).rows;
      break;
    case SubsetSelection::enumerate_l1:
      choice.rows = enumerate_subsets(gram, candidates, m, EnumeratedObjective::l1, workers).rows;
      break;
    case SubsetSelection::uniform:
      for (const std::size_t c : engine::sample_without_replacement(candidates.size(), m, stream)) {
        choice.rows.push_back(candidates[c]);
      }
      break;
    case SubsetSelection::kmeans:
      choice.rows = far_apart(gram, candidates, m, stream);
      break;
    case SubsetSelection::pivoted_cholesky:
    case SubsetSelection::rpcholesky:
      choice.rows = by_cholesky(gram, candidates, m, selection == SubsetSelection::rpcholesky,
                                stream, workers);
      break;
  }
  // Equal items, or one alone: an item is a landmark all the same.
  if (choice.rows.empty()) choice.rows.push_back(candidates.front());
  return choice;
}

}  // namespace mercer::distance
