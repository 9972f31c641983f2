#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/feature_analysis.h>

#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;

const Kernel kGaussian = Gaussian{.gamma = 0.5};

template <class Error>
std::string refusal(const Matrix<double>& points, const Kernel& kernel,
                    const FeatureAnalysisOptions& options, const RunOptions& run = {}) {
  try {
    fit_feature_analysis(points, kernel, options, run);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FeatureAnalysisEdges, OptionsOutOfRangeAreRefusedByName) {
  const auto points = normal_matrix(20, 2, 1);
  const auto refused = [&](const FeatureAnalysisOptions& options) {
    return refusal<InvalidArgument>(points, kGaussian, options);
  };
  EXPECT_TRUE(contains(refused({.features = 0}), "features is 0"));
  EXPECT_TRUE(contains(refused({.stop_error = 0.0}), "stop_error is 0"));
  EXPECT_TRUE(contains(refused({.stop_error = NAN}), "stop_error is nan"));
  EXPECT_TRUE(contains(refused({.rule = FeatureRule::ackfa}), "ackfa needs delta"));
  EXPECT_TRUE(contains(refused({.rule = FeatureRule::ackfa, .delta = -1.0}), "delta is -1"));
  EXPECT_TRUE(contains(refused({.delta = 0.1}), "akfa cuts no rows"));
  EXPECT_TRUE(contains(refused({.rule = FeatureRule::ackfa, .delta = 2.0, .delta_relative = true}),
                       "at most 1"));
  EXPECT_TRUE(contains(refused({.delta_relative = true}), "give delta too"));
  EXPECT_TRUE(contains(refused({.candidates = 0}), "candidates is 0"));
  EXPECT_TRUE(contains(refused({.terms = 0}), "terms is 0"));
  EXPECT_TRUE(contains(refused({.center = false, .projection = MeanProjection::sparse_mean}),
                       "no mean without centring"));
  EXPECT_TRUE(contains(refused({.weights = {1, 2}}), "2 weights for 20 rows"));
}

TEST(FeatureAnalysisEdges, KernelsAndDataThatCannotBeAnalysedAreRefused) {
  const auto points = normal_matrix(20, 2, 1);
  EXPECT_TRUE(contains(refusal<InvalidArgument>(points, Sigmoid{}, {}), "semi-definite"));
  EXPECT_TRUE(
      contains(refusal<InvalidArgument>(normal_matrix(5, 5, 1), Precomputed{}, {}), "precomputed"));
  EXPECT_NE(refusal<DataError>(Matrix<double>(0, 2), kGaussian, {}), "no error");
  auto bad = points;
  bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(refusal<DataError>(bad, kGaussian, {}), "no error");
  EXPECT_TRUE(contains(
      refusal<NumericalError>(points, kGaussian, {.rule = FeatureRule::ackfa, .delta = 5.0}),
      "lower it"));
  EXPECT_TRUE(
      contains(refusal<NumericalError>(points, kGaussian, {.stop_error = 5.0}), "lower it"));
}

TEST(FeatureAnalysisEdges, PointsThatDoNotVaryHaveNoCentredFeatures) {
  for (const std::size_t n : {1U, 50U}) {
    Matrix<double> equal(n, 3);
    for (std::size_t i = 0; i < equal.size(); ++i) equal.data()[i] = 7.5;
    EXPECT_TRUE(contains(refusal<NumericalError>(equal, kGaussian, {}), "do not vary"));
    EXPECT_TRUE(
        contains(refusal<NumericalError>(equal, kGaussian, {.candidates = 5}), "do not vary"));
    // About the origin they have one.
    const Fit fit = fit_feature_analysis(equal, kGaussian, {.center = false});
    EXPECT_EQ(fit.summary.components, 1U);
    EXPECT_NEAR(fit.summary.gains[0], 1, 1e-12);
    EXPECT_NEAR(*fit.summary.reconstruction_error, 0, 1e-12);
  }
}

TEST(FeatureAnalysisEdges, FewPointsGiveOneFeatureLessWhenCentred) {
  for (const std::size_t n : {2U, 3U, 7U}) {
    const auto points = normal_matrix(n, 1, 3, 5);
    for (const FeatureRule rule : {FeatureRule::akfa, FeatureRule::skfa}) {
      EXPECT_EQ(fit_feature_analysis(points, kGaussian, {.rule = rule}).summary.components, n - 1);
      EXPECT_EQ(fit_feature_analysis(points, kGaussian, {.rule = rule, .center = false})
                    .summary.components,
                n);
    }
  }
}

TEST(FeatureAnalysisEdges, CopiesOfRowsAreNeverChosenTwice) {
  const auto few = normal_matrix(6, 2, 1);
  Matrix<double> points(300, 2);
  for (std::size_t i = 0; i < 300; ++i) std::ranges::copy(few.row(i % 6), points.row(i).begin());
  for (const GramStorage storage : {GramStorage::stored, GramStorage::matrix_free}) {
    const Fit fit = fit_feature_analysis(points, kGaussian, {.features = 50, .storage = storage});
    EXPECT_EQ(fit.summary.components, 5U);
    EXPECT_NEAR(*fit.summary.reconstruction_error, 0, 1e-12);
  }
}

// Points on a line in many columns, some of them constant.
TEST(FeatureAnalysisEdges, CollinearPointsHaveOneLinearFeature) {
  Matrix<double> points(60, 4);
  for (std::size_t i = 0; i < 60; ++i) {
    points(i, 0) = static_cast<double>(i);
    points(i, 1) = -2 * static_cast<double>(i);
    points(i, 2) = 5;
  }
  EXPECT_EQ(fit_feature_analysis(points, Linear{}, {}).summary.components, 1U);
}

TEST(FeatureAnalysisEdges, ScalesFromTinyToHugeGiveTheSameFeatures) {
  const auto points = normal_matrix(150, 3, 8);
  const Fit usual = fit_feature_analysis(points, kGaussian, {.features = 8});
  for (const double scale : {1e-150, 1e-20, 1e20, 1e100}) {
    Matrix<double> scaled(points);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
    for (const GramStorage storage : {GramStorage::stored, GramStorage::matrix_free}) {
      const Fit fit = fit_feature_analysis(scaled, Gaussian{.gamma = 0.5 / scale / scale},
                                           {.features = 8, .storage = storage});
      for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_NEAR(fit.summary.gains[i], usual.summary.gains[i], 1e-9) << scale;
      }
    }
  }
  // Linear features scale with the square, also where single precision has no such numbers.
  for (const double scale : {1e-30, 1e30}) {
    Matrix<double> scaled(points);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
    const auto linear = fit_feature_analysis(points, Linear{}, {}).summary.gains;
    const auto gains = fit_feature_analysis(scaled, Linear{}, {}).summary.gains;
    ASSERT_EQ(gains.size(), linear.size());
    for (std::size_t i = 0; i < linear.size(); ++i) {
      EXPECT_NEAR(gains[i] / linear[i] / scale / scale, 1, 1e-9);
    }
  }
}

// A wide kernel leaves little of the matrix after centring.
TEST(FeatureAnalysisEdges, WideKernelsStillGiveFeaturesThatAddUp) {
  const auto points = normal_matrix(200, 2, 9);
  const Fit fit = fit_feature_analysis(points, Gaussian{.gamma = 1e-5}, {.features = 6});
  double gained = 0;
  for (const double gain : fit.summary.gains) gained += gain;
  const double total = fit.summary.total_variance->high / 200;
  EXPECT_NEAR((gained + *fit.summary.reconstruction_error) / total, 1, 1e-7);
  EXPECT_GE(fit.summary.components, 2U);
}

TEST(FeatureAnalysisEdges, MemoryIsAskedBeforeItIsUsed) {
  const auto points = normal_matrix(600, 60, 1);
  const RunOptions small{.memory_limit_bytes = 400'000};
  const Fit fit = fit_feature_analysis(points, kGaussian, {.features = 20}, small);
  for (const auto& choice : fit.summary.choices) {
    if (choice.what == "storage") {
      EXPECT_EQ(choice.value, "matrix_free");
    }
  }
  EXPECT_NE(refusal<MemoryLimitError>(points, kGaussian, {.storage = GramStorage::stored}, small),
            "no error");
  EXPECT_NE(refusal<MemoryLimitError>(points, kGaussian, {.features = 1000}, small), "no error");
  // An open number of features takes as many as fit.
  const Fit open = fit_feature_analysis(points, kGaussian, {.stop_error = 1e-9}, small);
  EXPECT_EQ(open.summary.termination.reason, TerminationReason::tolerance_missed);
}

TEST(FeatureAnalysisEdges, AFitCanBeCancelled) {
  const auto points = normal_matrix(2000, 3, 1);
  int polls = 0;
  RunOptions run{.threads = 2};
  run.cancelled = [&] { return ++polls > 20; };
  EXPECT_THROW(fit_feature_analysis(points, kGaussian, {.features = 50}, run), Cancelled);
}

}  // namespace
}  // namespace mercer
