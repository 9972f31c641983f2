#include "methods/cover_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::methods {

engine::RadialKernel require_radial(const Kernel& kernel) {
  auto radial = engine::RadialKernel::of(kernel);
  if (radial) return *std::move(radial);
  throw InvalidArgument(fmt::format(
      "the {} kernel does not fall with the Euclidean distance of two points alone, so a radius "
      "around a centre says nothing about its error: use gaussian, laplacian, matern32, matern52 "
      "or rational_quadratic, or a number of k-means, paring or herding centres",
      kernel_name(kernel)));
}

void QuantizationSums::add(std::span<const double> squared_distances,
                           std::span<const double> weights, engine::Workers& workers) {
  constexpr std::size_t kTaskRows = 4096;
  const std::size_t n = squared_distances.size();
  std::vector<double> feature(n);
  std::vector<double> op(n);
  workers.for_each((n + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
    for (std::size_t i = task * kTaskRows; i < std::min(n, (task + 1) * kTaskRows); ++i) {
      const double r = std::sqrt(squared_distances[i]);
      feature[i] = kernel_.feature_distance(r);
      op[i] = kernel_.operator_distance(r);
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    weight += w;
    squared_distance += w * squared_distances[i];
    feature_distance += w * feature[i];
    operator_distance += w * op[i];
  }
}

void QuantizationSums::add_moved(const QuantizationSums& rows, const QuantizationSums& centres) {
  weight += rows.weight;
  const double root = std::sqrt(rows.squared_distance) + std::sqrt(centres.squared_distance);
  squared_distance += root * root;
  feature_distance += rows.feature_distance + centres.feature_distance;
  operator_distance += rows.operator_distance + centres.operator_distance;
}

Quantization QuantizationSums::average() const {
  return {.mean_squared_distance = squared_distance / weight,
          .mean_feature_distance = feature_distance / weight,
          .mean_operator_distance = operator_distance / weight};
}

CoverState::CoverState(const Kernel& k, std::size_t cols, double radius)
    : kernel(k), shadow(cols, radius), sums(require_radial(k)), reach(radius) {}

CoverState::CoverState(const Kernel& k, Matrix<double> centres, double radius)
    : kernel(k),
      shadow(std::move(centres), radius),
      weights(shadow.size(), 0.0),
      sums(require_radial(k)),
      reach(radius) {}

CoverState CoverState::clone() const {
  CoverState copy(kernel, shadow.centres().cols(), shadow.radius());
  if (shadow.size() > 0) {
    copy.shadow = density::ShadowCover(Matrix<double>(shadow.centres()), shadow.radius());
  }
  copy.weights = weights;
  copy.sums = sums;
  copy.reach = reach;
  copy.rows = rows;
  copy.distance_evaluations = distance_evaluations;
  copy.centre_rows = centre_rows;
  return copy;
}

/// New centres weigh nothing yet.
void CoverState::follow_centres() {
  if (centre_rows.size() == weights.size()) {
    const auto opened = shadow.rows().subspan(weights.size());
    centre_rows.insert(centre_rows.end(), opened.begin(), opened.end());
  }
  weights.resize(shadow.size(), 0.0);
}

std::vector<density::Hit> CoverState::add(const Chunk& chunk, engine::Workers& workers) {
  const std::size_t n = chunk.points.rows();
  std::vector<density::Hit> hits(n);
  const std::uint64_t before = shadow.distance_evaluations();
  try {
    shadow.add(chunk.points, chunk.first_row, hits, workers);
  } catch (...) {
    follow_centres();
    throw;
  }
  follow_centres();
  std::vector<double> squared_distances(n);
  std::ranges::transform(hits, squared_distances.begin(), &density::Hit::squared_distance);
  QuantizationSums grown = sums;
  grown.add(squared_distances, chunk.weights, workers);
  // Nothing throws from here on.
  for (std::size_t i = 0; i < n; ++i) {
    weights[hits[i].centre] += chunk.weights.empty() ? 1 : chunk.weights[i];
  }
  sums = std::move(grown);
  rows += n;
  distance_evaluations += shadow.distance_evaluations() - before;
  return hits;
}

void CoverState::merge(const CoverState& other, engine::Workers& workers) {
  const WeightedSet theirs = other.set();
  if (theirs.size() == 0) return;
  CoverState merged = clone();
  merged.sums = QuantizationSums(require_radial(kernel));
  const auto hits =
      merged.add({.first_row = 0, .points = theirs.centers, .weights = theirs.weights}, workers);
  const QuantizationSums moves = std::exchange(merged.sums, sums);
  merged.sums.add_moved(other.sums, moves);
  merged.rows = rows + other.rows;
  merged.distance_evaluations += other.distance_evaluations;
  const bool moved =
      std::ranges::any_of(hits, [](const density::Hit& hit) { return hit.squared_distance > 0; });
  merged.reach = std::max(reach, other.reach + (moved ? shadow.radius() : 0));
  merged.centre_rows.clear();
  *this = std::move(merged);
}

WeightedSet CoverState::set() const {
  const auto centres = shadow.centres();
  const bool known_rows = centre_rows.size() == weights.size();
  WeightedSet set;
  set.centers = Matrix<double>(
      static_cast<std::size_t>(std::ranges::count_if(weights, [](double w) { return w > 0; })),
      centres.cols());
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (!(weights[j] > 0)) continue;
    std::ranges::copy(centres.row(j), set.centers.row(set.weights.size()).begin());
    set.weights.push_back(weights[j]);
    if (known_rows) set.rows.push_back(centre_rows[j]);
  }
  set.radius = reach;
  set.reduction = Reduction::shadow;
  set.kernel = kernel;
  if (sums.weight > 0) set.quantization = sums.average();
  set.data_rows = rows;
  set.data_weight = sums.weight;
  set.distance_evaluations = distance_evaluations;
  return set;
}

}  // namespace mercer::methods
