#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/greedy.h>
#include <mercer/landmarks.h>

#include "engine/kernel_matrix.h"
#include "golden/golden.h"
#include "numbers.h"
#include "summary_fields.h"

namespace mercer {
namespace {

using testing::bound;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::reason;

constexpr PivotRule kRules[] = {PivotRule::sampled_best, PivotRule::best, PivotRule::max_residual,
                                PivotRule::random};

/// alpha^T K alpha - 1 in its largest entry.
double departure_from_orthonormal(const Model& model) {
  engine::Workers workers{{.threads = 1}};
  const auto gram =
      engine::kernel_matrix(model.kernel(), model.library(), model.library(), workers);
  double worst = 0;
  for (std::size_t a = 0; a < model.components(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = a == b ? -1 : 0;
      for (std::size_t i = 0; i < gram.rows(); ++i) {
        for (std::size_t j = 0; j < gram.cols(); ++j) {
          sum += model.coefficients()(i, a) * gram(i, j) * model.coefficients()(j, b);
        }
      }
      worst = std::max(worst, std::abs(sum));
    }
  }
  return worst;
}

class GreedyGolden : public ::testing::Test {
 protected:
  golden::Golden recorded_ = golden::Golden::load("greedy/circle240.txt");
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  const Matrix<double>& points_ = exact_["train"];
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
};

TEST_F(GreedyGolden, OneBlockHasTheRecordedVariancesAndScores) {
  for (const auto& [rule, name] : {std::pair(PivotRule::max_residual, std::string("max_residual")),
                                   std::pair(PivotRule::best, std::string("best"))}) {
    GreedyOptions options{.components = 5};
    options.library = {.rule = rule, .mse = 1e-3};
    const Fit fit = fit_greedy(points_, kernel_, options);
    EXPECT_EQ(fit.model.library_size(), static_cast<std::size_t>(recorded_.number(name + ".size")));
    EXPECT_NEAR(bound(fit.summary, "mean_square_residual"), recorded_.number(name + ".mse"), 1e-11);
    EXPECT_EQ(reason(fit.summary, "library"), "the mean square is at most 0.001");
    if (rule != PivotRule::max_residual) continue;
    const auto variances = recorded_.values(name + ".variances");
    double kept = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(fit.summary.eigenvalues[i], variances[i], 2e-9);
      kept += fit.summary.eigenvalues[i];
    }
    const auto scores = fit.model.transform(exact_["new"]);
    const auto expected = recorded_.values(name + ".absolute_new_scores");
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(scores(0, i)), expected[i], 2e-9);
    // eps_MS and the variance left out make the reconstruction error, which is the mean of the
    // residuals of the rows themselves.
    const auto residuals = fit.model.residual(points_);
    double mean = 0;
    for (const double residual : residuals) mean += residual / 240;
    EXPECT_NEAR(*fit.summary.reconstruction_error, mean, 1e-12);
    EXPECT_NEAR(fit.summary.total_variance->high - kept, 240 * *fit.summary.reconstruction_error,
                1e-10);
  }
}

TEST_F(GreedyGolden, TenBestPivotsLeaveTheRecordedError) {
  GreedyOptions options{.components = 3};
  options.library = {.rule = PivotRule::best, .max_library = 10};
  const Fit fit = fit_greedy(points_, kernel_, options);
  EXPECT_EQ(fit.model.library_size(), 10U);
  EXPECT_NEAR(bound(fit.summary, "mean_square_residual"), recorded_.number("best.mse_10"), 1e-11);
  EXPECT_EQ(reason(fit.summary, "library"), "asked for");
}

// The pivots of largest residual are those that landmarks call greedy: two ways to one model.
TEST_F(GreedyGolden, LargestResidualsAreTheGreedyLandmarks) {
  GreedyOptions options{.components = 6};
  options.library = {.rule = PivotRule::max_residual, .max_library = 30};
  LandmarkOptions landmarks{.components = 6};
  landmarks.landmarks = 30;
  landmarks.selection = Selection::greedy;
  const auto a = fit_greedy(points_, kernel_, options).model.transform(exact_["new"]);
  const auto b = fit_landmarks(points_, kernel_, landmarks).model.transform(exact_["new"]);
  EXPECT_LT(largest_difference_up_to_sign(a, b), 1e-9);
}

RC_GTEST_PROP(Greedy, ComponentsAreOrthonormalAndErrorsBoundTheExactOnes, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 90);
  const auto d = *rc::gen::inRange<std::size_t>(1, 6);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const PivotRule rule =
      *rc::gen::elementOf(std::vector<PivotRule>(std::begin(kRules), std::end(kRules)));
  const bool center = *rc::gen::element(true, false);
  const bool weighted = *rc::gen::element(true, false);
  const auto points = normal_matrix(n, d, seed);
  GreedyOptions options{.components = 3, .center = center};
  if (weighted) {
    for (std::size_t i = 0; i < n; ++i) options.weights.push_back(1 + static_cast<double>(i % 3));
  }
  options.library = {.rule = rule, .mse = 1e-2};
  const Kernel kernel = Gaussian{.gamma = 0.3 / static_cast<double>(d)};
  const Fit fit = fit_greedy(points, kernel, options, {.threads = 2, .seed = seed});
  const Fit exact =
      fit_exact(points, kernel, {.components = 3, .center = center, .weights = options.weights});
  RC_ASSERT(departure_from_orthonormal(fit.model) < 1e-9);
  RC_ASSERT(bound(fit.summary, "mean_square_residual") <= 1e-2);
  for (std::size_t i = 0; i < fit.summary.components; ++i) {
    const auto interval = fit.summary.eigenvalue_intervals[i];
    RC_ASSERT(exact.summary.eigenvalues[i] >= interval.low - 1e-9);
    RC_ASSERT(exact.summary.eigenvalues[i] <= interval.high + 1e-9);
  }
  if (fit.summary.components == 3) {
    RC_ASSERT(*exact.summary.reconstruction_error <= *fit.summary.reconstruction_error + 1e-9);
  }
}

TEST(Greedy, AWholeLibraryIsExactKernelPca) {
  const auto points = normal_matrix(60, 3, 1);
  const Kernel kernel = Gaussian{.gamma = 0.5};
  for (const PivotRule rule : kRules) {
    GreedyOptions options{.components = 5};
    options.library = {.rule = rule, .max_library = 60};
    const Fit fit = fit_greedy(points, kernel, options);
    const Fit exact = fit_exact(points, kernel, {.components = 5});
    EXPECT_LT(
        largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
        1e-8);
  }
}

TEST(Greedy, ErrorsFallAsTheLibraryGrows) {
  const auto points = normal_matrix(200, 4, 2);
  for (const PivotRule rule : kRules) {
    double before = INFINITY;
    for (const std::size_t size : {5U, 10U, 20U, 40U}) {
      GreedyOptions options{.components = 2};
      options.library = {.rule = rule, .max_library = size};
      const Fit fit = fit_greedy(points, Gaussian{.gamma = 0.1}, options);
      const double error = bound(fit.summary, "mean_square_residual");
      EXPECT_LT(error, before);
      before = error;
    }
  }
}

TEST(Greedy, StopsByTheLargestErrorToo) {
  const auto points = normal_matrix(150, 2, 3);
  const Kernel kernel = Gaussian{.gamma = 0.4};
  GreedyOptions options{.components = 2};
  options.library.max_error = 0.05;
  const Fit fit = fit_greedy(points, kernel, options);
  EXPECT_EQ(reason(fit.summary, "library"), "no row is farther than 0.05, squared");
  EXPECT_LE(bound(fit.summary, "mean_square_residual"), 0.05);
}

TEST(Greedy, TheDefaultTargetFollowsTheScaleOfTheKernel) {
  const auto points = normal_matrix(200, 3, 4);
  Matrix<double> large(points);
  for (std::size_t i = 0; i < large.size(); ++i) large.data()[i] *= 1000;
  const Fit small = fit_greedy(points, Polynomial{.gamma = 1, .degree = 2, .coef0 = 0});
  const Fit scaled = fit_greedy(large, Polynomial{.gamma = 1, .degree = 2, .coef0 = 0});
  EXPECT_EQ(small.model.library_size(), scaled.model.library_size());
  EXPECT_LE(*small.summary.residual_trace_fraction, 1e-3);
}

TEST(Greedy, LinearModelsKeepAxesInsteadOfALibrary) {
  const auto points = normal_matrix(100, 4, 5, 1, 3);
  GreedyOptions options{.components = 4};
  options.library.mse = 1e-12;
  const Fit fit = fit_greedy(points, Linear{}, options);
  const Fit exact = fit_exact(points, Linear{}, {.components = 4});
  EXPECT_EQ(fit.model.library_size(), 0U);
  EXPECT_EQ(fit.model.coefficients().rows(), 4U);
  EXPECT_LT(
      largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
      1e-9);
}

TEST(Greedy, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(500, 5, 6);
  for (const PivotRule rule : kRules) {
    GreedyOptions options{.components = 4};
    options.library = {.rule = rule, .mse = 1e-2};
    const Fit one = fit_greedy(points, Gaussian{.gamma = 0.1}, options, {.threads = 1});
    const Fit three = fit_greedy(points, Gaussian{.gamma = 0.1}, options, {.threads = 3});
    EXPECT_TRUE(testing::same_bits(one.model.library(), three.model.library()));
    EXPECT_TRUE(testing::same_bits(one.model.coefficients(), three.model.coefficients()));
    EXPECT_EQ(one.summary.eigenvalues, three.summary.eigenvalues);
  }
}

TEST(Greedy, CountsKernelEvaluations) {
  const auto points = normal_matrix(300, 2, 7);
  GreedyOptions options{.components = 2};
  options.library = {.rule = PivotRule::random, .max_library = 12};
  const Kernel kernel = Gaussian{.gamma = 0.2};
  EXPECT_EQ(fit_greedy(points, kernel, options).summary.kernel_evaluations, 300U * 12 + 12);
  // Those among the few rows that are looked at before pivots are taken come on top.
  options.library.rule = PivotRule::max_residual;
  const auto count = fit_greedy(points, kernel, options).summary.kernel_evaluations;
  EXPECT_GE(count, 300U * 12 + 12);
  EXPECT_LE(count, 300U * 12 + 2 * 12 * 4 * 4);
}

TEST(Greedy, DuplicatesLeaveTheirRank) {
  Matrix<double> points(50, 2);
  for (std::size_t i = 0; i < 50; ++i) points(i, 0) = static_cast<double>(i % 3);
  const Fit fit = fit_greedy(points, Gaussian{.gamma = 1});
  EXPECT_EQ(fit.model.library_size(), 3U);
  EXPECT_EQ(fit.summary.components, 2U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(Greedy, RefusesWithReasons) {
  const auto points = normal_matrix(10, 2, 8);
  EXPECT_THROW(fit_greedy(points, Sigmoid{.gamma = 1}), InvalidArgument);
  EXPECT_THROW(fit_greedy(points, Polynomial{.coef0 = -1}), InvalidArgument);
  EXPECT_THROW(fit_greedy(points, Precomputed{}), InvalidArgument);
  EXPECT_THROW(fit_greedy(points, Custom{[](auto, auto) { return -1.0; }}), InvalidArgument);
  EXPECT_THROW(fit_greedy(Matrix<double>(0, 2), Gaussian{.gamma = 1}), DataError);
  Matrix<double> broken(points);
  broken(3, 1) = NAN;
  EXPECT_THROW(fit_greedy(broken, Gaussian{.gamma = 1}), DataError);
  EXPECT_THROW(fit_greedy(Matrix<double>(5, 2), Gaussian{.gamma = 1}), NumericalError);
  EXPECT_THROW(fit_greedy(points, Gaussian{.gamma = 1}, {.weights = {1, 2}}), InvalidArgument);
  for (const LibraryOptions& library :
       {LibraryOptions{.candidates = 0}, LibraryOptions{.mse = 0}, LibraryOptions{.mse = NAN},
        LibraryOptions{.max_error = -1}, LibraryOptions{.max_library = 0}}) {
    GreedyOptions options;
    options.library = library;
    EXPECT_THROW(fit_greedy(points, Gaussian{.gamma = 1}, options), InvalidArgument);
  }
  GreedyOptions far;
  far.library.mse = 5;
  EXPECT_THROW(fit_greedy(points, Gaussian{.gamma = 1}, far), NumericalError);
}

TEST(Greedy, TheMemoryLimitEndsTheLibraryAndIsReported) {
  const auto points = normal_matrix(1000, 5, 9);
  GreedyOptions options{.components = 2};
  options.library.mse = 1e-6;
  const Fit fit =
      fit_greedy(points, Gaussian{.gamma = 0.2}, options, {.memory_limit_bytes = 300'000});
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::tolerance_missed);
  EXPECT_LE(fit.model.library_size(), 32U);
  EXPECT_THROW(fit_greedy(points, Gaussian{.gamma = 0.2}, options, {.memory_limit_bytes = 1000}),
               MemoryLimitError);
}

TEST(Greedy, CanBeCancelled) {
  const auto points = normal_matrix(500, 5, 10);
  int polls = 0;
  RunOptions run;
  run.cancelled = [&] { return ++polls > 20; };
  EXPECT_THROW(fit_greedy(points, Gaussian{.gamma = 0.2}, {}, run), Cancelled);
}

}  // namespace
}  // namespace mercer
