#include "engine/distance_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"

namespace mercer::engine {

namespace {

using Row = std::span<const double>;

bool bit(double value, std::optional<double> threshold) {
  return value > threshold.value_or(0.5);
}

template <class Term>
double sum_terms(Row x, Row y, const Term& term) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += term(x[j], y[j]);
  return sum;
}

double norm(Row x) {
  return std::sqrt(sum_terms(x, x, [](double a, double b) { return a * b; }));
}

struct Evaluate {
  Row x;
  Row y;

  double operator()(const EuclideanDistance&) const {
    return sum_terms(x, y, [](double a, double b) { return (a - b) * (a - b); });
  }
  double operator()(const HammingDistance& d) const {
    return sum_terms(x, y, [&](double a, double b) {
      return bit(a, d.threshold) != bit(b, d.threshold) ? 1.0 : 0.0;
    });
  }
  double operator()(const L1Distance&) const {
    return sum_terms(x, y, [](double a, double b) { return std::abs(a - b); });
  }
  double operator()(const Chi2Distance&) const {
    return sum_terms(
        x, y, [](double a, double b) { return a + b > 0 ? (a - b) * ((a - b) / (a + b)) : 0; });
  }
  double operator()(const HellingerDistance&) const {
    return 0.5 * sum_terms(x, y, [](double a, double b) {
             return (std::sqrt(a) - std::sqrt(b)) * (std::sqrt(a) - std::sqrt(b));
           });
  }
  /// With t = (x - y) / (x + y) a term is (x + y) / 4 times (1 + t) ln(1 + t) + (1 - t) ln(1 - t),
  /// which keeps its digits where x and y are nearly equal.
  double operator()(const JensenShannonDistance&) const {
    return sum_terms(x, y, [](double a, double b) {
      const double s = a + b;
      if (s == 0) return 0.0;
      const double t = std::abs(a - b) / s;
      const double falling = t < 1 ? (1 - t) * std::log1p(-t) : 0;
      return 0.25 * s * ((1 + t) * std::log1p(t) + falling);
    });
  }
  /// By differences of unit vectors, which is 0 for equal rows.
  double operator()(const CosineDistance&) const {
    const double a = norm(x);
    const double b = norm(y);
    return 0.5 *
           sum_terms(x, y, [&](double u, double v) { return (u / a - v / b) * (u / a - v / b); });
  }
  double operator()(const JaccardDistance& d) const {
    double both = 0;
    double any = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const bool a = bit(x[j], d.threshold);
      const bool b = bit(y[j], d.threshold);
      both += a && b ? 1 : 0;
      any += a || b ? 1 : 0;
    }
    return any > 0 ? (any - both) / any : 0;
  }
  double operator()(const KernelDistance& d) const {
    return std::max(0.0, kernel_value(d.kernel, x, x) + kernel_value(d.kernel, y, y) -
                             2 * kernel_value(d.kernel, x, y));
  }
  double operator()(const PrecomputedDistance&) const {
    throw InvalidArgument("a precomputed distance has no formula for two rows");
  }
  double operator()(const CustomDistance& d) const { return d.squared(x, y); }
};

bool needs_non_negative(const Distance& distance) {
  return std::holds_alternative<Chi2Distance>(distance) ||
         std::holds_alternative<HellingerDistance>(distance) ||
         std::holds_alternative<JensenShannonDistance>(distance);
}

bool needs_bits(const Distance& distance) {
  const auto* hamming = std::get_if<HammingDistance>(&distance);
  const auto* jaccard = std::get_if<JaccardDistance>(&distance);
  return (hamming != nullptr && !hamming->threshold) || (jaccard != nullptr && !jaccard->threshold);
}

/// Whether all numbers are between the two: the loop that the compiler makes vectors of.
bool all_between(Row x, double low, double high) {
  unsigned outside = 0;
  for (const double value : x) outside |= static_cast<unsigned>(!(value >= low && value <= high));
  return outside == 0;
}

}  // namespace

double checked_square(double value, std::size_t i, std::size_t j) {
  if (value >= 0 && std::isfinite(value)) return value;
  throw NumericalError(
      fmt::format("the squared distance of items {} and {} is {}: it must be finite and not "
                  "negative",
                  i + 1, j + 1, value));
}

void check_distance_points(const Distance& distance, MatrixView<const double> points,
                           std::size_t first_row) {
  const bool histograms = needs_non_negative(distance);
  const bool precomputed = std::holds_alternative<PrecomputedDistance>(distance);
  const bool bits = needs_bits(distance);
  const bool directions = std::holds_alternative<CosineDistance>(distance);
  const auto fail = [&](std::size_t i, std::size_t j, const std::string& why) {
    throw DataError(
        fmt::format("row {}, column {} is {}: {}", first_row + i + 1, j + 1, points(i, j), why));
  };
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (!bits && !directions &&
        all_between(points.row(i), histograms || precomputed ? 0 : -kLargest, kLargest)) {
      continue;
    }
    bool zero = true;
    for (std::size_t j = 0; j < points.cols(); ++j) {
      const double value = points(i, j);
      if (!std::isfinite(value)) {
        fail(i, j, "every value must be finite; remove or impute such rows first");
      }
      if (value < 0 && histograms) {
        fail(i, j,
             fmt::format("the {} distance is for non-negative data such as histograms",
                         distance_name(distance)));
      }
      if (value < 0 && precomputed) fail(i, j, "distances are not negative");
      if (bits && value != 0 && value != 1) {
        fail(i, j,
             fmt::format("the {} distance is for 0 and 1; give a threshold to cut at",
                         distance_name(distance)));
      }
      zero = zero && value == 0;
    }
    if (zero && directions) {
      throw DataError(fmt::format(
          "row {} is all zeros: it has no direction, which the cosine distance compares",
          first_row + i + 1));
    }
  }
  if (const auto* kernel = std::get_if<KernelDistance>(&distance)) {
    check_new_points(kernel->kernel, points, first_row);
  }
}

void check_distance_items(const Distance& distance, MatrixView<const double> points) {
  if (points.rows() == 0 || points.cols() == 0) {
    throw DataError(
        fmt::format("there are no items: the table is {} x {}", points.rows(), points.cols()));
  }
  check_distance_points(distance, points, 0);
  if (!std::holds_alternative<PrecomputedDistance>(distance)) return;
  if (points.rows() != points.cols()) {
    throw DataError(fmt::format("precomputed distances need a square matrix, this one is {} x {}",
                                points.rows(), points.cols()));
  }
  double largest = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    largest = std::max(largest, std::ranges::max(points.row(i)));
  }
  for (std::size_t i = 0; i < points.rows(); ++i) {
    if (points(i, i) > 1e-8 * largest) {
      throw DataError(fmt::format("the precomputed distance of item {} to itself is {}, not 0",
                                  i + 1, points(i, i)));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (std::abs(points(i, j) - points(j, i)) <= 1e-8 * largest) continue;
      throw DataError(fmt::format(
          "the precomputed distances are not symmetric: entry ({}, {}) is {}, ({}, {}) is {}",
          i + 1, j + 1, points(i, j), j + 1, i + 1, points(j, i)));
    }
  }
}

}  // namespace mercer::engine

namespace mercer {

double squared_distance(const Distance& distance, std::span<const double> x,
                        std::span<const double> y) {
  if (x.size() != y.size()) {
    throw InvalidArgument(
        fmt::format("rows of {} and {} columns have no distance", x.size(), y.size()));
  }
  return std::visit(engine::Evaluate{x, y}, distance);
}

}  // namespace mercer
