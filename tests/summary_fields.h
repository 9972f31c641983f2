#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include <mercer/summary.h>

namespace mercer::testing {

/// The bound of this name, NaN when there is none.
inline double bound(const Summary& summary, const std::string& name) {
  const auto found = std::ranges::find(summary.bounds, name, &Bound::name);
  return found == summary.bounds.end() ? NAN : found->value;
}

/// What was chosen, "" when nothing was.
inline std::string choice(const Summary& summary, const std::string& what) {
  const auto found = std::ranges::find(summary.choices, what, &Choice::what);
  return found == summary.choices.end() ? "" : found->value;
}

/// Why it was chosen.
inline std::string reason(const Summary& summary, const std::string& what) {
  const auto found = std::ranges::find(summary.choices, what, &Choice::what);
  return found == summary.choices.end() ? "" : found->why;
}

}  // namespace mercer::testing
