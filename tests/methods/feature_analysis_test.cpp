#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/exact.h>
#include <mercer/feature_analysis.h>

#include "golden/golden.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;

constexpr FeatureRule kRules[] = {FeatureRule::akfa, FeatureRule::ackfa, FeatureRule::skfa};

FeatureAnalysisOptions with(FeatureRule rule, std::size_t features, double delta = 0.1) {
  FeatureAnalysisOptions options{.rule = rule, .features = features};
  if (rule == FeatureRule::ackfa) options.delta = delta;
  return options;
}

double bound(const Summary& summary, const std::string& name) {
  for (const auto& bound : summary.bounds) {
    if (bound.name == name) return bound.value;
  }
  return NAN;
}

std::string why(const Summary& summary, const std::string& what) {
  for (const auto& choice : summary.choices) {
    if (choice.what == what) return choice.why;
  }
  return "";
}

/// By weight, over the rows of a matrix.
double mean_of_squares(MatrixView<const double> values, std::size_t column,
                       const std::vector<double>& weights) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sum += weight * values(i, column) * values(i, column);
    total += weight;
  }
  return sum / total;
}

/// 240 points about a circle (tests/golden/README.md).
class FeatureGolden : public ::testing::Test {
 protected:
  golden::Golden recorded_ = golden::Golden::load("features/circle240.txt");
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  const Matrix<double>& points_ = exact_["train"];
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};

  /// The library of a model without centring, or with a sparse mean, is the chosen rows.
  void expect_library(const Model& model, const std::string& name) {
    const auto rows = recorded_.values(name + ".rows");
    ASSERT_EQ(model.library_size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(model.library().row(i),
                                     points_.row(static_cast<std::size_t>(rows[i]))));
    }
  }
};

TEST_F(FeatureGolden, EveryRuleGivesTheRecordedFeatures) {
  for (const auto& [name, options] :
       {std::pair(std::string("akfa"), with(FeatureRule::akfa, 10)),
        std::pair(std::string("skfa"), with(FeatureRule::skfa, 10)),
        std::pair(std::string("ackfa_0.1"), with(FeatureRule::ackfa, 10, 0.1)),
        std::pair(std::string("ackfa_0.4"), with(FeatureRule::ackfa, 30, 0.4))}) {
    SCOPED_TRACE(name);
    for (const GramStorage storage : {GramStorage::stored, GramStorage::matrix_free}) {
      FeatureAnalysisOptions all = options;
      all.storage = storage;
      const Fit exact = fit_feature_analysis(points_, kernel_, all);
      EXPECT_EQ(exact.summary.library_size, 240U);
      EXPECT_NEAR(*exact.summary.reconstruction_error, recorded_.number(name + ".error"), 1e-11);
      all.projection = MeanProjection::sparse_mean;
      expect_library(fit_feature_analysis(points_, kernel_, all).model, name);
    }
  }
  FeatureAnalysisOptions uncentered = with(FeatureRule::akfa, 10);
  uncentered.center = false;
  const Fit fit = fit_feature_analysis(points_, kernel_, uncentered);
  expect_library(fit.model, "uncentered");
  EXPECT_NEAR(*fit.summary.reconstruction_error, recorded_.number("uncentered.error"), 1e-11);
}

TEST_F(FeatureGolden, GainsScoresAndCoefficientsAreTheRecordedOnes) {
  const Fit fit = fit_feature_analysis(points_, kernel_, with(FeatureRule::akfa, 10));
  const auto gains = recorded_.values("akfa.gains");
  ASSERT_EQ(fit.summary.gains.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(fit.summary.gains[i], gains[i], 1e-10);
  EXPECT_TRUE(fit.summary.eigenvalues.empty());
  const auto scores = fit.model.transform(exact_["new"]);
  const auto expected = recorded_.values("akfa.new_scores");
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(scores(0, i), expected[i], 1e-10);
  // Rows that were not chosen have the part of the mean only.
  const auto& b = fit.model.coefficients();
  const auto coefficients = recorded_.values("akfa.coefficients_01_11");
  EXPECT_NEAR(b(2, 1) - b(0, 1), coefficients[0], 1e-9);
  EXPECT_NEAR(b(225, 1) - b(0, 1), coefficients[1], 1e-9);
}

TEST_F(FeatureGolden, StopsForTheReasonThatCameFirst) {
  const auto asked = fit_feature_analysis(points_, kernel_, with(FeatureRule::akfa, 5)).summary;
  EXPECT_EQ(asked.termination.reason, TerminationReason::converged);
  EXPECT_EQ(why(asked, "features"), "asked for");

  FeatureAnalysisOptions by_error{.stop_error = 0.1};
  const auto open = fit_feature_analysis(points_, kernel_, by_error).summary;
  EXPECT_EQ(open.termination.reason, TerminationReason::converged);
  EXPECT_EQ(why(open, "features"), "the error is small enough");
  EXPECT_EQ(open.components, 9U);  // 0.0904 after nine, 0.1189 after eight
  ASSERT_EQ(open.error_curve.size(), 10U);
  EXPECT_GT(open.error_curve[8].error, 0.1);
  EXPECT_EQ(open.error_curve[9].size, 9U);
  EXPECT_EQ(open.error_curve[9].error, *open.reconstruction_error);

  by_error.features = 4;
  const auto missed = fit_feature_analysis(points_, kernel_, by_error).summary;
  EXPECT_EQ(missed.termination.reason, TerminationReason::tolerance_missed);
  EXPECT_EQ(missed.components, 4U);

  const auto cut =
      fit_feature_analysis(points_, kernel_, with(FeatureRule::ackfa, 30, 0.4)).summary;
  EXPECT_EQ(cut.termination.reason, TerminationReason::fewer_components);
  EXPECT_EQ(cut.components, 9U);
  EXPECT_EQ(why(cut, "features"), "all rows are nearer to them than delta");

  const auto rank = fit_feature_analysis(points_, kernel_, {.features = 240}).summary;
  EXPECT_EQ(rank.termination.reason, TerminationReason::fewer_components);
  EXPECT_EQ(why(rank, "features"), "the rows have no more directions");
  EXPECT_LT(*rank.reconstruction_error, 1e-9);
}

TEST_F(FeatureGolden, RelativeDeltaIsAFractionOfTheLargestDistance) {
  double largest = 0;
  for (const double r :
       fit_feature_analysis(points_, kernel_, {.features = 1}).model.residual(points_)) {
    largest = std::max(largest, r);
  }
  // The residual of a row that no feature touches is its distance from the mean.
  FeatureAnalysisOptions relative = with(FeatureRule::ackfa, 30, 0.4);
  relative.delta_relative = true;
  const auto fit = fit_feature_analysis(points_, kernel_, relative).summary;
  EXPECT_GE(fit.components, 9U);
  EXPECT_LE(largest, 1.0);
  const auto curve = fit.error_curve;
  FeatureAnalysisOptions absolute = with(FeatureRule::ackfa, 30, 0.4);
  // Scaling the kernel scales distances: an absolute delta has to follow, a relative one has not.
  const Kernel doubled = Custom{.function =
                                    [](std::span<const double> x, std::span<const double> y) {
                                      double r2 = 0;
                                      for (std::size_t i = 0; i < x.size(); ++i) {
                                        r2 += (x[i] - y[i]) * (x[i] - y[i]);
                                      }
                                      return 4 * std::exp(-r2 / 32);
                                    },
                                .name = "four times"};
  const auto same = fit_feature_analysis(points_, doubled, relative).summary;
  EXPECT_EQ(same.components, fit.components);
  EXPECT_NEAR(*same.reconstruction_error, 4 * *fit.reconstruction_error, 1e-9);
  absolute.delta = 1.6;
  EXPECT_NEAR(*fit_feature_analysis(points_, doubled, absolute).summary.reconstruction_error,
              4 * recorded_.number("ackfa_0.4.error"), 1e-9);
}

TEST_F(FeatureGolden, SparseMeansKeepFewRowsAndSayWhatThatCosts) {
  FeatureAnalysisOptions options = with(FeatureRule::akfa, 10);
  const Fit exact = fit_feature_analysis(points_, kernel_, options);
  options.projection = MeanProjection::sparse_mean;
  const Fit sparse = fit_feature_analysis(points_, kernel_, options);
  EXPECT_EQ(sparse.summary.library_size, 10U);
  EXPECT_EQ(sparse.summary.gains, exact.summary.gains);
  const auto a = exact.model.transform(points_);
  const auto b = sparse.model.transform(points_);
  double squares = 0;
  for (std::size_t j = 0; j < 10; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < 240; ++i) {
      squares += (a(i, j) - b(i, j)) * (a(i, j) - b(i, j)) / 240;
      mean += b(i, j) / 240;
    }
    EXPECT_NEAR(mean, 0, 1e-12);
  }
  EXPECT_NEAR(bound(sparse.summary, "score_error_measured"), std::sqrt(squares), 1e-12);
  // The two means are as far from each other as their norms say: one is the other's projection.
  const double error = bound(sparse.summary, "squared_mean_error");
  EXPECT_NEAR(error, exact.model.mean_norm2() - sparse.model.mean_norm2(), 1e-15);
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 2e-2);
  // Never too small: features about another mean are not quite orthonormal.
  const auto residuals = sparse.model.residual(points_);
  for (const double residual : residuals) EXPECT_GT(residual, -1e-12);
}

TEST_F(FeatureGolden, ModelsSurviveAFile) {
  const testing::TemporaryFolder folder;
  const Fit fit = fit_feature_analysis(points_, kernel_, with(FeatureRule::skfa, 6));
  fit.model.save(folder / "f.mercer");
  const Model loaded = Model::load(folder / "f.mercer");
  EXPECT_TRUE(same_bits(loaded.transform(points_), fit.model.transform(points_)));
  EXPECT_EQ(loaded.summary().gains, fit.summary.gains);
  EXPECT_TRUE(loaded.eigenvalues().empty());
}

RC_GTEST_PROP(FeatureAnalysis, FeaturesAreOrthonormalAndErrorsAddUp, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(3, 120);
  const auto d = *rc::gen::inRange<std::size_t>(1, 5);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto rule =
      *rc::gen::elementOf(std::vector<FeatureRule>(std::begin(kRules), std::end(kRules)));
  const auto points = normal_matrix(n, d, seed);
  FeatureAnalysisOptions options = with(rule, 6, 0.05);
  options.delta_relative = rule == FeatureRule::ackfa;  // never cuts all of few rows
  options.center = *rc::gen::element(true, false);
  options.storage = *rc::gen::element(GramStorage::stored, GramStorage::matrix_free);
  if (*rc::gen::element(true, false)) {
    for (std::size_t i = 0; i < n; ++i) options.weights.push_back(1 + static_cast<double>(i % 3));
  }
  const Kernel kernel = Gaussian{.gamma = 0.3 / static_cast<double>(d)};
  const Fit fit = fit_feature_analysis(points, kernel, options, {.threads = 2});
  const Summary& summary = fit.summary;

  // What features explain and what they leave is all there is.
  double gained = 0;
  for (const double gain : summary.gains) gained += gain;
  const double total = summary.total_variance->high / summary.total_weight;
  RC_ASSERT(std::abs(gained + *summary.reconstruction_error - total) < 1e-12);
  for (std::size_t i = 1; i < summary.error_curve.size(); ++i) {
    RC_ASSERT(summary.error_curve[i].error <= summary.error_curve[i - 1].error + 1e-15);
    RC_ASSERT(std::abs(summary.error_curve[i - 1].error - summary.error_curve[i].error -
                       summary.gains[i - 1]) < 1e-12);
  }
  // Scores of the rows have these gains, and leave what the summary says.
  const auto scores = fit.model.transform(points);
  for (std::size_t i = 0; i < summary.gains.size(); ++i) {
    RC_ASSERT(std::abs(mean_of_squares(scores, i, options.weights) - summary.gains[i]) < 1e-10);
  }
  const auto residuals = fit.model.residual(points);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    left += (options.weights.empty() ? 1 : options.weights[i]) * residuals[i];
  }
  RC_ASSERT(std::abs(left / summary.total_weight - *summary.reconstruction_error) < 1e-10);
  // No features leave less than principal components.
  const Fit exact = fit_exact(
      points, kernel,
      {.components = summary.components, .center = options.center, .weights = options.weights});
  RC_ASSERT(*exact.summary.reconstruction_error <= *summary.reconstruction_error + 1e-10);
}

TEST(FeatureAnalysis, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(700, 3, 2);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  for (const FeatureRule rule : kRules) {
    for (const GramStorage storage : {GramStorage::stored, GramStorage::matrix_free}) {
      FeatureAnalysisOptions options = with(rule, 12);
      options.storage = storage;
      const Fit one = fit_feature_analysis(points, kernel, options, {.threads = 1});
      const Fit many = fit_feature_analysis(points, kernel, options, {.threads = 5});
      EXPECT_TRUE(same_bits(one.model.coefficients(), many.model.coefficients()));
      EXPECT_EQ(one.summary.gains, many.summary.gains);
      EXPECT_EQ(one.summary.kernel_evaluations, many.summary.kernel_evaluations);
    }
  }
}

TEST(FeatureAnalysis, IntegerWeightsEqualRepetition) {
  const auto points = normal_matrix(80, 2, 5);
  std::vector<double> weights(80);
  for (std::size_t i = 0; i < 80; ++i) weights[i] = static_cast<double>(1 + i % 3);
  const auto repeated = testing::repeat_rows(points, weights);
  const Kernel kernel = Gaussian{.gamma = 0.4};
  for (const FeatureRule rule : kRules) {
    FeatureAnalysisOptions options = with(rule, 8);
    const Fit copies = fit_feature_analysis(repeated, kernel, options);
    options.weights = weights;
    const Fit weighted = fit_feature_analysis(points, kernel, options);
    EXPECT_NEAR(*copies.summary.reconstruction_error, *weighted.summary.reconstruction_error,
                1e-12);
    EXPECT_LT(largest_difference(copies.model.transform(points), weighted.model.transform(points)),
              1e-10);
  }
}

// The two random speed-ups: seeded, nearly as good, and the rule itself when nothing is left out.
TEST(FeatureAnalysis, RandomSubsetsAreSeededAndNearlyAsGood) {
  const auto points = normal_matrix(600, 2, 6);
  const Kernel kernel = Gaussian{.gamma = 0.3};
  for (const FeatureRule rule : {FeatureRule::akfa, FeatureRule::skfa}) {
    const Fit all = fit_feature_analysis(points, kernel, with(rule, 10));
    FeatureAnalysisOptions options = with(rule, 10);
    options.candidates = 59;
    options.terms = 200;
    const Fit one = fit_feature_analysis(points, kernel, options, {.seed = 1});
    const Fit again = fit_feature_analysis(points, kernel, options, {.seed = 1});
    const Fit other = fit_feature_analysis(points, kernel, options, {.seed = 2});
    EXPECT_EQ(one.summary.gains, again.summary.gains);
    EXPECT_NE(one.summary.gains, other.summary.gains);
    EXPECT_LT(*one.summary.reconstruction_error, 1.4 * *all.summary.reconstruction_error);
    // A product for the mean, and what was drawn.
    EXPECT_EQ(one.summary.kernel_evaluations, 600U * 601 / 2 + 10 * (59 * 200 + 600 + 1));
    options.candidates = 600;
    options.terms = 600;
    const Fit whole = fit_feature_analysis(points, kernel, options);
    EXPECT_NEAR(*whole.summary.reconstruction_error, *all.summary.reconstruction_error, 1e-12);
  }
}

// Features of the points themselves: as directions, without a library.
TEST(FeatureAnalysis, LinearKernelsGiveDirections) {
  const auto points = normal_matrix(200, 4, 7, 1, 3);
  for (const bool center : {true, false}) {
    const Fit fit = fit_feature_analysis(points, Linear{}, {.features = 10, .center = center});
    EXPECT_EQ(fit.summary.components, 4U);
    EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
    EXPECT_EQ(fit.model.library_size(), 0U);
    EXPECT_EQ(fit.model.coefficients().rows(), 4U);
    EXPECT_LT(*fit.summary.reconstruction_error, 1e-9);
    const auto scores = fit.model.transform(points);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(mean_of_squares(scores, i, {}), fit.summary.gains[i], 1e-9);
    }
    for (const double residual : fit.model.residual(points)) EXPECT_NEAR(residual, 0, 1e-9);
  }
}

}  // namespace
}  // namespace mercer
