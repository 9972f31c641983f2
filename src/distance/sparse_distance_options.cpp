#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

namespace mercer {

namespace {

void require_different(std::vector<std::size_t> items, const char* field) {
  std::ranges::sort(items);
  const auto twice = std::ranges::adjacent_find(items);
  if (twice == items.end()) return;
  throw InvalidArgument(fmt::format("{} has item {} twice", field, *twice));
}

}  // namespace

void SparseDistanceOptions::validate() const {
  if (landmarks && *landmarks == 0) {
    throw InvalidArgument("landmarks is 0: there must be at least one");
  }
  if (error && !(*error > 0 && std::isfinite(*error))) {
    throw InvalidArgument(fmt::format("error is {}: it must be positive, e.g. 0.05", *error));
  }
  if (landmarks && error) {
    throw InvalidArgument("landmarks and error are both given: the one decides the other");
  }
  if (max_landmarks == 0) throw InvalidArgument("max_landmarks is 0");
  if (error && selection != SubsetSelection::automatic && selection != SubsetSelection::greedy &&
      selection != SubsetSelection::greedy_frobenius) {
    throw InvalidArgument(
        "an error needs landmarks that are chosen one after another: selection must be greedy");
  }
  if (!landmark_items.empty() && (landmarks || error || !candidates.empty())) {
    throw InvalidArgument(
        "landmark_items are given: there is nothing to choose by landmarks, error or candidates");
  }
  require_different(landmark_items, "landmark_items");
  require_different(candidates, "candidates");
  if (constant && origin != DistanceOrigin::constant) {
    throw InvalidArgument("constant is for a constant origin");
  }
  if (constant && !std::isfinite(*constant)) {
    throw InvalidArgument(fmt::format("constant is {}: it must be finite", *constant));
  }
  if (!own_map.empty() && landmark_items.empty()) {
    throw InvalidArgument("own_map belongs to landmarks: give them as landmark_items");
  }
  const bool repairs =
      indefinite == IndefinitePolicy::clip || indefinite == IndefinitePolicy::shift;
  if (repairs && sample > 0) {
    throw InvalidArgument("clip and shift need the distances of all items: leave out the sample");
  }
}

}  // namespace mercer
