#include "methods/randomized_certificates.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/blas.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::EntryNoise;
using engine::EntryRange;
using engine::EntryRounding;
using engine::RandomizedGram;
using engine::RandomStream;
using testing::normal_matrix;

Matrix<double> transposed_times(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.cols(), b.cols());
  for (std::size_t i = 0; i < a.cols(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.rows(); ++k) c(i, j) += a(k, i) * b(k, j);
    }
  }
  return c;
}

double spectral_norm(Matrix<double> a) {
  return a.empty() ? 0 : engine::singular_values(a).values.front();
}

/// A symmetric matrix of either sign, and another that differs from it by noise.
struct Pair {
  engine::reference::Eigen exact;
  engine::reference::Eigen random;
  double error_norm = 0;

  explicit Pair(std::uint64_t seed) {
    const RandomStream stream(seed);
    const std::size_t n = 6 + stream.below(0, 8);
    const double noise = std::pow(10, -3 + 3 * stream.uniform(1));
    const auto a = normal_matrix(n, n, 2 * seed + 1);
    const auto b = normal_matrix(n, n, 2 * seed + 2);
    Matrix<double> k(n, n);
    Matrix<double> k_hat(n, n);
    Matrix<double> e(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        k(i, j) = a(i, j) + a(j, i);
        e(i, j) = noise * (b(i, j) + b(j, i));
        k_hat(i, j) = k(i, j) + e(i, j);
      }
    }
    exact = engine::reference::symmetric_eigen(k);
    random = engine::reference::symmetric_eigen(k_hat);
    error_norm = spectral_norm(e);
  }
  std::size_t size() const { return exact.values.size(); }
};

/// Eigenvectors [begin, end).
Matrix<double> part(const engine::reference::Eigen& pairs, std::size_t begin, std::size_t end) {
  return Matrix<double>(pairs.vectors.view().cols_from(begin, end - begin));
}

std::size_t at_least(const std::vector<double>& values, double t) {
  return static_cast<std::size_t>(std::ranges::count_if(values, [&](double v) { return v >= t; }));
}

TEST(Theorem2, SpacesOnTheTwoSidesOfAGapAreNearlyOrthogonal) {
  std::size_t cases = 0;
  for (std::uint64_t seed = 0; cases < 1000; ++seed) {
    const Pair pair(seed);
    const RandomStream stream(seed + 7);
    const std::size_t n = pair.size();
    const double span = pair.exact.values.front() - pair.exact.values.back();
    const double t = pair.exact.values.back() + span * stream.uniform(0);
    const double gap = span * stream.uniform(1);
    const auto above = part(pair.random, 0, at_least(pair.random.values, t));
    const auto below = part(pair.exact, at_least(pair.exact.values, t - gap), n);
    const auto not_above = part(pair.random, at_least(pair.random.values, t), n);
    const auto far_above = part(pair.exact, 0, at_least(pair.exact.values, t + gap));
    const double limit = pair.error_norm / gap * (1 + 1e-9) + 1e-12;
    if (!above.empty() && !below.empty()) {
      ++cases;
      EXPECT_LE(spectral_norm(transposed_times(above, below)), limit) << seed;
    }
    if (!not_above.empty() && !far_above.empty()) {
      ++cases;
      EXPECT_LE(spectral_norm(transposed_times(not_above, far_above)), limit) << seed;
    }
  }
}

/// Norm of F_hat^T - R F^T with the best rotation R: what theorem 3 bounds over all v.
double feature_distance(const Matrix<double>& f_hat, const Matrix<double>& f) {
  auto product = transposed_times(f_hat, f);
  const auto svd = engine::singular_values(product);
  const auto rotation = engine::reference::multiply(svd.left, svd.right);
  Matrix<double> difference(f.cols(), f.rows());
  for (std::size_t i = 0; i < f.cols(); ++i) {
    for (std::size_t r = 0; r < f.rows(); ++r) {
      difference(i, r) = f_hat(r, i);
      for (std::size_t j = 0; j < f.cols(); ++j) difference(i, r) -= rotation(i, j) * f(r, j);
    }
  }
  return spectral_norm(std::move(difference));
}

TEST(Theorem3, SpansAboveACertifiedGapAreRotationsOfTheExactOnes) {
  std::size_t cases = 0;
  double largest = 0;
  for (std::uint64_t seed = 0; cases < 600; ++seed) {
    const Pair pair(seed);
    // Gaps of the random matrix, as a fit knows them.
    const auto ratios = certified_ratios(pair.random.values, pair.size() - 1, pair.error_norm);
    for (std::size_t l = 1; l < pair.size(); ++l) {
      const double c = ratios[l - 1];
      if (c < 1) continue;
      ++cases;
      const double distance = feature_distance(part(pair.random, 0, l), part(pair.exact, 0, l));
      const double limit = 2 * std::sin(std::asin(1 / c) / 4);
      EXPECT_LE(distance, limit + 1e-9) << seed << " " << l;
      EXPECT_LE(limit, std::acos(-1) / (4 * c) + 1e-12);
      largest = std::max(largest, distance / limit);
    }
  }
  EXPECT_GT(largest, 0.3);  // the bound is not idle
}

TEST(Theorem4, ComponentsBetweenTwoCertifiedGapsAreTheExactOnes) {
  std::size_t cases = 0;
  for (std::uint64_t seed = 0; cases < 600; ++seed) {
    const Pair pair(seed);
    const auto ratios = certified_ratios(pair.random.values, pair.size() - 1, pair.error_norm);
    for (std::size_t j = 0; j + 1 < pair.size(); ++j) {
      const double c = j == 0 ? ratios[0] : std::min(ratios[j - 1], ratios[j]);
      if (c < 1) continue;
      ++cases;
      double dot = 0;
      for (std::size_t i = 0; i < pair.size(); ++i) {
        dot += pair.random.vectors(i, j) * pair.exact.vectors(i, j);
      }
      const double distance = std::sqrt(std::max(2 - 2 * std::abs(dot), 0.0));
      EXPECT_LE(distance, 1 / c + 1e-7) << seed << " " << j;
    }
  }
}

TEST(Theorem3, ATwoByTwoMatrixAttainsTheConstant) {
  // Eigenvalues +-g/2, turned by half the angle whose sine is |E| / (g / 2).
  const double c = 1.5;
  const double angle = std::asin(1 / c) / 2;
  const Matrix<double> f = [] {
    Matrix<double> m(2, 1);
    m(0, 0) = 1;
    return m;
  }();
  Matrix<double> turned(2, 1);
  turned(0, 0) = std::cos(angle);
  turned(1, 0) = std::sin(angle);
  EXPECT_NEAR(feature_distance(turned, f), 2 * std::sin(std::asin(1 / c) / 4), 1e-12);
  EXPECT_NEAR(feature_distance(turned, f), 0.3628, 1e-4);
}

struct Scheme {
  const char* name;
  EntryRounding rounding;
};

std::vector<Scheme> schemes() {
  return {{"sparsify 2", {.sparsity = 2}},
          {"sparsify 8", {.sparsity = 8}},
          {"sign", {.levels = EntryRange{-1, 1}}},
          {"zero_one", {.levels = EntryRange{0, 1}}},
          {"sign, sparsify 4", {.sparsity = 4, .levels = EntryRange{-1, 1}}},
          {"zero_one, sparsify 4", {.sparsity = 4, .levels = EntryRange{0, 1}}}};
}

TEST(ErrorNorm, IsNearThePredictionAndBelowTheBound) {
  engine::Workers workers{{.threads = 2}};
  const auto points = normal_matrix(400, 4, 1);
  const Kernel kernel = Gaussian{0.15};
  const auto exact = engine::make_gram(kernel, points, {}, workers);
  for (const Scheme& scheme : schemes()) {
    const auto noise = engine::residual_noise(kernel, points, {}, scheme.rounding, workers);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      RandomizedGram gram(kernel, points, {}, scheme.rounding, RandomStream(seed), workers);
      const auto measured = measured_error_norm(gram, *exact, 0, workers);
      EXPECT_TRUE(measured.exact);
      const double ratio = measured.value / predicted_error_norm(noise);
      EXPECT_GT(ratio, 0.6) << scheme.name;
      EXPECT_LT(ratio, 1.1) << scheme.name;
      EXPECT_LT(measured.value, bernstein_error_norm(noise, scheme.rounding, 0.01)) << scheme.name;
      // What the entries kept tell is close to what all tell.
      EXPECT_NEAR(predicted_error_norm(gram.noise()) / predicted_error_norm(noise), 1, 0.25);
    }
  }
}

TEST(ErrorNorm, IteratedIsTheExactOneWhicheverEndItIsAt) {
  engine::Workers workers{{.threads = 2}};
  const auto points = normal_matrix(700, 4, 1);
  const Kernel kernel = Gaussian{0.15};
  const auto exact = engine::make_gram(kernel, points, {}, workers);
  const auto k = exact->dense(workers);
  std::size_t negative = 0;
  std::size_t positive = 0;
  for (const Scheme& scheme : schemes()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      RandomizedGram gram(kernel, points, {}, scheme.rounding, RandomStream(seed), workers);
      const auto measured = measured_error_norm(gram, *exact, 0, workers);
      EXPECT_FALSE(measured.exact);
      Matrix<double> error = gram.dense(workers);
      for (std::size_t i = 0; i < error.size(); ++i) error.data()[i] -= k.data()[i];
      const auto values = engine::symmetric_eigenvalues(error);
      const double norm = std::max(std::abs(values.front()), std::abs(values.back()));
      ++(norm == values.front() ? positive : negative);
      EXPECT_LE(measured.value, norm * (1 + 1e-12)) << scheme.name << " " << seed;
      EXPECT_GE(measured.value, 0.997 * norm) << scheme.name << " " << seed;
    }
  }
  EXPECT_GT(negative, 0U);
  EXPECT_GT(positive, 0U);
}

TEST(ErrorNorm, IsAboveThePredictionFromAllEntriesOnlyWhereThatIsDoubtful) {
  // From wide kernels to nearly diagonal ones, of which single entries make the error. The entries
  // kept would not do: they cannot tell of a large one that was not.
  engine::Workers workers{{.threads = 2}};
  const auto points = normal_matrix(500, 3, 1);
  std::size_t above = 0;
  std::size_t sure = 0;
  for (const double gamma : {0.1, 1.0, 10.0, 100.0, 1000.0}) {
    const Kernel kernel = Gaussian{gamma};
    const auto exact = engine::make_gram(kernel, points, {}, workers);
    for (const double s : {2.0, 10.0, 50.0}) {
      const EntryRounding rounding{.sparsity = s};
      const auto noise = engine::residual_noise(kernel, points, {}, rounding, workers);
      const bool doubtful = prediction_is_doubtful(noise, rounding);
      if (!doubtful) ++sure;
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        RandomizedGram gram(kernel, points, {}, rounding, RandomStream(seed), workers);
        const double norm = measured_error_norm(gram, *exact, 0, workers).value;
        if (norm > 1.05 * predicted_error_norm(noise)) {
          ++above;
          EXPECT_TRUE(doubtful) << gamma << " " << s << " " << seed;
        }
      }
    }
  }
  EXPECT_GT(above, 0U);
  EXPECT_GT(sure, 3U);
}

TEST(ErrorNorm, ResidualNoiseFollowsTheDefinition) {
  engine::Workers workers{{.threads = 2}};
  const std::size_t n = 300;
  const auto points = normal_matrix(n, 3, 1);
  const Kernel kernel = Laplacian{0.5};
  const engine::LowRank control{.left = normal_matrix(n, 2, 5, 0.3), .right = {}};
  const EntryRounding rounding{.sparsity = 4};
  const auto k = engine::reference::kernel_matrix(kernel, points, points);
  const auto noise = engine::residual_noise(kernel, points, control, rounding, workers);
  EntryRange range = EntryRange::nothing();
  for (std::size_t i = 0; i < n; ++i) {
    double variance = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double residual = k(i, j) - control.entry(i, j);
      variance += rounding.variance(residual);
      range.include(residual);
    }
    EXPECT_NEAR(noise.row_variances[i], variance, 1e-10 * variance);
  }
  EXPECT_NEAR(noise.entries.low, range.low, 1e-13);
  EXPECT_NEAR(noise.entries.high, range.high, 1e-13);
  EXPECT_TRUE(noise.all_seen);
}

TEST(Certificates, SayWhatIsRigorous) {
  const EntryRounding rounding{.sparsity = 3};
  EntryNoise noise{.row_variances = {4, 9, 1}, .entries = {.low = 0, .high = 0.5}};
  const std::vector<double> values = {100, 40, 38};
  Summary summary;
  add_randomized_certificates(summary, noise, rounding, std::nullopt, values, 2);
  ASSERT_EQ(summary.bounds.size(), 2U);
  EXPECT_EQ(summary.bounds[0].name, "error_norm_predicted");
  EXPECT_DOUBLE_EQ(summary.bounds[0].value, 6);
  EXPECT_FALSE(summary.bounds[0].rigorous);
  EXPECT_FALSE(summary.bounds[1].rigorous);
  const double logarithm = std::log(600);  // 2 n / 0.01
  const double linear = 2 * 0.5 * logarithm / 3;
  EXPECT_NEAR(summary.bounds[1].value, linear + std::sqrt(linear * linear + 2 * 9 * logarithm),
              1e-12);
  EXPECT_EQ(summary.certified_ratio, (std::vector<double>{5, 2.0 / 12}));

  noise.all_seen = true;
  Summary certified;
  add_randomized_certificates(certified, noise, rounding, MeasuredNorm{.value = 5, .exact = false},
                              values, 2);
  ASSERT_EQ(certified.bounds.size(), 3U);
  EXPECT_TRUE(certified.bounds[1].rigorous);
  EXPECT_EQ(certified.bounds[2].name, "error_norm_measured");
  EXPECT_FALSE(certified.bounds[2].rigorous);
  EXPECT_EQ(certified.certified_ratio, (std::vector<double>{6, 0.2}));
  EXPECT_NE(certified.full().find("span of the first 1; by itself 1\n"), std::string::npos);
  EXPECT_NE(summary.full().find("by itself 1, by the predicted error\n"), std::string::npos);

  Summary nothing;
  add_randomized_certificates(nothing, {.row_variances = {0, 0, 0}}, {}, std::nullopt, values, 2);
  EXPECT_TRUE(nothing.bounds.empty());
  EXPECT_TRUE(nothing.certified_ratio.empty());
}

}  // namespace
}  // namespace mercer::methods
