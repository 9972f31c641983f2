#include "methods/landmark_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/blas.h"
#include "methods/pca.h"

namespace mercer::methods {

namespace {

engine::EigenPairs chosen_eigenpairs(const LandmarkSpectrum& spectrum,
                                     const ComponentChoice& choice, bool single_precision,
                                     std::uint64_t seed, engine::Workers& workers) {
  const std::size_t m = spectrum.size();
  auto pairs = spectrum.eigenpairs(m, choice.first_guess(m), seed, workers);
  const auto count = [&] {
    const double largest = pairs.values.empty() ? 0 : pairs.values.front();
    return choice.count(pairs.values, spectrum.total_upper(),
                        noise_level(largest, spectrum.trace(), m, single_precision));
  };
  auto kept = count();
  if (!kept) {
    pairs = spectrum.eigenpairs(m, m, seed, workers);
    kept = count().value_or(m);
  }
  pairs.values.resize(*kept);
  pairs.vectors = Matrix<double>(pairs.vectors.view().rows_from(0, *kept));
  return pairs;
}

/// sum_i u_ji mean_i for every component j.
std::vector<double> mean_scores(const engine::EigenPairs& pairs, const std::vector<double>& mean) {
  std::vector<double> scores;
  for (std::size_t j = 0; j < pairs.values.size(); ++j) {
    const auto u = pairs.vectors.row(j);
    scores.push_back(std::inner_product(u.begin(), u.end(), mean.begin(), 0.0));
  }
  return scores;
}

ModelParts model_parts(const Kernel& kernel, const LandmarkSet& set,
                       const LandmarkSpectrum& spectrum, const engine::EigenPairs& pairs,
                       bool center) {
  const std::size_t m = set.size();
  const std::size_t k = pairs.values.size();
  // Coefficients and, as the last column, those of the mean: L^-T [U, mean].
  Matrix<double> columns(m, k + 1);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < k; ++j) columns(i, j) = pairs.vectors(j, i);
    columns(i, k) = spectrum.mean()[i];
  }
  engine::solve_lower_transposed(set.lower, columns);
  ModelParts parts;
  parts.kernel = kernel;
  if (std::holds_alternative<Linear>(kernel)) {
    columns = collapse(set.points, columns);
  } else {
    parts.library = set.points;
  }
  parts.coefficients = Matrix<double>(columns.view().cols_from(0, k));
  parts.offset.assign(k, 0.0);
  if (center) {
    parts.offset = mean_scores(pairs, spectrum.mean());
    for (double& value : parts.offset) value = -value;
  }
  fix_signs(parts.coefficients, parts.offset);
  parts.eigenvalues = pairs.values;
  parts.total_weight = spectrum.weight();
  parts.centered = center;
  if (!center) return parts;
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    parts.mean_coefficients.push_back(columns(i, k));
  }
  for (const double z : spectrum.mean()) parts.mean_norm2 += z * z;
  return parts;
}

std::vector<ErrorAt> residual_curve(const LandmarkSpectrum& spectrum) {
  std::vector<ErrorAt> curve;
  for (std::size_t m = 1; m < spectrum.size(); m *= 2) {
    curve.push_back({.size = m, .error = spectrum.residual_fraction(m)});
  }
  curve.push_back({.size = spectrum.size(), .error = spectrum.residual_fraction(spectrum.size())});
  return curve;
}

}  // namespace

engine::EigenPairs landmark_components(const LandmarkSpectrum& spectrum,
                                       const LandmarkOptions& options, bool single_precision,
                                       FitRecord& record) {
  const ComponentChoice choice(options.components, options.retain, options.min_eigenvalue);
  return chosen_eigenpairs(spectrum, choice, single_precision, record.seed(), record.workers());
}

Fit landmark_fit(const Kernel& kernel, const LandmarkSet& set, const LandmarkSpectrum& spectrum,
                 const LandmarkOptions& options, std::size_t n, bool single_precision,
                 FitRecord& record) {
  return landmark_fit(kernel, set, spectrum,
                      landmark_components(spectrum, options, single_precision, record), options, n,
                      record);
}

Fit landmark_fit(const Kernel& kernel, const LandmarkSet& set, const LandmarkSpectrum& spectrum,
                 const engine::EigenPairs& pairs, const LandmarkOptions& options, std::size_t n,
                 FitRecord& record) {
  Summary& summary = record.summary();
  const std::size_t m = set.size();
  const double residual =
      std::max(spectrum.residual_trace(m), kNegligibleFraction * spectrum.trace());
  summary.landmarks = m;
  summary.residual_trace_fraction = spectrum.residual_fraction(m);
  summary.error_curve = residual_curve(spectrum);
  // K - K' is positive semi-definite: eigenvalues only grow towards the exact ones, and no more
  // than its trace.
  for (const double value : pairs.values) {
    summary.eigenvalue_intervals.push_back({.low = value, .high = value + residual});
  }
  if (!pairs.values.empty() && !summary.subspace_error_estimate) {
    summary.subspace_error_estimate =
        subspace_error(spectrum, pairs, record.seed(), record.workers()).estimate;
  }
  const double high = spectrum.total_upper();
  return record.finish(model_parts(kernel, set, spectrum, pairs, options.center), n,
                       set.points.cols(),
                       Interval{.low = std::max(high - residual, 0.0), .high = high},
                       options.retain || options.min_eigenvalue ? 0 : options.components);
}

}  // namespace mercer::methods
