#include "methods/component_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::methods {

ComponentChoice::ComponentChoice(std::size_t components, std::optional<double> retain,
                                 std::optional<double> min_eigenvalue)
    : components_(components), retain_(retain), min_eigenvalue_(min_eigenvalue) {
  if (components == 0) throw InvalidArgument("components is 0: ask for at least one");
  if (retain && !(*retain > 0 && *retain <= 1)) {
    throw InvalidArgument(fmt::format(
        "retain is {}: it is a fraction of the variance, above 0 and at most 1", *retain));
  }
  if (min_eigenvalue && !(*min_eigenvalue > 0 && std::isfinite(*min_eigenvalue))) {
    throw InvalidArgument(
        fmt::format("min_eigenvalue is {}: it must be positive and finite", *min_eigenvalue));
  }
  if (retain && min_eigenvalue) {
    throw InvalidArgument("retain and min_eigenvalue are two ways to choose; give one of them");
  }
}

std::size_t ComponentChoice::first_guess(std::size_t n) const {
  constexpr std::size_t kOpenGuess = 32;
  return std::min(is_open() ? kOpenGuess : components_, n);
}

std::optional<std::size_t> ComponentChoice::count(std::span<const double> values,
                                                  double total_variance, double noise) const {
  const auto above = [&](double threshold) {
    return static_cast<std::size_t>(
        std::ranges::count_if(values, [&](double value) { return value > threshold; }));
  };
  const std::size_t significant = above(noise);
  if (!is_open()) return std::min(components_, significant);
  const bool exhausted = significant < values.size();
  if (min_eigenvalue_) {
    const double below = std::nextafter(*min_eigenvalue_, 0.0);  // "at least" includes equality
    const std::size_t wanted = std::min(above(below), significant);
    if (wanted < values.size() || exhausted) return wanted;
    return std::nullopt;
  }
  // The sum and the total are each known to about 1e-12 of the total only.
  const double target = (*retain_ - 1e-12) * total_variance;
  double sum = 0;
  for (std::size_t i = 0; i < significant; ++i) {
    sum += values[i];
    if (sum >= target) return i + 1;
  }
  if (exhausted) return significant;
  return std::nullopt;
}

double noise_level(double largest_eigenvalue, double trace, std::size_t n, bool single_precision) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double relative =
      std::max(static_cast<double>(n) * kEpsilon, single_precision ? 1e-6 : 1e-12);
  const double rounding = single_precision ? 1e-7 : 16 * kEpsilon;
  return std::max(relative * largest_eigenvalue, rounding * std::abs(trace));
}

void fix_signs(MatrixView<double> b, std::span<double> offset) {
  for (std::size_t j = 0; j < b.cols(); ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < b.rows(); ++i) {
      if (std::abs(b(i, j)) > std::abs(largest)) largest = b(i, j);
    }
    if (largest >= 0) continue;
    for (std::size_t i = 0; i < b.rows(); ++i) b(i, j) = -b(i, j);
    if (!offset.empty()) offset[j] = -offset[j];
  }
}

}  // namespace mercer::methods
