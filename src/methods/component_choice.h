#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <mercer/matrix.h>

namespace mercer::methods {

/// How many components are asked for: by count, by a fraction of the variance, or by the smallest
/// eigenvalue of interest.
class ComponentChoice {
 public:
  /// Throws InvalidArgument on values out of range or more than one rule.
  ComponentChoice(std::size_t components, std::optional<double> retain,
                  std::optional<double> min_eigenvalue);

  /// Whether the number becomes known only with the eigenvalues.
  bool is_open() const { return retain_ || min_eigenvalue_; }
  /// Eigenvalues to compute at first, of n that there are.
  std::size_t first_guess(std::size_t n) const;
  /// How many of these eigenvalues (descending) to keep, or nothing when more of them are needed.
  /// `noise`: eigenvalues at or below it are rounding noise, and none of interest follows.
  std::optional<std::size_t> count(std::span<const double> values, double total_variance,
                                   double noise) const;

 private:
  std::size_t components_;
  std::optional<double> retain_;
  std::optional<double> min_eigenvalue_;
};

/// Below this an eigenvalue is rounding noise, and its component would be divided by it. `trace` is
/// that of the matrix before centring, whose rounding remains when centring takes all else away.
double noise_level(double largest_eigenvalue, double trace, std::size_t n, bool single_precision);

/// Flips columns so that the entry of largest magnitude (the first on ties) is positive; the
/// entries of `offset`, where there are any, follow their columns.
void fix_signs(MatrixView<double> b, std::span<double> offset = {});

}  // namespace mercer::methods
