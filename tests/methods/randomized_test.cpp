#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/metrics.h>
#include <mercer/randomized.h>

#include "engine/every_kernel.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::uniform_matrix;

constexpr auto kControls = {ControlVariate::none, ControlVariate::mean, ControlVariate::row_columns,
                            ControlVariate::nystrom};
constexpr auto kSolvers = {RandomizedSolver::krylov, RandomizedSolver::orthogonal};

double bound(const Summary& summary, const std::string& name) {
  for (const Bound& b : summary.bounds) {
    if (b.name == name) return b.value;
  }
  return NAN;
}

/// Clusters, so that leading components stand apart.
Matrix<double> clusters(std::size_t n, std::size_t d, std::uint64_t seed) {
  auto points = normal_matrix(n, d, seed, 0.4);
  for (std::size_t i = 0; i < n; ++i) points(i, i % 4 % d) += i % 4 < 2 ? 3 : -3;
  return points;
}

double sine_of_scores(const Model& model, const Model& exact, MatrixView<const double> points) {
  return std::sin(principal_angles(model.transform(points), exact.transform(points)).back());
}

TEST(Randomized, WithoutRoundingItIsExactKernelPca) {
  for (const std::size_t n : {150U, 700U}) {
    const auto points = normal_matrix(n, 4, 1);
    for (const bool center : {true, false}) {
      const auto exact = fit_exact(points, Gaussian{0.1}, {.components = 5, .center = center});
      for (const ControlVariate control : kControls) {
        for (const RandomizedSolver solver : kSolvers) {
          const auto fit = fit_randomized(points, Gaussian{0.1},
                                          {.components = 5,
                                           .center = center,
                                           .sparsify = 1,
                                           .control = control,
                                           .solver = solver,
                                           .solver_tolerance = 1e-12});
          ASSERT_EQ(fit.summary.components, 5U);
          for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_NEAR(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j],
                        1e-10 * exact.summary.eigenvalues[0]);
          }
          EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(points),
                                                  exact.model.transform(points)),
                    1e-8);
          EXPECT_NEAR(fit.summary.total_variance->high, exact.summary.total_variance->high,
                      1e-9 * exact.summary.total_variance->high);
          EXPECT_TRUE(fit.summary.certified_ratio.empty());
          ASSERT_FALSE(fit.summary.warnings.empty());
          EXPECT_NE(fit.summary.warnings[0].find("exact method"), std::string::npos);
        }
      }
    }
  }
}

TEST(Randomized, WithoutRoundingEveryKernelIsExact) {
  const auto points = uniform_matrix(90, 4, 2);
  for (const Kernel& kernel : testing::every_kernel()) {
    const auto exact = fit_exact(points, kernel, {.components = 2});
    const auto fit =
        fit_randomized(points, kernel, {.components = 2, .sparsify = 1, .control_landmarks = 10});
    EXPECT_LT(
        largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
        1e-8)
        << kernel_name(kernel);
    EXPECT_EQ(fit.model.library_size(), std::holds_alternative<Linear>(kernel) ? 0U : 90U);
  }
}

TEST(Randomized, ControlsLowerTheErrorInTheirOrder) {
  const auto points = clusters(900, 5, 1);
  const Kernel kernel = Gaussian{0.02};
  const auto exact = fit_exact(points, kernel, {.components = 3});
  double last_norm = INFINITY;
  double sine = 0;
  for (const ControlVariate control : kControls) {
    const auto fit = fit_randomized(
        points, kernel, {.components = 3, .sparsify = 8, .control = control, .certify = true});
    const double norm = bound(fit.summary, "error_norm_measured");
    EXPECT_LT(norm, last_norm);
    last_norm = norm;
    sine = sine_of_scores(fit.model, exact.model, points);
    if (control == ControlVariate::none) {
      EXPECT_GT(sine, 0.01);
    }
  }
  EXPECT_LT(sine, 1e-3);
}

TEST(Randomized, LevelsCloserTogetherMakeLessNoise) {
  const auto points = clusters(600, 5, 1);
  const auto norm = [&](EntryLevels quantize, ControlVariate control) {
    const auto fit = fit_randomized(
        points, Gaussian{0.02},
        {.components = 3, .quantize = quantize, .control = control, .certify = true});
    return bound(fit.summary, "error_norm_measured");
  };
  const double sign = norm(EntryLevels::sign, ControlVariate::none);
  const double zero_one = norm(EntryLevels::zero_one, ControlVariate::none);
  const double min_max = norm(EntryLevels::min_max, ControlVariate::none);
  const double controlled = norm(EntryLevels::min_max, ControlVariate::nystrom);
  EXPECT_LT(zero_one, 0.7 * sign);
  EXPECT_LT(min_max, zero_one);
  EXPECT_LT(controlled, 0.5 * min_max);
}

TEST(Randomized, CertifiedSpansAreAsCloseAsTheorem3Says) {
  const auto points = clusters(800, 5, 3);
  const Kernel kernel = Gaussian{0.05};
  std::size_t certified = 0;
  for (const double s : {2.0, 5.0, 20.0}) {
    for (const ControlVariate control : kControls) {
      const auto fit = fit_randomized(points, kernel,
                                      {.components = 5,
                                       .center = false,
                                       .sparsify = s,
                                       .control = control,
                                       .control_landmarks = 20,
                                       .certify = true});
      ASSERT_EQ(fit.summary.certified_ratio.size(), 5U);
      for (std::size_t l = 1; l <= 5; ++l) {
        const double c = fit.summary.certified_ratio[l - 1];
        if (c < 1) continue;
        ++certified;
        // Coefficients are eigenvectors over roots: their spans are those of the eigenvectors.
        const auto exact = fit_exact(points, kernel, {.components = l, .center = false});
        const Matrix<double> own(fit.model.coefficients().cols_from(0, l));
        const double angle = principal_angles(own, exact.model.coefficients()).back();
        EXPECT_LE(angle, std::asin(1 / c) / 2 * 1.03) << s << " " << l;  // |E| is iterated
      }
    }
  }
  EXPECT_GE(certified, 15U);  // the loop is not idle
}

TEST(Randomized, RigorousBoundsAreMarkedAndHold) {
  const auto points = clusters(700, 5, 1);
  const auto rigorous = [](const Summary& summary) {
    for (const Bound& b : summary.bounds) {
      if (b.name == "error_norm_bernstein") return b.rigorous;
    }
    return false;
  };
  const auto sampled = fit_randomized(points, Gaussian{0.02}, {.components = 3});
  EXPECT_FALSE(rigorous(sampled.summary));
  EXPECT_TRUE(std::isnan(bound(sampled.summary, "error_norm_measured")));
  const auto certified = fit_randomized(points, Gaussian{0.02}, {.components = 3, .certify = true});
  EXPECT_TRUE(rigorous(certified.summary));
  EXPECT_LT(bound(certified.summary, "error_norm_measured"),
            bound(certified.summary, "error_norm_bernstein"));
  // The fit itself does not change.
  EXPECT_EQ(certified.summary.eigenvalues, sampled.summary.eigenvalues);
  const auto bits =
      fit_randomized(points, Gaussian{0.02}, {.components = 3, .quantize = EntryLevels::min_max});
  EXPECT_TRUE(rigorous(bits.summary));
}

TEST(Randomized, RayleighMakesValuesOfSecondOrderAndComponentsOfUnitNorm) {
  const auto points = clusters(700, 5, 2);
  for (const bool center : {true, false}) {
    const RandomizedOptions plain{
        .components = 3, .center = center, .sparsify = 4, .control = ControlVariate::mean};
    RandomizedOptions refined = plain;
    refined.rayleigh = true;
    const auto exact = fit_exact(points, Gaussian{0.05}, {.components = 3, .center = center});
    const auto before = fit_randomized(points, Gaussian{0.05}, plain);
    const auto after = fit_randomized(points, Gaussian{0.05}, refined);
    const auto scores = after.model.transform(points);
    for (std::size_t j = 0; j < 3; ++j) {
      const double value = exact.summary.eigenvalues[j];
      const double error_before = std::abs(before.summary.eigenvalues[j] - value);
      EXPECT_LE(after.summary.eigenvalues[j], value * (1 + 1e-12));
      EXPECT_LT(value - after.summary.eigenvalues[j], 0.3 * error_before + 1e-9 * value);
      // The value is the variance of the scores.
      double squares = 0;
      double sum = 0;
      for (std::size_t i = 0; i < points.rows(); ++i) {
        squares += scores(i, j) * scores(i, j);
        sum += scores(i, j);
      }
      EXPECT_NEAR(squares, after.summary.eigenvalues[j], 1e-9 * value);
      if (center) {
        EXPECT_NEAR(sum, 0, 1e-8);
      }
    }
    EXPECT_NEAR(after.summary.total_variance->high, exact.summary.total_variance->high, 1e-9);
    EXPECT_TRUE(after.summary.reconstruction_error);
    EXPECT_FALSE(before.summary.reconstruction_error);
    EXPECT_LT(sine_of_scores(after.model, exact.model, points),
              sine_of_scores(before.model, exact.model, points) * 1.01);
  }
}

TEST(Randomized, SolversAgree) {
  const auto points = clusters(900, 5, 2);
  for (const EntryLevels quantize : {EntryLevels::none, EntryLevels::min_max}) {
    const auto of = [&](RandomizedSolver solver) {
      return fit_randomized(
          points, Gaussian{0.05},
          {.components = 4, .quantize = quantize, .solver = solver, .solver_tolerance = 1e-10});
    };
    const auto krylov = of(RandomizedSolver::krylov);
    const auto orthogonal = of(RandomizedSolver::orthogonal);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(krylov.summary.eigenvalues[j], orthogonal.summary.eigenvalues[j],
                  1e-8 * krylov.summary.eigenvalues[0]);
    }
    EXPECT_LE(*orthogonal.summary.solver_residual, 1e-9);
  }
}

TEST(Randomized, BitsDependOnTheSeedAndNotOnThreads) {
  const auto points = clusters(1600, 5, 2);
  for (const EntryLevels quantize :
       {EntryLevels::none, EntryLevels::sign, EntryLevels::zero_one, EntryLevels::min_max}) {
    for (const double s : {1.0, 6.0}) {
      const auto fit = [&](std::size_t threads, std::uint64_t seed) {
        return fit_randomized(
            points, Gaussian{0.05},
            {.components = 3, .sparsify = s, .quantize = quantize, .rayleigh = s == 6},
            {.threads = threads, .seed = seed});
      };
      const auto one = fit(1, 5);
      const auto four = fit(4, 5);
      EXPECT_TRUE(testing::same_bits(one.model.coefficients(), four.model.coefficients()));
      EXPECT_EQ(one.summary.eigenvalues, four.summary.eigenvalues);
      EXPECT_EQ(one.summary.certified_ratio, four.summary.certified_ratio);
      EXPECT_NE(one.summary.eigenvalues, fit(2, 6).summary.eigenvalues);
    }
  }
}

TEST(Randomized, ComputesOnlyTheKernelValuesItSays) {
  const auto points = normal_matrix(1000, 3, 1);
  std::atomic<std::uint64_t> calls = 0;
  const Kernel kernel = Custom{[&](std::span<const double> x, std::span<const double> y) {
    ++calls;
    double r2 = 0;
    for (std::size_t j = 0; j < x.size(); ++j) r2 += (x[j] - y[j]) * (x[j] - y[j]);
    return std::exp(-0.1 * r2);
  }};
  const auto fit = fit_randomized(
      points, kernel, {.components = 2, .sparsify = 50, .control = ControlVariate::none});
  EXPECT_EQ(calls, fit.summary.kernel_evaluations);
  EXPECT_LT(calls, 1000U * 999 / 2 / 50 * 1.2 + 1000);
}

TEST(Randomized, SummarySaysWhichComponentsCanBeTrusted) {
  const auto points = clusters(800, 5, 3);
  const auto good = fit_randomized(points, Gaussian{0.02}, {.components = 3});
  EXPECT_NE(good.summary.full().find("trusted        span of the first"), std::string::npos)
      << good.summary.full();
  const auto bad =
      fit_randomized(normal_matrix(800, 8, 1), Gaussian{0.5},
                     {.components = 3, .sparsify = 50, .control = ControlVariate::none});
  EXPECT_NE(bad.summary.full().find("trusted        no component"), std::string::npos);
  ASSERT_FALSE(bad.summary.warnings.empty());
  EXPECT_NE(bad.summary.warnings[0].find("no component can be trusted"), std::string::npos);
  EXPECT_NE(good.summary.full().find("scores = those of transform"), std::string::npos);
}

TEST(Randomized, FractionsAndThresholdsChooseTheNumber) {
  const auto points = clusters(700, 5, 3);
  const RandomizedOptions by_threshold{.min_eigenvalue = 20};
  const auto threshold = fit_randomized(points, Gaussian{0.05}, by_threshold);
  for (const double value : threshold.summary.eigenvalues) EXPECT_GE(value, 20);
  EXPECT_GT(threshold.summary.components, 1U);
  const auto fraction = fit_randomized(points, Gaussian{0.05}, {.retain = 0.6});
  double sum = 0;
  for (const double ratio : fraction.summary.explained_variance_ratio) sum += ratio;
  EXPECT_GE(sum, 0.6);
  EXPECT_LT(sum - fraction.summary.explained_variance_ratio.back(), 0.6);
}

}  // namespace
}  // namespace mercer
