#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/rows.h>

#include "engine/every_kernel.h"
#include "golden/golden.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::same_bits;

std::vector<std::size_t> first_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// Well separated points: their kernel matrix is far from singular, so that all rows may be
/// landmarks.
Matrix<double> scattered_points(std::size_t n, std::uint64_t seed = 1) {
  return normal_matrix(n, 8, seed, 2);
}

const Kernel kGaussian = Gaussian{.gamma = 0.05};

class EveryEvaluation : public ::testing::TestWithParam<std::tuple<Evaluation, bool, bool>> {};

TEST_P(EveryEvaluation, AllRowsAsLandmarksAreExact) {
  const auto [evaluation, center, weighted] = GetParam();
  const auto points = scattered_points(150);
  const auto fresh = scattered_points(20, 2);
  std::vector<double> weights;
  for (std::size_t i = 0; weighted && i < points.rows(); ++i) {
    weights.push_back(1 + static_cast<double>(i % 3));
  }
  const auto exact =
      fit_exact(points, kGaussian, {.components = 6, .center = center, .weights = weights});
  const auto fit = fit_landmarks(points, kGaussian,
                                 {.components = 6,
                                  .center = center,
                                  .weights = weights,
                                  .landmark_rows = first_rows(points.rows()),
                                  .evaluation = evaluation});
  ASSERT_EQ(fit.model.components(), 6U);
  const double largest = exact.model.eigenvalues()[0];
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(fit.model.eigenvalues()[j], exact.model.eigenvalues()[j], 1e-9 * largest);
  }
  EXPECT_LT(
      largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
      1e-9);
  EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(fresh), exact.model.transform(fresh)),
            1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    FitLandmarks, EveryEvaluation,
    ::testing::Combine(::testing::Values(Evaluation::orthogonal, Evaluation::nystrom,
                                         Evaluation::density_weighted, Evaluation::subsample),
                       ::testing::Bool(), ::testing::Bool()));

TEST(FitLandmarks, EveryKernelWithAllRowsAsLandmarksIsExact) {
  for (const auto& kernel : testing::every_kernel()) {
    if (std::holds_alternative<Sigmoid>(kernel)) continue;
    SCOPED_TRACE(kernel_name(kernel));
    const auto points = testing::uniform_matrix(40, 6, 3);
    const auto exact = fit_exact(points, kernel, {.components = 3});
    const auto fit =
        fit_landmarks(points, kernel, {.components = 3, .landmark_rows = first_rows(40)});
    const double largest = exact.model.eigenvalues()[0];
    ASSERT_EQ(fit.model.components(), exact.model.components());
    for (std::size_t j = 0; j < fit.model.components(); ++j) {
      EXPECT_NEAR(fit.model.eigenvalues()[j], exact.model.eigenvalues()[j], 2e-9 * largest);
    }
    EXPECT_LT(
        largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
        1e-7 * std::sqrt(largest));
  }
}

struct Recorded : ::testing::Test {
  golden::Golden numbers = golden::Golden::load("landmarks/circle240.txt");
  Matrix<double> points = golden::Golden::load("exact/circle240.txt")["train"];
  Kernel kernel = Gaussian{.gamma = 1.0 / 32};

  void expect_agreement(const std::string& name, const std::vector<double>& weights) {
    const auto fit = fit_landmarks(
        points, kernel,
        {.components = 10, .weights = weights, .landmark_rows = first_rows(20), .certify = true});
    const auto eigenvalues = numbers.values(name + ".eigenvalues");
    for (std::size_t j = 0; j < eigenvalues.size(); ++j) {
      EXPECT_NEAR(fit.summary.eigenvalues[j], eigenvalues[j], 1e-9 * eigenvalues[0]);
    }
    const double residual = numbers.number(name + ".residual_trace");
    EXPECT_NEAR(*fit.summary.residual_trace_fraction, residual / fit.summary.total_weight, 1e-11);
    EXPECT_NEAR(fit.summary.total_variance->high, numbers.number(name + ".total_upper"), 1e-9);
    EXPECT_NEAR(fit.summary.total_variance->high - fit.summary.total_variance->low, residual, 1e-9);
    Matrix<double> fresh(1, 2);
    fresh(0, 0) = 5;
    fresh(0, 1) = -3;
    const auto scores = fit.model.transform(fresh);
    const auto recorded = numbers.values(name + ".absolute_new_scores");
    for (std::size_t j = 0; j < recorded.size(); ++j) {
      EXPECT_NEAR(std::abs(scores(0, j)), recorded[j], 1e-8);
    }
  }
};

TEST_F(Recorded, NystromOnTwentyRows) {
  expect_agreement("unit", {});
}

TEST_F(Recorded, WeightedNystromOnTwentyRows) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    weights.push_back(1 + static_cast<double>(i % 3));
  }
  expect_agreement("weighted", weights);
}

TEST_F(Recorded, NormsOfTheResidualFromAllPairs) {
  const auto fit = fit_landmarks(
      points, kernel, {.components = 4, .landmark_rows = first_rows(20), .certify = true});
  const auto bound = [&](const std::string& name) {
    for (const Bound& entry : fit.summary.bounds) {
      if (entry.name == name) return entry;
    }
    ADD_FAILURE() << "no bound " << name;
    return Bound{};
  };
  // Recorded numbers; all 240 rows are in the sample, so these are exact.
  EXPECT_NEAR(bound("residual_frobenius_norm").value, 2.132540358858287, 1e-9);
  EXPECT_NEAR(bound("residual_spectral_norm").value, 1.4587817781720358, 1e-9);
  EXPECT_NEAR(bound("centred_residual_mean").value, 0.1376571547708707, 1e-9);
  EXPECT_TRUE(bound("residual_spectral_norm").rigorous);
}

TEST(FitLandmarks, EigenvaluesGrowTowardsTheExactOnesWithinTheirIntervals) {
  const auto points = normal_matrix(1200, 6, 4);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  const auto exact = fit_exact(points, kernel, {.components = 8});
  std::vector<double> before(8, 0.0);
  for (const std::size_t m : {20U, 60U, 200U, 600U}) {
    const auto fit =
        fit_landmarks(points, kernel, {.components = 8, .landmark_rows = first_rows(m)});
    for (std::size_t j = 0; j < 8; ++j) {
      const double value = fit.summary.eigenvalues[j];
      const double truth = exact.summary.eigenvalues[j];
      EXPECT_GE(value, before[j] - 1e-9);
      EXPECT_LE(value, truth + 1e-8);
      EXPECT_EQ(fit.summary.eigenvalue_intervals[j].low, value);
      EXPECT_GE(fit.summary.eigenvalue_intervals[j].high, truth);
      before[j] = value;
    }
    const auto& total = *fit.summary.total_variance;
    EXPECT_LE(total.low, exact.summary.total_variance->high);
    EXPECT_GE(total.high, exact.summary.total_variance->high);
  }
}

TEST(FitLandmarks, TrainingScoresAreCentredWithTheEigenvaluesAsSquaredNorms) {
  const auto points = normal_matrix(3000, 5, 5, 1, 100);
  const auto fit =
      fit_landmarks(points, Gaussian{.gamma = 0.1}, {.components = 6, .landmarks = 150});
  const auto z = fit.model.transform(points);
  for (std::size_t j = 0; j < 6; ++j) {
    double sum = 0;
    double norm = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) {
      sum += z(i, j);
      norm += z(i, j) * z(i, j);
    }
    EXPECT_NEAR(sum / 3000, 0, 1e-10);
    EXPECT_NEAR(norm, fit.summary.eigenvalues[j], 1e-8 * fit.summary.eigenvalues[0]);
  }
  const auto residuals = fit.model.residual(points);
  const double mean = std::accumulate(residuals.begin(), residuals.end(), 0.0) / 3000;
  EXPECT_NEAR(mean, *fit.summary.reconstruction_error, 1e-9);
}

TEST(FitLandmarks, WeightsEqualRepetition) {
  const auto points = normal_matrix(300, 4, 6);
  std::vector<double> weights;
  for (std::size_t i = 0; i < 300; ++i) weights.push_back(1 + static_cast<double>(i % 4));
  const auto repeated = testing::repeat_rows(points, weights);
  std::vector<std::size_t> rows;
  std::vector<std::size_t> repeated_rows;
  std::size_t at = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    if (i % 5 == 0) {
      rows.push_back(i);
      repeated_rows.push_back(at);
    }
    at += static_cast<std::size_t>(weights[i]);
  }
  const Kernel kernel = Gaussian{.gamma = 0.2};
  const auto weighted =
      fit_landmarks(points, kernel, {.components = 5, .weights = weights, .landmark_rows = rows});
  const auto copied =
      fit_landmarks(repeated, kernel, {.components = 5, .landmark_rows = repeated_rows});
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(weighted.summary.eigenvalues[j], copied.summary.eigenvalues[j], 1e-9);
  }
  EXPECT_LT(largest_difference_up_to_sign(weighted.model.transform(points),
                                          copied.model.transform(points)),
            1e-8);
  EXPECT_NEAR(*weighted.summary.residual_trace_fraction, *copied.summary.residual_trace_fraction,
              1e-10);
}

std::vector<Selection> all_selections() {
  return {Selection::rpcholesky, Selection::uniform,  Selection::kmeans,   Selection::leverage,
          Selection::greedy,     Selection::farthest, Selection::automatic};
}

TEST(FitLandmarks, EverySelectionGivesAUsefulModelTheSameForAnyThreadsAndSource) {
  const auto points = normal_matrix(4100, 6, 7);
  for (const Selection selection : all_selections()) {
    SCOPED_TRACE(static_cast<int>(selection));
    const LandmarkOptions options{.components = 4, .landmarks = 60, .selection = selection};
    const auto one = fit_landmarks(points, kGaussian, options, {.threads = 1});
    const auto four = fit_landmarks(points, kGaussian, options, {.threads = 4});
    const auto source = rows_in_memory(points);
    const auto streamed = fit_landmarks(*source, kGaussian, options, {.threads = 2});
    EXPECT_TRUE(same_bits(one.model.coefficients(), four.model.coefficients()));
    EXPECT_TRUE(same_bits(one.model.coefficients(), streamed.model.coefficients()));
    EXPECT_TRUE(same_bits(one.model.library(), streamed.model.library()));
    EXPECT_EQ(one.summary.landmarks, 60U);
    EXPECT_LT(*one.summary.residual_trace_fraction, 0.5);
    EXPECT_GT(*one.summary.residual_trace_fraction, 0);
  }
}

TEST(FitLandmarks, TolerancesDecideTheNumberOfLandmarks) {
  const auto points = normal_matrix(4000, 4, 8);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  const auto loose = fit_landmarks(points, kernel, {.components = 4, .tolerance = 0.1});
  const auto tight = fit_landmarks(points, kernel, {.components = 4, .tolerance = 1e-3});
  EXPECT_LE(*loose.summary.residual_trace_fraction, 0.1);
  EXPECT_LE(*tight.summary.residual_trace_fraction, 1e-3);
  EXPECT_LT(*loose.summary.landmarks, *tight.summary.landmarks);
  EXPECT_EQ(tight.summary.termination.reason, TerminationReason::converged);
  // No more landmarks than needed.
  const auto& curve = tight.summary.error_curve;
  EXPECT_GT(curve[curve.size() - 2].error, 1e-3);

  const auto capped =
      fit_landmarks(points, kernel, {.components = 4, .tolerance = 1e-6, .max_landmarks = 64});
  EXPECT_EQ(capped.summary.termination.reason, TerminationReason::tolerance_missed);
  EXPECT_EQ(capped.summary.landmarks, 64U);
}

TEST(FitLandmarks, DefaultToleranceHoldsForTheTrueSubspace) {
  const auto points = normal_matrix(4000, 5, 9);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  const auto fit = fit_landmarks(points, kernel, {.components = 5});
  const auto exact = fit_exact(points, kernel, {.components = 5});
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::converged);
  const auto a = exact.model.transform(points);
  const auto b = fit.model.transform(points);
  // Sine of the largest angle between the column spaces: |(I - Qa Qa^T) Qb|, both with orthogonal
  // columns of norm sqrt(lambda).
  Matrix<double> cosines(5, 5);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      for (std::size_t l = 0; l < 5; ++l) {
        cosines(j, l) += a(i, j) * b(i, l) /
                         std::sqrt(exact.summary.eigenvalues[j] * fit.summary.eigenvalues[l]);
      }
    }
  }
  double outside = 0;
  for (std::size_t l = 0; l < 5; ++l) {
    double inside = 0;
    for (std::size_t j = 0; j < 5; ++j) inside += cosines(j, l) * cosines(j, l);
    outside += 1 - inside;
  }
  EXPECT_LT(std::sqrt(std::max(outside, 0.0)), 0.04);
}

TEST(FitLandmarks, CopiesEndTheChoiceAtTheirNumber) {
  const auto distinct = normal_matrix(40, 5, 10);
  Matrix<double> points(2000, 5);
  for (std::size_t i = 0; i < 2000; ++i) {
    std::ranges::copy(distinct.row(i % 40), points.row(i).begin());
  }
  const auto fit = fit_landmarks(points, kGaussian, {.components = 5, .landmarks = 200});
  EXPECT_EQ(fit.summary.landmarks, 40U);
  EXPECT_LT(*fit.summary.residual_trace_fraction, 1e-9);
  const auto exact = fit_exact(points, kGaussian, {.components = 5});
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j], 1e-7);
  }
}

TEST(FitLandmarks, SinglePrecisionIsCloseOrRefusedByItself) {
  const auto points = normal_matrix(20000, 16, 11);
  const Kernel kernel = Gaussian{.gamma = 1.0 / 32};
  LandmarkOptions options{.components = 10, .landmarks = 300, .selection = Selection::uniform};
  const auto wide = fit_landmarks(points, kernel, options);
  options.precision = Precision::float32;
  const auto narrow = fit_landmarks(points, kernel, options);
  const auto a = wide.model.transform(points);
  const auto b = narrow.model.transform(points);
  double scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) scale = std::max(scale, std::abs(a.data()[i]));
  EXPECT_LT(largest_difference_up_to_sign(a, b), 1e-4 * scale);
  bool told = false;
  for (const Choice& choice : narrow.summary.choices) told = told || choice.what == "precision";
  EXPECT_TRUE(told);

  // Nearly equal landmarks leave nothing of single precision: it must fall back.
  const auto close = normal_matrix(3000, 2, 12, 0.05);
  const auto safe =
      fit_landmarks(close, Gaussian{.gamma = 1},
                    {.components = 6, .precision = Precision::float32, .landmarks = 60});
  const auto truth = fit_landmarks(close, Gaussian{.gamma = 1}, {.components = 6, .landmarks = 60});
  ASSERT_EQ(safe.model.components(), truth.model.components());
  for (std::size_t j = 0; j < safe.model.components(); ++j) {
    EXPECT_NEAR(safe.summary.eigenvalues[j], truth.summary.eigenvalues[j],
                1e-4 * truth.summary.eigenvalues[j]);
  }
}

TEST(FitLandmarks, PolishedLandmarksLeaveLess) {
  const auto points = normal_matrix(6000, 12, 13);
  LandmarkOptions options{.components = 5, .landmarks = 80};
  const auto plain = fit_landmarks(points, Gaussian{}, options);
  options.polish = Polish::lloyd;
  const auto polished = fit_landmarks(points, Gaussian{}, options);
  EXPECT_LT(*polished.summary.residual_trace_fraction, *plain.summary.residual_trace_fraction);
}

TEST(FitLandmarks, RefinesWhenTheSampleMissedWhatIsRare) {
  // Most rows near one point, few far away: a sample of 20,000 hardly sees them.
  auto points = normal_matrix(60000, 3, 14, 0.01);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      points(i * 1000 + 7, j) = 20 * std::sin(static_cast<double>(i * 3 + j) * 1.7);
    }
  }
  const auto fit =
      fit_landmarks(points, Gaussian{.gamma = 0.5}, {.components = 5, .landmarks = 100});
  bool refined = false;
  for (const Choice& choice : fit.summary.choices) refined = refined || choice.what == "refinement";
  EXPECT_TRUE(refined);
  EXPECT_LT(*fit.summary.residual_trace_fraction, 1e-4);

  // A limit that ended the choice on the sample is still what ended it after the refinement.
  const auto limited =
      fit_landmarks(points, Gaussian{.gamma = 0.5}, {.components = 40, .max_landmarks = 32});
  EXPECT_EQ(limited.summary.termination.reason, TerminationReason::tolerance_missed);
  for (const Choice& choice : limited.summary.choices) {
    if (choice.what != "landmarks") continue;
    EXPECT_NE(choice.why.find("limit on landmarks"), std::string::npos) << choice.why;
  }
}

TEST(FitLandmarks, EdgesOfTheData) {
  const Kernel kernel = Gaussian{.gamma = 1};
  Matrix<double> one(1, 3);
  EXPECT_THROW(fit_landmarks(one, kernel, {.components = 2}), NumericalError);
  Matrix<double> equal(50, 3);
  EXPECT_THROW(fit_landmarks(equal, kernel, {.components = 2}), NumericalError);
  EXPECT_THROW(fit_landmarks(Matrix<double>(), kernel), DataError);
  auto bad = normal_matrix(50, 3, 1);
  bad(20, 1) = NAN;
  EXPECT_THROW(fit_landmarks(bad, kernel), DataError);
  const auto few = normal_matrix(7, 3, 1);
  const auto fit = fit_landmarks(few, kernel, {.components = 20, .landmarks = 100});
  EXPECT_LE(fit.model.components(), 6U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
  const auto line = normal_matrix(500, 1, 2);
  EXPECT_EQ(fit_landmarks(line, kernel, {.components = 3}).model.components(), 3U);
  // Linear kernels collapse to one vector of the space per component.
  const auto linear = fit_landmarks(normal_matrix(500, 4, 3, 1, 5), Linear{}, {.components = 3});
  EXPECT_EQ(linear.model.library_size(), 0U);
  EXPECT_EQ(linear.model.coefficients().rows(), 4U);
  for (const double scale : {1e-150, 1e150}) {
    const auto scaled = fit_landmarks(normal_matrix(400, 3, 4, scale), Gaussian{},
                                      {.components = 3, .landmarks = 50});
    const auto plain =
        fit_landmarks(normal_matrix(400, 3, 4), Gaussian{}, {.components = 3, .landmarks = 50});
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(scaled.summary.eigenvalues[j], plain.summary.eigenvalues[j], 1e-8);
    }
  }
}

TEST(FitLandmarks, RefusesWhatItCannotDo) {
  const auto points = normal_matrix(60, 3, 1);
  EXPECT_THROW(fit_landmarks(points, Sigmoid{.gamma = 0.1}), InvalidArgument);
  EXPECT_THROW(fit_landmarks(points, Polynomial{.gamma = 1, .coef0 = -1}), InvalidArgument);
  EXPECT_THROW(fit_landmarks(normal_matrix(4, 4, 1), Precomputed{}), InvalidArgument);
  const auto expect_refused = [&](const LandmarkOptions& options) {
    EXPECT_THROW(fit_landmarks(points, kGaussian, options), InvalidArgument);
  };
  expect_refused({.landmarks = 0});
  expect_refused({.components = 0});
  expect_refused({.weights = {1, 2}});
  expect_refused({.landmark_rows = {1, 60}});
  expect_refused({.landmark_rows = {1, 1}});
  expect_refused({.landmarks = 5, .landmark_rows = {1}});
  expect_refused({.landmarks = 5, .tolerance = 0.1});
  expect_refused({.tolerance = 1.5});
  expect_refused({.evaluation = Evaluation::nystrom, .certify = true});
  const auto source = rows_in_memory(points);
  EXPECT_THROW(fit_landmarks(*source, kGaussian, {.evaluation = Evaluation::nystrom}),
               InvalidArgument);
  EXPECT_THROW(fit_landmarks(points, kGaussian, {.landmarks = 50}, {.memory_limit_bytes = 10000}),
               MemoryLimitError);
}

TEST(FitLandmarks, CanBeCancelled) {
  const auto points = normal_matrix(5000, 3, 1);
  int polls = 0;
  EXPECT_THROW(
      fit_landmarks(points, kGaussian, {}, {.cancelled = [&polls] { return ++polls > 5; }}),
      Cancelled);
}

TEST(LandmarkPart, MergedPartsAreOnePass) {
  const auto points = normal_matrix(5000, 4, 15);
  const auto fit = fit_landmarks(points, kGaussian, {.components = 5, .landmarks = 80});
  LandmarkPart first(fit.model);
  LandmarkPart second(fit.model);
  first.add(points.view().rows_from(0, 1234));
  second.add(points.view().rows_from(1234, 5000 - 1234));
  const auto path = std::filesystem::path(::testing::TempDir()) / "landmark_part_test.part";
  second.save(path);
  first.merge(LandmarkPart::load(path));
  std::filesystem::remove(path);
  EXPECT_EQ(first.rows(), 5000U);
  const auto merged = first.finish({.components = 5});
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(merged.summary.eigenvalues[j], fit.summary.eigenvalues[j],
                1e-12 * fit.summary.eigenvalues[0]);
  }
  EXPECT_LT(
      largest_difference_up_to_sign(merged.model.transform(points), fit.model.transform(points)),
      1e-9);
}

TEST(LandmarkPart, RefusesPartsOfOtherLandmarks) {
  const auto points = normal_matrix(500, 3, 16);
  const auto one = fit_landmarks(points, kGaussian, {.components = 3, .landmarks = 20});
  const auto other = fit_landmarks(points, kGaussian, {.components = 3, .landmarks = 21});
  const auto narrower =
      fit_landmarks(points, Gaussian{.gamma = 0.3}, {.components = 3, .landmarks = 20});
  LandmarkPart part(one.model);
  EXPECT_THROW(part.merge(LandmarkPart(other.model)), InvalidArgument);
  EXPECT_THROW(part.merge(LandmarkPart(narrower.model)), InvalidArgument);
  EXPECT_THROW(part.finish(), DataError);
  EXPECT_THROW(part.add(normal_matrix(5, 4, 1)), DataError);
  EXPECT_THROW(LandmarkPart(fit_exact(points, kGaussian).model), InvalidArgument);
}

}  // namespace
}  // namespace mercer
