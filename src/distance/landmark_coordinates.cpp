#include "distance/landmark_coordinates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <mercer/kernel.h>

#include "distance/gram_powers.h"
#include "engine/blas.h"
#include "engine/greedy_pivots.h"
#include "engine/pivoted_cholesky.h"

namespace mercer::distance {

namespace {

double origin_at(const model::SimplexCoordinates& numbers, std::span<const double> to_landmarks) {
  return numbers.origin_offset + dot(numbers.origin_weights, to_landmarks);
}

}  // namespace

LandmarkCoordinates::LandmarkCoordinates(const model::SimplexCoordinates& numbers)
    : numbers_(numbers) {
  const MatrixView<const double> l = numbers.lower;
  for (std::size_t i = 0; i < l.rows(); ++i) {
    const auto row = l.row(i).first(i + 1);
    sizes_.push_back(size(dot(row, row)));
  }
}

std::vector<double> LandmarkCoordinates::kernel_values(std::span<const double> to_landmarks) const {
  const double g = origin_at(numbers_, to_landmarks);
  std::vector<double> values;
  for (std::size_t j = 0; j < to_landmarks.size(); ++j) {
    values.push_back(g + numbers_.landmark_origins[j] - to_landmarks[j] / 2);
  }
  return values;
}

double LandmarkCoordinates::solve(std::span<const double> to_landmarks, std::span<double> y) const {
  const double g = origin_at(numbers_, to_landmarks);
  const MatrixView<const double> l = numbers_.lower;
  for (std::size_t i = 0; i < l.rows(); ++i) {
    const std::size_t landmark = numbers_.independent[i];
    double value = g + numbers_.landmark_origins[landmark] - to_landmarks[landmark] / 2;
    for (std::size_t j = 0; j < i; ++j) value -= l(i, j) * y[j];
    y[i] = value / l(i, i);
  }
  return 2 * g;
}

double LandmarkCoordinates::residual(std::span<const double> to_landmarks,
                                     std::span<double> y) const {
  const double self = solve(to_landmarks, y);
  return std::sqrt(std::max(self - dot(y, y), 0.0));
}

PlacedPoint LandmarkCoordinates::place(std::span<const double> to_landmarks,
                                       std::span<double> y) const {
  const double self = solve(to_landmarks, y);
  const MatrixView<const double> l = numbers_.lower;
  std::vector<double> beta(y.begin(), y.end());
  double rounding = size(self);
  for (std::size_t i = l.rows(); i-- > 0;) {
    beta[i] /= l(i, i);
    for (std::size_t j = 0; j < i; ++j) beta[j] -= l(i, j) * beta[i];
    rounding += std::abs(beta[i]) * sizes_[i];
  }
  return finish(dot(y, y), self, rounding);
}

double LandmarkCoordinates::size(double self) const {
  return std::sqrt(numbers_.noise) + std::sqrt(std::max(self, 0.0));
}

PlacedPoint LandmarkCoordinates::finish(double norm2, double self, double rounding) const {
  const double error = numbers_.accuracy * rounding * rounding;
  const double rho2 = self - norm2;
  return {.norm2 = norm2,
          .rho = std::sqrt(std::max(rho2, 0.0)),
          .rho_low = std::sqrt(std::max(rho2 - error, 0.0)),
          .rho_high = std::sqrt(std::max(rho2 + error, 0.0)),
          .rounding = rounding};
}

PlacedPoint LandmarkCoordinates::item(std::size_t i) const {
  const auto y = numbers_.coordinates.row(i);
  const double norm2 = dot(y, y);
  return finish(norm2, numbers_.residuals[i] + norm2, numbers_.roundings[i]);
}

LandmarkCoordinates::Interval LandmarkCoordinates::bounds(const PlacedPoint& a,
                                                          const PlacedPoint& b,
                                                          double product) const {
  const double reach = a.rounding + b.rounding;
  const double error = numbers_.accuracy * reach * reach;
  const double inside = a.norm2 + b.norm2 - 2 * product;
  const double gap = std::max({0.0, a.rho_low - b.rho_high, b.rho_low - a.rho_high});
  const double sum = a.rho_high + b.rho_high;
  return {.lower = std::max(0.0, inside - error + gap * gap),
          .upper = std::max(0.0, inside + error) + sum * sum};
}

model::SimplexCoordinates place_items(MatrixView<const double> to_landmarks,
                                      std::span<const std::size_t> landmarks,
                                      const OriginFunction& origin, const Measurement& measurement,
                                      engine::Workers& workers) {
  const std::size_t n = to_landmarks.rows();
  const std::size_t m = landmarks.size();
  model::SimplexCoordinates numbers;
  numbers.origin_weights = origin.weights;
  numbers.origin_offset = origin.offset;
  // Vectors of eight sum an eighth of the terms each, and the algebra has m steps.
  numbers.accuracy =
      (static_cast<double>(measurement.terms) / 8 + static_cast<double>(landmarks.size()) + 8) *
      std::numeric_limits<double>::epsilon();
  numbers.noise = measurement.noise;
  for (const std::size_t row : landmarks) {
    numbers.landmark_origins.push_back(origin(to_landmarks.row(row)));
  }
  Matrix<double> gram(m, m);
  double largest = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      gram(i, j) = numbers.landmark_origins[i] + numbers.landmark_origins[j] -
                   to_landmarks(landmarks[i], j) / 2;
    }
    largest = std::max(largest, gram(i, i));
  }
  // Landmarks in the span of others (a base point is the origin itself) add no coordinate.
  if (largest > 0) {
    engine::PartialCholesky factor(Precomputed{}, gram, m, workers);
    engine::grow_greedily(factor, m);
    numbers.independent.assign(factor.pivots().begin(), factor.pivots().end());
    numbers.lower = factor.pivot_factor();
  }
  const std::size_t r = numbers.lower.rows();
  numbers.coordinates = Matrix<double>(n, r);
  numbers.residuals.resize(n);
  numbers.roundings.resize(n);
  const LandmarkCoordinates coordinates(numbers);
  constexpr std::size_t kChunk = 256;
  workers.for_each((n + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    for (std::size_t i = chunk * kChunk; i < std::min(n, (chunk + 1) * kChunk); ++i) {
      const auto squares = to_landmarks.row(i);
      const PlacedPoint placed = coordinates.place(squares, numbers.coordinates.row(i));
      numbers.residuals[i] = 2 * origin(squares) - placed.norm2;
      numbers.roundings[i] = placed.rounding;
    }
  });
  return numbers;
}

}  // namespace mercer::distance
