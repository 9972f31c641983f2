#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>

#include "engine/every_kernel.h"
#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::every_kernel;
using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::same_bits;
using testing::uniform_matrix;

bool takes_histograms(const Kernel& kernel) {
  return kernel_name(kernel).find("chi2") != std::string::npos;
}

TEST(FitExact, EqualsTheTextbookForEveryKernel) {
  for (const Kernel& kernel : every_kernel()) {
    const bool histogram = takes_histograms(kernel);
    const auto points = histogram ? uniform_matrix(70, 5, 1) : normal_matrix(70, 5, 1);
    const auto fresh = histogram ? uniform_matrix(9, 5, 2) : normal_matrix(9, 5, 2);
    for (const bool center : {true, false}) {
      SCOPED_TRACE(kernel_name(kernel) + (center ? " centred" : " uncentred"));
      const auto expected = engine::reference::kernel_pca(
          engine::reference::kernel_matrix(kernel, points, points),
          engine::reference::kernel_matrix(kernel, fresh, points), 4, center);
      const auto fit = fit_exact(points, kernel, {.components = 4, .center = center});
      ASSERT_EQ(fit.summary.eigenvalues.size(), 4U);
      const double largest = expected.eigenvalues[0];
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(fit.summary.eigenvalues[i], expected.eigenvalues[i], 1e-12 * largest);
        EXPECT_NEAR(fit.summary.explained_variance_ratio[i],
                    expected.eigenvalues[i] / expected.total_variance, 1e-12);
      }
      EXPECT_NEAR(fit.summary.total_variance->low, expected.total_variance, 1e-11 * largest);
      EXPECT_LT(
          largest_difference_up_to_sign(fit.model.transform(points), expected.training_scores),
          1e-9);
      EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(fresh), expected.new_scores),
                1e-9);
      EXPECT_EQ(fit.summary.termination.reason, TerminationReason::converged);
      EXPECT_LT(*fit.summary.solver_residual, 1e-13);
    }
  }
}

TEST(FitExact, BothSolversAndStoragesAgree) {
  const auto points = normal_matrix(700, 6, 1);
  const auto dense = fit_exact(points, Gaussian{0.05}, {.solver = EigenSolver::dense});
  for (const auto storage : {GramStorage::stored, GramStorage::matrix_free}) {
    const auto krylov = fit_exact(points, Gaussian{0.05},
                                  {.solver = EigenSolver::block_krylov, .storage = storage});
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(krylov.summary.eigenvalues[i], dense.summary.eigenvalues[i],
                  1e-12 * dense.summary.eigenvalues[0]);
    }
    EXPECT_LT(*krylov.summary.solver_residual, 1e-11);
    EXPECT_LT(
        largest_difference_up_to_sign(krylov.model.coefficients(), dense.model.coefficients()),
        1e-9);
  }
}

TEST(FitExact, IntegerWeightsEqualRepetition) {
  for (const Kernel& kernel : every_kernel()) {
    const auto points =
        takes_histograms(kernel) ? uniform_matrix(60, 4, 1) : normal_matrix(60, 4, 1);
    std::vector<double> weights(60);
    for (std::size_t i = 0; i < 60; ++i) weights[i] = 1.0 + static_cast<double>(i % 4);
    const auto repeated = testing::repeat_rows(points, weights);
    for (const bool center : {true, false}) {
      SCOPED_TRACE(kernel_name(kernel));
      const auto weighted =
          fit_exact(points, kernel, {.components = 3, .center = center, .weights = weights});
      const auto copied = fit_exact(repeated, kernel, {.components = 3, .center = center});
      const double largest = copied.summary.eigenvalues[0];
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(weighted.summary.eigenvalues[i], copied.summary.eigenvalues[i],
                    1e-12 * largest);
      }
      EXPECT_NEAR(weighted.summary.total_variance->low, copied.summary.total_variance->low,
                  1e-11 * largest);
      EXPECT_EQ(weighted.summary.total_weight, static_cast<double>(repeated.rows()));
      EXPECT_NEAR(*weighted.summary.reconstruction_error, *copied.summary.reconstruction_error,
                  1e-11);
      EXPECT_LT(largest_difference_up_to_sign(weighted.model.transform(points),
                                              copied.model.transform(points)),
                1e-9);
    }
  }
}

TEST(FitExact, WeightsEqualRepetitionInTheIterativeSolverToo) {
  const auto points = normal_matrix(800, 5, 1);
  std::vector<double> weights(800);
  for (std::size_t i = 0; i < 800; ++i) weights[i] = 1.0 + static_cast<double>(i % 3);
  const auto weighted =
      fit_exact(points, Gaussian{0.1}, {.weights = weights, .solver = EigenSolver::block_krylov});
  const auto copied = fit_exact(testing::repeat_rows(points, weights), Gaussian{0.1});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(weighted.summary.eigenvalues[i], copied.summary.eigenvalues[i], 1e-9);
  }
}

TEST(FitExact, TrainingScoresHaveTheNormOfTheirEigenvalue) {
  const auto points = normal_matrix(600, 4, 1);
  const auto fit = fit_exact(points, Matern32{2.0}, {.components = 5});
  const auto z = fit.model.transform(points);
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < 600; ++i) dot += z(i, a) * z(i, b);
      EXPECT_NEAR(dot, a == b ? fit.summary.eigenvalues[a] : 0, 1e-9);
    }
  }
}

TEST(FitExact, LargestCoefficientIsPositive) {
  const auto fit = fit_exact(normal_matrix(600, 4, 1), Gaussian{0.1});
  const auto b = fit.model.coefficients();
  for (std::size_t j = 0; j < b.cols(); ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < b.rows(); ++i) {
      if (std::abs(b(i, j)) > std::abs(largest)) largest = b(i, j);
    }
    EXPECT_GT(largest, 0);
  }
}

TEST(FitExact, SameBitsForAnyNumberOfThreads) {
  const auto points = normal_matrix(1300, 7, 1);
  for (const auto precision : {Precision::float64, Precision::float32}) {
    for (const auto storage : {GramStorage::stored, GramStorage::matrix_free}) {
      const ExactOptions options{.precision = precision, .storage = storage};
      const auto one = fit_exact(points, Gaussian{}, options, {.threads = 1, .seed = 3});
      for (const std::size_t threads : {2U, 4U}) {
        const auto many = fit_exact(points, Gaussian{}, options, {.threads = threads, .seed = 3});
        EXPECT_EQ(one.summary.eigenvalues, many.summary.eigenvalues);
        EXPECT_TRUE(same_bits(one.model.coefficients(), many.model.coefficients()));
        EXPECT_TRUE(std::ranges::equal(one.model.offset(), many.model.offset()));
      }
    }
  }
}

TEST(FitExact, DenseSolverGivesTheSameBitsForAnyNumberOfThreads) {
  const auto points = normal_matrix(400, 7, 1);
  const auto one = fit_exact(points, Laplacian{}, {}, {.threads = 1});
  const auto four = fit_exact(points, Laplacian{}, {}, {.threads = 4});
  EXPECT_TRUE(same_bits(one.model.coefficients(), four.model.coefficients()));
}

TEST(FitExact, SinglePrecisionIsGoodToFiveDigits) {
  const auto points = normal_matrix(900, 8, 1);
  const auto exact = fit_exact(points, Gaussian{});
  const auto single = fit_exact(points, Gaussian{}, {.precision = Precision::float32});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(single.summary.eigenvalues[i] / exact.summary.eigenvalues[i], 1, 1e-5);
  }
  EXPECT_EQ(single.summary.termination.reason, TerminationReason::converged);
}

TEST(FitExact, RetainsTheFractionAskedFor) {
  const auto points = normal_matrix(900, 3, 1);
  const auto all = fit_exact(points, Gaussian{0.05}, {.components = 200});
  for (const double fraction : {0.3, 0.9, 0.999}) {
    const auto fit = fit_exact(points, Gaussian{0.05}, {.retain = fraction});
    const std::size_t k = fit.summary.components;
    double sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += all.summary.explained_variance_ratio[i];
    EXPECT_GE(sum, fraction - 1e-10);
    EXPECT_LT(sum - all.summary.explained_variance_ratio[k - 1], fraction);
  }
}

TEST(FitExact, KeepsEigenvaluesDownToTheOneAskedFor) {
  const auto points = normal_matrix(900, 3, 1);
  const auto all = fit_exact(points, Gaussian{0.05}, {.components = 60});
  const double threshold = all.summary.eigenvalues[40];
  const auto fit = fit_exact(points, Gaussian{0.05}, {.min_eigenvalue = threshold * (1 - 1e-9)});
  EXPECT_EQ(fit.summary.components, 41U);
}

TEST(FitExact, ResidualsAverageToTheReconstructionError) {
  const auto points = normal_matrix(600, 4, 1);
  for (const bool center : {true, false}) {
    const auto fit = fit_exact(points, Gaussian{0.1}, {.center = center});
    double sum = 0;
    for (const double residual : fit.model.residual(points)) sum += residual;
    EXPECT_NEAR(sum / 600, *fit.summary.reconstruction_error, 1e-12);
  }
}

TEST(FitExact, PrecomputedEqualsTheKernelItCameFrom) {
  const auto points = normal_matrix(600, 4, 1);
  const auto fresh = normal_matrix(20, 4, 2);
  const Kernel kernel = Gaussian{0.1};
  const auto gram = engine::reference::kernel_matrix(kernel, points, points);
  const auto cross = engine::reference::kernel_matrix(kernel, fresh, points);
  const auto direct = fit_exact(points, kernel);
  const auto precomputed = fit_exact(gram, Precomputed{});
  EXPECT_EQ(precomputed.model.input_columns(), 600U);
  EXPECT_LT(largest_difference(precomputed.model.transform(cross), direct.model.transform(fresh)),
            1e-9);
  EXPECT_THROW(precomputed.model.residual(cross), InvalidArgument);
}

TEST(FitExact, CustomEqualsTheKernelItImitates) {
  const auto points = normal_matrix(600, 4, 1);
  const auto fresh = normal_matrix(20, 4, 2);
  const Custom custom{[](std::span<const double> x, std::span<const double> y) {
    return engine::kernel_value(Gaussian{0.1}, x, y);
  }};
  const auto direct = fit_exact(points, Gaussian{0.1});
  const auto imitated = fit_exact(points, custom);
  EXPECT_LT(largest_difference(imitated.model.transform(fresh), direct.model.transform(fresh)),
            1e-9);
  EXPECT_LT(std::abs(imitated.model.residual(fresh)[0] - direct.model.residual(fresh)[0]), 1e-9);
}

TEST(FitExact, ReportsWhatItDid) {
  const auto points = normal_matrix(600, 4, 1);
  const auto fit = fit_exact(points, Gaussian{}, {}, {.threads = 2, .seed = 5});
  const Summary& s = fit.summary;
  EXPECT_EQ(s.method, "exact");
  EXPECT_EQ(s.kernel, "gaussian");
  ASSERT_EQ(s.kernel_parameters.size(), 1U);
  EXPECT_EQ(s.n, 600U);
  EXPECT_EQ(s.d, 4U);
  EXPECT_EQ(s.library_size, 600U);
  EXPECT_EQ(s.kernel_evaluations, 600U * 601 / 2);
  EXPECT_EQ(s.threads, 2U);
  EXPECT_EQ(s.seed, 5U);
  EXPECT_GT(s.seconds, 0);
  double phases = 0;
  for (const Phase& phase : s.phases) phases += phase.seconds;
  EXPECT_LE(phases, s.seconds);
  EXPECT_GT(s.peak_memory_bytes, 0U);
  bool bandwidth_explained = false;
  for (const Choice& choice : s.choices) bandwidth_explained |= choice.what == "gamma";
  EXPECT_TRUE(bandwidth_explained);
}

TEST(FitExact, TellsItsProgressAndCanBeCancelled) {
  const auto points = normal_matrix(3000, 4, 1);
  RunOptions run;
  run.threads = 2;
  std::vector<std::string> phases;
  run.progress = [&](const Progress& progress) {
    EXPECT_GE(progress.fraction, 0);
    EXPECT_LE(progress.fraction, 1);
    if (phases.empty() || phases.back() != progress.phase) phases.emplace_back(progress.phase);
  };
  fit_exact(points, Gaussian{}, {}, run);
  EXPECT_EQ(phases, (std::vector<std::string>{"bandwidth", "gram", "eigenpairs", "model"}));
  int polls = 0;
  run.cancelled = [&] { return ++polls > 20; };
  EXPECT_THROW(fit_exact(points, Gaussian{}, {}, run), Cancelled);
}

RC_GTEST_PROP(FitExactProperty, FullRankReproducesTheCentredGramMatrix, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 40);
  const auto d = *rc::gen::inRange<std::size_t>(1, 6);
  const auto gamma = *rc::gen::inRange(1, 40) / 20.0;
  const auto points = normal_matrix(n, d, 100 * n + d);
  const auto fit = fit_exact(points, Gaussian{gamma}, {.components = n, .center = false});
  const auto z = fit.model.transform(points);
  const auto gram = engine::reference::kernel_matrix(Gaussian{gamma}, points, points);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double dot = 0;
      for (std::size_t c = 0; c < z.cols(); ++c) dot += z(i, c) * z(j, c);
      RC_ASSERT(std::abs(dot - gram(i, j)) < 1e-6);
    }
  }
}

RC_GTEST_PROP(FitExactProperty, OrderOfThePointsDoesNotMatter, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(5, 60);
  const auto points = normal_matrix(n, 3, n);
  Matrix<double> reversed(n, 3);
  for (std::size_t i = 0; i < n; ++i)
    std::ranges::copy(points.row(n - 1 - i), reversed.row(i).begin());
  const auto a = fit_exact(points, Gaussian{0.3}, {.components = 3});
  const auto b = fit_exact(reversed, Gaussian{0.3}, {.components = 3});
  for (std::size_t i = 0; i < a.summary.components; ++i) {
    RC_ASSERT(std::abs(a.summary.eigenvalues[i] - b.summary.eigenvalues[i]) < 1e-11);
  }
}

}  // namespace
}  // namespace mercer
