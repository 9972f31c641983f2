#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/randomized.h>

#include "engine/kernel_value.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;

std::vector<RandomizedOptions> some_of_all(std::size_t components) {
  return {{.components = components},
          {.components = components, .control = ControlVariate::none},
          {.components = components, .sparsify = 2, .control = ControlVariate::mean},
          {.components = components, .sparsify = 2, .control = ControlVariate::row_columns},
          {.components = components, .quantize = EntryLevels::sign},
          {.components = components, .quantize = EntryLevels::zero_one},
          {.components = components, .quantize = EntryLevels::min_max, .certify = true},
          {.components = components, .sparsify = 3, .quantize = EntryLevels::min_max},
          {.components = components,
           .solver = RandomizedSolver::orthogonal,
           .rayleigh = true,
           .certify = true}};
}

TEST(RandomizedEdges, OnePointHasNothingToCentre) {
  const Matrix<double> point = normal_matrix(1, 3, 1);
  for (RandomizedOptions options : some_of_all(3)) {
    EXPECT_THROW(fit_randomized(point, Gaussian{1.0}, options), NumericalError);
    options.center = false;
    const auto fit = fit_randomized(point, Gaussian{1.0}, options);
    EXPECT_EQ(fit.summary.components, 1U);
    EXPECT_NEAR(fit.summary.eigenvalues[0], 1, 1e-12);
    EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
  }
}

TEST(RandomizedEdges, FewPointsManyComponents) {
  for (const std::size_t n : {2U, 3U, 5U, 20U}) {
    const auto points = normal_matrix(n, 2, n);
    for (RandomizedOptions options : some_of_all(30)) {
      options.center = false;
      const auto fit = fit_randomized(points, Gaussian{0.5}, options);
      EXPECT_GE(fit.summary.components, 1U);
      EXPECT_LE(fit.summary.components, n);
      for (const double value : fit.summary.eigenvalues) EXPECT_GT(value, 0);
      const auto scores = fit.model.transform(points);
      for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_TRUE(std::isfinite(scores.data()[i]));
    }
  }
}

TEST(RandomizedEdges, EqualPointsHaveOneDirectionAndCollinearOnesTwo) {
  const Matrix<double> equal = normal_matrix(60, 2, 1, 0, 3);
  for (RandomizedOptions options : some_of_all(4)) {
    // Rounding makes no noise of entries that are a level, nor of those that a control has.
    if (options.quantize == EntryLevels::sign ||
        options.control.value_or(ControlVariate::nystrom) == ControlVariate::none ||
        (options.quantize == EntryLevels::min_max && options.sparsify)) {
      continue;
    }
    options.center = false;
    const auto fit = fit_randomized(equal, Gaussian{1.0}, options);
    EXPECT_EQ(fit.summary.components, 1U);
    EXPECT_NEAR(fit.summary.eigenvalues[0], 60, 1e-9);
    options.center = true;
    EXPECT_THROW(fit_randomized(equal, Gaussian{1.0}, options), NumericalError);
  }
  Matrix<double> line(300, 3);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 3; ++j) line(i, j) = static_cast<double>(i) * 0.01;
  }
  const auto fit = fit_randomized(line, Linear{}, {.components = 3});
  EXPECT_EQ(fit.summary.components, 1U);
}

TEST(RandomizedEdges, DuplicatesConstantColumnsAndOneDimension) {
  auto points = normal_matrix(200, 3, 4);
  for (std::size_t i = 100; i < 200; ++i)
    std::ranges::copy(points.row(i - 100), points.row(i).begin());
  for (std::size_t i = 0; i < 200; ++i) points(i, 1) = 7;
  for (const RandomizedOptions& options : some_of_all(4)) {
    EXPECT_EQ(fit_randomized(points, Gaussian{0.5}, options).summary.components, 4U);
  }
  const auto line = normal_matrix(150, 1, 5);
  for (const RandomizedOptions& options : some_of_all(2)) {
    EXPECT_EQ(fit_randomized(line, Laplacian{1.0}, options).summary.components, 2U);
  }
}

TEST(RandomizedEdges, ScalesFromTinyToHuge) {
  const auto unit = normal_matrix(120, 3, 6);
  const auto reference = fit_randomized(unit, Linear{}, {.components = 2});
  for (const double scale : {1e-100, 1e-10, 1e10, 1e100}) {
    Matrix<double> points(unit);
    for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] *= scale;
    const auto fit = fit_randomized(points, Linear{}, {.components = 2});
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(fit.summary.eigenvalues[j] / (scale * scale) / reference.summary.eigenvalues[j],
                  1, 1e-6);
    }
  }
  Matrix<double> huge(unit);
  for (std::size_t i = 0; i < huge.size(); ++i) huge.data()[i] *= 1e200;
  EXPECT_THROW(fit_randomized(huge, Linear{}, {.components = 2}), NumericalError);
}

TEST(RandomizedEdges, BadNumbersAreNamed) {
  auto points = normal_matrix(20, 2, 1);
  points(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(fit_randomized(points, Gaussian{1.0}), DataError);
  points(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(fit_randomized(points, Gaussian{1.0}), DataError);
  EXPECT_THROW(fit_randomized(Matrix<double>(0, 2), Gaussian{1.0}), DataError);
}

TEST(RandomizedEdges, IndefiniteKernelsKeepTheirPositivePart) {
  const auto points = normal_matrix(700, 3, 2);
  const Kernel kernel = Sigmoid{.gamma = 0.5, .coef0 = -0.5};
  const auto exact = fit_exact(points, kernel, {.components = 2});
  for (const RandomizedSolver solver : {RandomizedSolver::krylov, RandomizedSolver::orthogonal}) {
    const auto fit = fit_randomized(
        points, kernel, {.components = 2, .sparsify = 2, .solver = solver, .certify = true});
    double norm = 0;
    for (const Bound& b : fit.summary.bounds) {
      if (b.name == "error_norm_measured") norm = b.value;
    }
    EXPECT_GT(norm, 0);
    for (std::size_t j = 0; j < 2; ++j) {
      // Weyl's inequality; the norm is iterated from below.
      EXPECT_NEAR(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j], 1.05 * norm);
    }
  }
  const auto bits =
      fit_randomized(points, kernel, {.components = 2, .quantize = EntryLevels::sign});
  EXPECT_EQ(bits.summary.components, 2U);
}

TEST(RandomizedEdges, ZeroOneNeedsAKernelWithoutNegativeValues) {
  const auto points = normal_matrix(50, 2, 2);
  EXPECT_THROW(
      fit_randomized(points, Linear{}, {.components = 1, .quantize = EntryLevels::zero_one}),
      InvalidArgument);
  const auto positive = testing::uniform_matrix(50, 2, 2);
  EXPECT_NO_THROW(
      fit_randomized(positive, Linear{}, {.components = 1, .quantize = EntryLevels::zero_one}));
}

TEST(RandomizedEdges, OptionsOutOfRangeAreNamed) {
  const auto refused = [](const RandomizedOptions& options, const std::string& name) {
    try {
      options.validate();
      ADD_FAILURE() << name;
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
    }
  };
  refused({.components = 0}, "components");
  refused({.sparsify = 0.5}, "sparsify is 0.5");
  refused({.sparsify = std::numeric_limits<double>::quiet_NaN()}, "sparsify");
  refused({.sparsify = std::numeric_limits<double>::infinity()}, "sparsify");
  refused({.control_landmarks = 0}, "control_landmarks");
  refused({.solver_tolerance = 0}, "solver_tolerance");
  refused({.max_products = 2}, "max_products");
  refused({.quantize = EntryLevels::zero_one, .control = ControlVariate::mean}, "zero_one");
  EXPECT_THROW(fit_randomized(normal_matrix(5, 5, 1), Precomputed{}), InvalidArgument);
}

TEST(RandomizedEdges, SparsityBeyondThePointsSaysThatNothingIsKnown) {
  const auto points = normal_matrix(6, 2, 1);
  const auto fit = fit_randomized(
      points, Gaussian{0.5}, {.components = 1, .sparsify = 1e9, .control = ControlVariate::mean});
  EXPECT_TRUE(fit.summary.certified_ratio.empty());
  ASSERT_FALSE(fit.summary.warnings.empty());
  EXPECT_NE(fit.summary.warnings[0].find("not one entry"), std::string::npos);
}

TEST(RandomizedEdges, TooLittleMemoryIsRefusedWithTheNumberOfBytes) {
  const auto points = normal_matrix(3000, 3, 1);
  try {
    fit_randomized(points, Gaussian{0.5}, {}, {.memory_limit_bytes = 3'000'000});
    ADD_FAILURE();
  } catch (const MemoryLimitError& e) {
    EXPECT_NE(std::string(e.what()).find("sparsify = 10 needs"), std::string::npos) << e.what();
  }
  EXPECT_NO_THROW(fit_randomized(
      points, Gaussian{0.5}, {.quantize = EntryLevels::min_max, .control = ControlVariate::none},
      {.memory_limit_bytes = 6'000'000}));
}

TEST(RandomizedEdges, StopsWhenCancelled) {
  const auto points = normal_matrix(3000, 3, 1);
  for (const EntryLevels quantize : {EntryLevels::none, EntryLevels::min_max}) {
    int polls = 0;
    EXPECT_THROW(fit_randomized(points, Gaussian{0.5}, {.quantize = quantize},
                                {.cancelled = [&] { return ++polls > 20; }}),
                 Cancelled);
  }
}

TEST(RandomizedEdges, SaysWhenTheSolverDidNotConverge) {
  const auto points = normal_matrix(700, 6, 1);
  const auto fit = fit_randomized(points, Gaussian{0.5},
                                  {.solver = RandomizedSolver::orthogonal, .max_products = 3});
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::not_converged);
  EXPECT_GT(*fit.summary.solver_residual, 1e-8);
}

}  // namespace
}  // namespace mercer
