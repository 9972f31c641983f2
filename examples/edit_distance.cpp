// Nearest words by edit distance, from few edit distances.
//
// The edit distance is dear (length x length steps for each pair), it is a function of objects that
// are no rows of numbers, and it embeds into no Hilbert space, neither itself nor its root. So
// there are estimates, errors measured by leaving items out, and neighbours among the items with
// the smallest estimates; bounds, and neighbours that are certain, are refused.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mercer/mercer.h>

namespace {

/// Insertions, deletions and replacements that turn a into b (Levenshtein).
double edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return static_cast<double>(row.back());
}

/// Families of sequences: each is a common ancestor with some letters changed.
std::vector<std::string> sequences(std::size_t count, std::uint64_t seed) {
  const std::string letters = "ACGT";
  std::uint64_t ancestors = 11;
  const auto draw = [](std::uint64_t& state, std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  std::vector<std::string> families(6);
  for (std::string& family : families) {
    for (int i = 0; i < 60; ++i) family += letters[draw(ancestors, 4)];
  }
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = families[draw(seed, families.size())];
    for (int change = 0; change < 12; ++change) {
      const auto at = static_cast<std::ptrdiff_t>(draw(seed, text.size()));
      switch (draw(seed, 3)) {
        case 0:
          text[static_cast<std::size_t>(at)] = letters[draw(seed, 4)];
          break;
        case 1:
          text.erase(text.begin() + at);
          break;
        default:
          text.insert(text.begin() + at, letters[draw(seed, 4)]);
      }
    }
    made.push_back(text);
  }
  return made;
}

}  // namespace

int main() {
  const std::vector<std::string> items = sequences(300, 1);
  const std::vector<std::string> queries = sequences(50, 2);

  // The edit distance takes the place of a squared distance: it is nearer to being one than its
  // square is, as negative_share tells.
  const auto among =
      mercer::object_distances(std::span<const std::string>(items), edit_distance, "edit");
  const auto fit = mercer::fit_sparse_distance(among, {.landmarks = 24});
  std::printf("%s\n", fit.summary.full().c_str());

  const auto from = mercer::object_queries(std::span<const std::string>(queries),
                                           std::span<const std::string>(items), edit_distance);
  // Offered: estimates of all distances, and their errors.
  const auto estimates = fit.model.estimate(from);
  double error = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const double truth = edit_distance(queries[q], items[i]);
      error += std::abs(estimates.squared(q, i) - truth) / truth /
               static_cast<double>(queries.size() * items.size());
    }
  }
  std::printf("relative error of 24 distances in place of 300: %.3f\n", error);

  // Offered: neighbours among the 20 smallest estimates.
  const auto found = fit.model.neighbors(from, {.neighbors = 1, .rerank = 20});
  std::size_t hits = 0;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    double nearest = 1e9;
    for (const std::string& item : items) {
      nearest = std::min(nearest, edit_distance(queries[q], item));
    }
    hits += found.squared(q, 0) == nearest ? 1 : 0;
  }
  std::printf(
      "nearest found for %zu of %zu queries, %.1f distances each\n", hits, queries.size(),
      static_cast<double>(found.distance_evaluations) / static_cast<double>(queries.size()));

  // Refused: what would only hold in a Hilbert space.
  try {
    fit.model.neighbors(from);
    return 1;
  } catch (const mercer::InvalidArgument& e) {
    std::printf("refused: %s\n", e.what());
  }
  return 0;
}
