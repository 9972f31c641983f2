#include "methods/quantization_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "density/center_weights.h"

namespace mercer::methods {

std::optional<double> OperatorBounds::centered_hilbert_schmidt() const {
  if (!mmd || !hilbert_schmidt) return std::nullopt;
  return *hilbert_schmidt + 2 * *mmd;
}

std::optional<double> OperatorBounds::eigenvalues(bool centered) const {
  const auto operators = centered ? centered_hilbert_schmidt() : hilbert_schmidt;
  if (!operators || !gram) return operators ? operators : gram;
  return std::min(*operators, *gram);
}

OperatorBounds bounds_of_radius(const engine::RadialKernel& kernel, double radius) {
  return {.mmd = kernel.feature_distance(radius),
          .hilbert_schmidt = kernel.operator_distance(radius),
          .gram = 2 * kernel.lipschitz() * radius};
}

double paper_hilbert_schmidt(const engine::RadialKernel& kernel, double radius) {
  return 2 * kernel.feature_distance(radius);
}

OperatorBounds bounds_of_rows(const engine::RadialKernel& kernel,
                              const Quantization& quantization) {
  return {.mmd = quantization.mean_feature_distance,
          .hilbert_schmidt = quantization.mean_operator_distance,
          .gram = 2 * kernel.lipschitz() * std::sqrt(quantization.mean_squared_distance)};
}

OperatorBounds proven_for(CenterWeights weights, std::size_t centres, OperatorBounds bounds) {
  // f(w) + rho |w|^2 is least, so f exceeds its value at the first-come weights by at most rho
  // times their squares, whose sum is at most that of the rows squared.
  const double ridge = 1e-9 * static_cast<double>(centres);
  const auto widened = [&](double bound) { return std::sqrt(bound * bound + ridge); };
  switch (weights) {
    case CenterWeights::count:
    case CenterWeights::nearest:
      break;
    case CenterWeights::operator_optimal:
      bounds.mmd.reset();
      bounds.gram.reset();
      bounds.hilbert_schmidt = widened(*bounds.hilbert_schmidt);
      break;
    case CenterWeights::mmd_optimal:
      bounds.mmd = widened(*bounds.mmd);
      bounds.hilbert_schmidt.reset();
      bounds.gram.reset();
      break;
  }
  return bounds;
}

std::optional<double> projection_bound(double b, double last_kept, double next) {
  const double delta = (last_kept - next) / 2 - b;
  if (!(b < delta / 2)) return std::nullopt;
  return b / delta;
}

double measured_distance(const Kernel& kernel, MatrixView<const double> points,
                         std::span<const double> weights, const WeightedSet& set, int power,
                         engine::Workers& workers) {
  const auto weight_of = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
  // |sum_i v_i f(x_i) - sum_j w_j f(c_j)|^2 = v^T (K v - K_XC w) - w^T (K_CX v - K_CC w)
  const auto sums = [&](MatrixView<const double> at, MatrixView<const double> over,
                        std::span<const double> over_weights) {
    density::KernelSums result(kernel, at, power);
    result.add(over, over_weights, workers);
    return result.sums();
  };
  const auto rows_rows = sums(points, points, weights);
  const auto rows_centres = sums(points, set.centers, set.weights);
  const auto centres_rows = sums(set.centers, points, weights);
  const auto centres_centres = sums(set.centers, set.centers, set.weights);
  double square = 0;
  double total = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    square += weight_of(i) * (rows_rows[i] - rows_centres[i]);
    total += weight_of(i);
  }
  for (std::size_t j = 0; j < set.size(); ++j) {
    square -= set.weights[j] * (centres_rows[j] - centres_centres[j]);
  }
  return std::sqrt(std::max(square, 0.0)) / total;
}

}  // namespace mercer::methods
