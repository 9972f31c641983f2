#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/metrics.h>

#include "engine/blas.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer {
namespace {

double bound(const Summary& summary, const std::string& name) {
  for (const Bound& entry : summary.bounds) {
    if (entry.name == name) return entry.value;
  }
  ADD_FAILURE() << "no bound " << name;
  return NAN;
}

/// K - K' written out: kernel matrices and a pseudo-inverse by eigenvalues.
Matrix<double> residual_matrix(const Kernel& kernel, const Matrix<double>& points,
                               MatrixView<const double> landmarks) {
  auto residual = engine::reference::kernel_matrix(kernel, points, points);
  const auto cross = engine::reference::kernel_matrix(kernel, points, landmarks);
  const auto core = engine::reference::symmetric_eigen(
      engine::reference::kernel_matrix(kernel, landmarks, landmarks));
  const auto rotated = engine::reference::multiply(cross, core.vectors);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      for (std::size_t l = 0; l < core.values.size(); ++l) {
        residual(i, j) -= rotated(i, l) * rotated(j, l) / core.values[l];
      }
    }
  }
  return residual;
}

struct Norms {
  double frobenius = 0;
  double spectral = 0;
  double mean = 0;
};

Norms norms_of(Matrix<double> residual) {
  Norms norms;
  const auto n = static_cast<double>(residual.rows());
  for (std::size_t i = 0; i < residual.size(); ++i) {
    norms.frobenius += residual.data()[i] * residual.data()[i];
    norms.mean += residual.data()[i] / n;
  }
  norms.frobenius = std::sqrt(norms.frobenius);
  norms.spectral = engine::symmetric_eigenvalues(residual).front();
  return norms;
}

TEST(Certificates, ProbesAgreeWithTheResidualItself) {
  const auto points = testing::normal_matrix(1500, 5, 21);
  const Kernel kernel = Gaussian{.gamma = 0.15};
  const auto fit =
      fit_landmarks(points, kernel, {.components = 5, .landmarks = 60, .certify = true});
  const auto truth = norms_of(residual_matrix(kernel, points, fit.model.library()));
  EXPECT_NEAR(bound(fit.summary, "residual_frobenius_norm") / truth.frobenius, 1, 0.3);
  EXPECT_GE(bound(fit.summary, "residual_spectral_norm_upper_9999"), truth.spectral);
  EXPECT_LE(bound(fit.summary, "residual_spectral_norm_upper_9999"), 20 * truth.spectral);
  EXPECT_NEAR(bound(fit.summary, "centred_residual_mean"), truth.mean, 1e-9);
}

TEST(Certificates, FirstOrderAngleIsCloseToTheTrueOne) {
  const auto points = testing::normal_matrix(1500, 5, 22);
  const Kernel kernel = Gaussian{.gamma = 0.15};
  const auto exact = fit_exact(points, kernel, {.components = 5});
  for (const bool weighted : {false, true}) {
    std::vector<double> weights;
    for (std::size_t i = 0; weighted && i < points.rows(); ++i) {
      weights.push_back(1 + static_cast<double>(i % 2));
    }
    const auto fit = fit_landmarks(
        points, kernel, {.components = 5, .weights = weights, .landmarks = 150, .certify = true});
    const auto whole =
        weighted ? fit_exact(points, kernel, {.components = 5, .weights = weights}) : exact;
    auto a = whole.model.transform(points);
    auto b = fit.model.transform(points);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        a(i, j) *= std::sqrt(weights[i]);
        b(i, j) *= std::sqrt(weights[i]);
      }
    }
    const double truth = std::sin(principal_angles(a, b).back());
    EXPECT_NEAR(*fit.summary.subspace_error_estimate / truth, 1, 0.25) << truth;
  }
}

/// Too little to read the rows of a stream once more.
RunOptions little_memory(std::uint64_t bytes) {
  RunOptions run;
  run.memory_limit_bytes = bytes;
  return run;
}

TEST(Certificates, PairsOfASampleEstimateTheNormsOfAStream) {
  const auto points = testing::normal_matrix(2500, 5, 23);
  const Kernel kernel = Gaussian{.gamma = 0.15};
  const auto source = rows_in_memory(points);
  const auto fit =
      fit_landmarks(*source, kernel, {.components = 5, .landmarks = 60, .certify = true},
                    little_memory(4'000'000));
  const auto truth = norms_of(residual_matrix(kernel, points, fit.model.library()));
  EXPECT_NEAR(bound(fit.summary, "residual_frobenius_norm") / truth.frobenius, 1, 0.2);
  EXPECT_NEAR(bound(fit.summary, "residual_spectral_norm") / truth.spectral, 1.2, 0.8);
  for (const Bound& entry : fit.summary.bounds) EXPECT_FALSE(entry.rigorous) << entry.name;
}

/// Sine of the largest angle between the weighted scores of two models at some points.
double sine_between(const Model& a, const Model& b, const Matrix<double>& points,
                    const std::vector<double>& weights) {
  auto x = a.transform(points);
  auto y = b.transform(points);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (double& score : x.row(i)) score *= std::sqrt(weights[i]);
    for (double& score : y.row(i)) score *= std::sqrt(weights[i]);
  }
  return std::sin(principal_angles(x, y).back());
}

/// Rows in an order that says much: a sample must not be cut off in the middle.
Matrix<double> sorted_rows(std::size_t n, std::size_t d, std::uint64_t seed) {
  const auto points = testing::normal_matrix(n, d, seed);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return points(i, 0); });
  Matrix<double> sorted(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    std::ranges::copy(points.row(order[i]), sorted.row(i).begin());
  }
  return sorted;
}

TEST(Certificates, ASampleOfAStreamSeesTheAngle) {
  const auto points = sorted_rows(4000, 5, 24);
  const Kernel kernel = Gaussian{.gamma = 0.15};
  for (const bool center : {true, false}) {
    for (const bool weighted : {false, true}) {
      std::vector<double> weights;
      for (std::size_t i = 0; weighted && i < points.rows(); ++i) {
        weights.push_back(1 + static_cast<double>(i % 2));
      }
      const auto exact =
          fit_exact(points, kernel, {.components = 5, .center = center, .weights = weights});
      const auto source = rows_in_memory(points, weights);
      const auto fit = fit_landmarks(
          *source, kernel, {.components = 5, .center = center, .landmarks = 150, .certify = true},
          little_memory(16'000'000));
      const double truth = sine_between(exact.model, fit.model, points, weights);
      EXPECT_NEAR(*fit.summary.subspace_error_estimate / truth, 1, 0.35) << truth;
      if (!weighted && center) {
        const auto norms = norms_of(residual_matrix(kernel, points, fit.model.library()));
        EXPECT_NEAR(bound(fit.summary, "residual_frobenius_norm") / norms.frobenius, 1, 0.2);
      }
    }
  }
}

TEST(Certificates, ASampleOfAllRowsIsTheFirstOrderAngleItself) {
  const auto points = testing::normal_matrix(900, 4, 25);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  const LandmarkOptions options{.components = 4, .landmarks = 80, .certify = true};
  const auto fit = fit_landmarks(points, kernel, options);
  const auto exact = fit_exact(points, kernel, {.components = 4});
  const double truth = sine_between(exact.model, fit.model, points, {});
  EXPECT_NEAR(*fit.summary.subspace_error_estimate / truth, 1, 0.1) << truth;
  for (const std::size_t threads : {2, 3}) {
    const auto again = fit_landmarks(points, kernel, options, {.threads = threads});
    EXPECT_EQ(*again.summary.subspace_error_estimate, *fit.summary.subspace_error_estimate);
  }
}

}  // namespace
}  // namespace mercer
