#include "methods/quantization_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/reduced_set.h>

#include "engine/blas.h"
#include "engine/kernel_value.h"
#include "engine/random.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

/// Squared distance of the means, or of the operators, by the definition.
double slow_distance(const Kernel& kernel, const Matrix<double>& points, const WeightedSet& set,
                     int power) {
  const auto k = [&](std::span<const double> x, std::span<const double> y) {
    return std::pow(engine::kernel_value(kernel, x, y), power);
  };
  double square = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) square += k(points.row(i), points.row(j));
    for (std::size_t j = 0; j < set.size(); ++j) {
      square -= 2 * set.weights[j] * k(points.row(i), set.centers.row(j));
    }
  }
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (std::size_t j = 0; j < set.size(); ++j) {
      square += set.weights[i] * set.weights[j] * k(set.centers.row(i), set.centers.row(j));
    }
  }
  return std::sqrt(std::max(square, 0.0)) / static_cast<double>(points.rows());
}

/// Eigenvalues of W^1/2 K W^1/2 / n, with zeros up to n of them.
std::vector<double> padded_eigenvalues(const Kernel& kernel, const Matrix<double>& points,
                                       const std::vector<double>& weights, std::size_t n) {
  Matrix<double> a(points.rows(), points.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      const double w = weights.empty() ? 1 : std::sqrt(weights[i] * weights[j]);
      a(i, j) =
          w * engine::kernel_value(kernel, points.row(i), points.row(j)) / static_cast<double>(n);
    }
  }
  auto values = engine::symmetric_eigenvalues(a);
  values.resize(n, 0.0);
  std::ranges::sort(values, std::greater{});
  return values;
}

struct Case {
  Kernel kernel;
  Matrix<double> points;
  ReductionOptions options;
};

Case random_case(std::uint64_t seed) {
  const engine::RandomStream stream(seed);
  auto draw = [&, next = std::uint64_t{0}](double low, double high) mutable {
    return low + (high - low) * stream.uniform(next++);
  };
  const std::size_t n = 5 + static_cast<std::size_t>(draw(0, 45));
  const std::size_t d = 1 + static_cast<std::size_t>(draw(0, 5));
  const double scale = std::exp(draw(-1, 1.5));
  const std::vector<Kernel> kernels{Gaussian{.gamma = 1 / (scale * scale)},
                                    Laplacian{.gamma = 1 / scale}, Matern32{.length = scale},
                                    Matern52{.length = scale},
                                    RationalQuadratic{.length = scale, .alpha = draw(0.3, 3)}};
  ReductionOptions options;
  options.ell = draw(1, 6);
  options.weights = draw(0, 1) < 0.5 ? CenterWeights::count : CenterWeights::nearest;
  if (draw(0, 1) < 0.2) options.method = Reduction::kmeans;
  return {.kernel = kernels[seed % kernels.size()],
          .points = draw(0, 1) < 0.5 ? testing::normal_matrix(n, d, seed + 1)
                                     : testing::uniform_matrix(n, d, seed + 1),
          .options = options};
}

TEST(QuantizationBounds, NeverViolated) {
  constexpr double kRounding = 1e-7;  // of the root of a difference of sums
  engine::Workers workers{RunOptions{.threads = 1}};
  double largest_share = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed);
    const std::size_t n = c.points.rows();
    const WeightedSet set = reduce_to_centers(c.points, {}, c.kernel, c.options, {.threads = 1});
    const auto radial = *engine::RadialKernel::of(c.kernel);
    ASSERT_TRUE(set.quantization);
    const auto rows = bounds_of_rows(radial, *set.quantization);

    const double mmd = measured_distance(c.kernel, c.points, {}, set, 1, workers);
    const double hs = measured_distance(c.kernel, c.points, {}, set, 2, workers);
    if (seed < 50) {
      EXPECT_NEAR(mmd, slow_distance(c.kernel, c.points, set, 1), 1e-7);
      EXPECT_NEAR(hs, slow_distance(c.kernel, c.points, set, 2), 1e-7);
    }
    EXPECT_LE(mmd, *rows.mmd + kRounding);
    EXPECT_LE(hs, *rows.hilbert_schmidt + kRounding);

    const auto exact = padded_eigenvalues(c.kernel, c.points, {}, n);
    const auto reduced = padded_eigenvalues(c.kernel, set.centers, set.weights, n);
    double squares = 0;
    for (std::size_t j = 0; j < n; ++j) {
      squares += (exact[j] - reduced[j]) * (exact[j] - reduced[j]);
    }
    EXPECT_LE(std::sqrt(squares), *rows.eigenvalues(false) + kRounding);
    EXPECT_LE(std::sqrt(squares), hs + kRounding);

    if (!set.radius) continue;
    const auto of_radius = bounds_of_radius(radial, *set.radius);
    EXPECT_LE(*rows.mmd, *of_radius.mmd);
    EXPECT_LE(*rows.hilbert_schmidt, *of_radius.hilbert_schmidt);
    EXPECT_LE(*rows.eigenvalues(false), *of_radius.eigenvalues(false));
    EXPECT_LE(*of_radius.hilbert_schmidt * std::sqrt(2.0),
              paper_hilbert_schmidt(radial, *set.radius) * (1 + 1e-12));
    largest_share = std::max(largest_share, mmd / *of_radius.mmd);
  }
  EXPECT_GT(largest_share, 0.2);  // and not by being far too large
}

// One centre and n - 1 rows that are all (nearly) a radius away, in one place.
TEST(QuantizationBounds, AttainedInTheWorstCase) {
  constexpr std::size_t n = 50;
  for (const Kernel& kernel :
       std::vector<Kernel>{Gaussian{.gamma = 1}, Laplacian{.gamma = 1}, Matern32{.length = 1}}) {
    const double radius = shadow_radius(kernel, {.ell = 3});
    Matrix<double> points(n, 1);
    for (std::size_t i = 1; i < n; ++i) points(i, 0) = radius * (1 - 1e-12);
    const WeightedSet set = reduce_to_centers(points, {}, kernel, {.ell = 3}, {.threads = 1});
    ASSERT_EQ(set.size(), 1u);
    engine::Workers workers{RunOptions{.threads = 1}};
    const auto bounds = bounds_of_radius(*engine::RadialKernel::of(kernel), radius);
    const double share = (n - 1.0) / n;
    EXPECT_NEAR(measured_distance(kernel, points, {}, set, 1, workers) / *bounds.mmd, share, 1e-9);
    EXPECT_NEAR(measured_distance(kernel, points, {}, set, 2, workers) / *bounds.hilbert_schmidt,
                share, 1e-9);
  }
}

TEST(QuantizationBounds, ProjectionNeedsAGap) {
  EXPECT_FALSE(projection_bound(0.1, 0.5, 0.4));
  EXPECT_FALSE(projection_bound(0.1, 0.5, -0.1));  // gap 0.2 after all: b is half of it
  ASSERT_TRUE(projection_bound(0.01, 0.5, 0.1));
  EXPECT_NEAR(*projection_bound(0.01, 0.5, 0.1), 0.01 / 0.19, 1e-15);
}

TEST(QuantizationBounds, OptimalWeightsKeepOnlyWhatTheyOptimise) {
  const OperatorBounds all{.mmd = 1, .hilbert_schmidt = 2, .gram = 1.5};
  EXPECT_EQ(all.eigenvalues(false), 1.5);
  EXPECT_EQ(all.eigenvalues(true), 1.5);
  EXPECT_EQ(all.centered_hilbert_schmidt(), 4);
  const auto op = proven_for(CenterWeights::operator_optimal, 100, all);
  EXPECT_FALSE(op.mmd);
  EXPECT_NEAR(*op.hilbert_schmidt, 2, 1e-7);
  EXPECT_GT(*op.hilbert_schmidt, 2);  // the ridge
  EXPECT_EQ(op.eigenvalues(false), op.hilbert_schmidt);
  EXPECT_FALSE(op.eigenvalues(true));
  EXPECT_FALSE(op.centered_hilbert_schmidt());
  const auto mean = proven_for(CenterWeights::mmd_optimal, 100, all);
  EXPECT_NEAR(*mean.mmd, 1, 1e-7);
  EXPECT_FALSE(mean.hilbert_schmidt);
  EXPECT_FALSE(mean.eigenvalues(false));
}

}  // namespace
}  // namespace mercer::methods
