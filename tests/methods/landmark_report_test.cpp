#include "methods/landmark_report.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/auto.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/metrics.h>
#include <mercer/random_features.h>
#include <mercer/reduced_set.h>
#include <mercer/rows.h>

#include "numbers.h"

namespace mercer {
namespace {

double true_sine(const Model& exact, const Model& approximate, const Matrix<double>& points) {
  return std::sin(principal_angles(exact.transform(points), approximate.transform(points)).back());
}

TEST(SubspaceErrorEstimate, IsThatOfTheComponentsKept) {
  const auto points = testing::normal_matrix(300, 3, 31);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  for (const bool certify : {false, true}) {
    const auto fit =
        fit_landmarks(points, kernel, {.retain = 0.999, .landmarks = 150, .certify = certify});
    ASSERT_GT(fit.model.components(), 20U);
    const auto exact = fit_exact(points, kernel, {.components = fit.model.components()});
    const double truth = true_sine(exact.model, fit.model, points);
    const double estimate = *fit.summary.subspace_error_estimate;
    EXPECT_GT(estimate, truth / (certify ? 1.5 : 5)) << certify;
    if (certify) {
      EXPECT_LT(estimate, truth * 1.5);
    }
  }
}

TEST(SubspaceErrorEstimate, HoldsTheToleranceAgainstTheComponentsKept) {
  const auto points = testing::normal_matrix(200, 3, 32);
  const auto fit = fit_landmarks(points, Gaussian{.gamma = 0.1}, {.min_eigenvalue = 0.001});
  ASSERT_GT(fit.model.components(), 30U);
  ASSERT_GT(*fit.summary.subspace_error_estimate, kDefaultSubspaceTolerance);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::tolerance_missed);
}

TEST(SubspaceErrorEstimate, IsNotZeroWhereRoundingIsMuchBesideAnEigenvalue) {
  // An almost constant kernel: landmarks end by rank at 1e-10, and the fifth component is smaller.
  const auto points = testing::normal_matrix(200, 3, 33);
  const Kernel kernel = Gaussian{.gamma = 1e-6};
  const auto fit = fit_landmarks(points, kernel, {.components = 5});
  const auto exact = fit_exact(points, kernel, {.components = fit.model.components()});
  EXPECT_GE(*fit.summary.subspace_error_estimate,
            std::min(true_sine(exact.model, fit.model, points), 0.5));
}

TEST(LandmarkWarnings, WeightsThatDrownTheOthersAreReported) {
  const auto points = testing::normal_matrix(200, 3, 34);
  std::vector<double> weights(200, 1.0);
  const auto warned = [&] {
    const auto fit = fit_landmarks(points, Gaussian{.gamma = 0.1},
                                   {.components = 5, .weights = weights, .landmarks = 60});
    return std::ranges::any_of(fit.summary.warnings, [](const std::string& warning) {
      return warning.find("weights differ") != std::string::npos;
    });
  };
  EXPECT_FALSE(warned());
  weights[0] = 1e4;
  EXPECT_FALSE(warned());
  weights[0] = 1e13;
  EXPECT_TRUE(warned());
}

TEST(LandmarkCertificates, DoNotDependOnWhereTheRowsAre) {
  const auto points = testing::normal_matrix(2500, 3, 35);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  const LandmarkOptions options{.components = 5, .landmarks = 50, .certify = true};
  const auto memory = fit_landmarks(points, kernel, options);
  const auto source = rows_in_memory(points);
  const auto streamed = fit_landmarks(*source, kernel, options);
  ASSERT_EQ(memory.summary.bounds.size(), streamed.summary.bounds.size());
  for (std::size_t i = 0; i < memory.summary.bounds.size(); ++i) {
    EXPECT_EQ(memory.summary.bounds[i].name, streamed.summary.bounds[i].name);
    EXPECT_EQ(memory.summary.bounds[i].value, streamed.summary.bounds[i].value);
  }
  EXPECT_EQ(*memory.summary.subspace_error_estimate, *streamed.summary.subspace_error_estimate);
}

TEST(DefaultBandwidth, IsTheSameForAllMethods) {
  const auto points = testing::normal_matrix(6000, 4, 36);
  const auto gamma = [](const Fit& fit) { return *std::get<Gaussian>(fit.model.kernel()).gamma; };
  const double expected = gamma(fit_exact(points, Gaussian{}, {.components = 2}));
  EXPECT_EQ(gamma(fit_landmarks(points, Gaussian{}, {.components = 2, .landmarks = 20})), expected);
  EXPECT_EQ(
      gamma(fit_landmarks(points, Gaussian{},
                          {.components = 2, .landmarks = 300, .selection = Selection::uniform})),
      expected);
  EXPECT_EQ(gamma(fit_random_features(points, Gaussian{}, {.components = 2, .features = 64})),
            expected);
  ReducedSetOptions reduced{.components = 2};
  reduced.reduction.ell = 2;
  EXPECT_EQ(gamma(fit_reduced_set(points, Gaussian{}, reduced)), expected);
  const auto source = rows_in_memory(points);
  EXPECT_EQ(gamma(fit_reduced_set(*source, Gaussian{}, reduced)), expected);
}

TEST(LandmarkPlan, FewRowsHaveAllTheirComponents) {
  const auto points = testing::normal_matrix(20, 5, 37);
  const auto fit = fit_landmarks(points, Gaussian{.gamma = 0.1}, {.components = 10});
  EXPECT_EQ(fit.model.components(), 10U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::converged);
}

TEST(LandmarkPlan, AToleranceLeavesAsManyLandmarksAsComponents) {
  const auto points = testing::normal_matrix(600, 5, 38);
  const auto fit =
      fit_landmarks(points, Gaussian{.gamma = 0.05}, {.components = 12, .tolerance = 0.5});
  EXPECT_EQ(fit.model.components(), 12U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::converged);
}

TEST(LandmarkPlan, TheLimitHoldsForEverySelection) {
  const auto points = testing::normal_matrix(600, 5, 40);
  for (const Selection selection : {Selection::kmeans, Selection::leverage, Selection::uniform}) {
    const auto fit = fit_landmarks(points, Gaussian{.gamma = 0.05},
                                   {.components = 3, .selection = selection, .max_landmarks = 30});
    EXPECT_LE(*fit.summary.landmarks, 30U);
  }
}

TEST(LandmarkPlan, TolerancesNeedASelectionThatGrows) {
  for (const Selection selection : {Selection::kmeans, Selection::leverage}) {
    EXPECT_THROW((LandmarkOptions{.selection = selection, .tolerance = 0.01}.validate()),
                 InvalidArgument);
    EXPECT_THROW((LandmarkOptions{.selection = selection, .subspace_tolerance = 0.1}.validate()),
                 InvalidArgument);
  }
}

TEST(FitAuto, KeepsLandmarksWhereExactDoesNotFit) {
  const auto points = testing::normal_matrix(20'000, 16, 39);
  RunOptions run;
  run.memory_limit_bytes = 50'000'000;
  const auto fit = fit_auto(points, Gaussian{}, {.components = 10}, run);
  EXPECT_EQ(fit.summary.method, "landmarks");
}

}  // namespace
}  // namespace mercer
