#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/metrics.h>
#include <mercer/reduced_set.h>

#include "golden/golden.h"
#include "methods/square_points.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;
using testing::square_points;

struct GoldenCase {
  const char* name;
  Kernel kernel;
};

const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> cases{{"gauss", Gaussian{.gamma = 4}},
                                             {"gauss2", Gaussian{.gamma = 2}},
                                             {"lap", Laplacian{.gamma = 2}}};
  return cases;
}

double bound_of(const Summary& summary, const std::string& name) {
  for (const Bound& bound : summary.bounds) {
    if (bound.name == name) return bound.value;
  }
  ADD_FAILURE() << "no bound " << name;
  return NAN;
}

bool has_bound(const Summary& summary, const std::string& name) {
  return std::ranges::any_of(summary.bounds, [&](const Bound& b) { return b.name == name; });
}

ReducedSetOptions golden_options(bool center) {
  ReducedSetOptions options;
  options.components = 5;
  options.center = center;
  options.reduction.radius = 0.125;
  return options;
}

class ReducedSetGolden : public ::testing::TestWithParam<GoldenCase> {
 protected:
  std::vector<double> golden(const std::string& what) const {
    return numbers_.values(fmt::format("{}_{}", GetParam().name, what));
  }

  golden::Golden numbers_ = golden::Golden::load("reduced_set/g1.txt");
  Matrix<double> points_ = square_points(300, 42);
  Matrix<double> test_ = square_points(50, 43);
};

INSTANTIATE_TEST_SUITE_P(Kernels, ReducedSetGolden, ::testing::ValuesIn(golden_cases()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(ReducedSetGolden, Eigenvalues) {
  for (const bool center : {false, true}) {
    const Fit fit = fit_reduced_set(points_, GetParam().kernel, golden_options(center));
    const auto expected = golden(center ? "centered_values" : "reduced_values");
    const std::size_t first = center ? 5 : 0;  // exact ones come before
    ASSERT_EQ(fit.model.components(), 5u);
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(fit.model.eigenvalues()[j] / 300, expected[first + j], 1e-9) << center << j;
    }
    EXPECT_EQ(fit.summary.library_size, 36u);
    EXPECT_EQ(fit.summary.n, 300u);
    EXPECT_DOUBLE_EQ(fit.summary.total_weight, 300);
  }
}

TEST_P(ReducedSetGolden, ScoresOfOnePoint) {
  const double half[] = {0.5, 0.5};
  for (const bool center : {false, true}) {
    const Fit fit = fit_reduced_set(points_, GetParam().kernel, golden_options(center));
    const auto z = fit.model.transform(MatrixView<const double>(half, 1, 2));
    const auto expected = golden(center ? "centered_scores_at_half" : "scores_at_half");
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(std::abs(z(0, j)), expected[5 + j], 1e-8) << center << j;
    }
  }
}

TEST_P(ReducedSetGolden, AlignmentWithTheExactComponents) {
  const Fit exact = fit_exact(points_, GetParam().kernel, {.components = 5, .center = false});
  const Fit reduced = fit_reduced_set(points_, GetParam().kernel, golden_options(false));
  const auto alignment =
      align_least_squares(exact.model.transform(test_), reduced.model.transform(test_));
  EXPECT_NEAR(alignment.relative_error, golden("alignment")[1], 1e-8);
}

TEST_P(ReducedSetGolden, BoundsAndWhatTheyBound) {
  ReducedSetOptions options = golden_options(false);
  options.verify = true;
  const Summary summary = fit_reduced_set(points_, GetParam().kernel, options).summary;
  const auto mmd = golden("mmd");
  EXPECT_NEAR(bound_of(summary, "mmd_measured"), mmd[0], 1e-9);
  EXPECT_NEAR(bound_of(summary, "mmd_radius"), mmd[1], 1e-12);
  const auto hs = golden("hilbert_schmidt");
  EXPECT_NEAR(bound_of(summary, "hilbert_schmidt_measured"), hs[0], 1e-9);
  EXPECT_NEAR(bound_of(summary, "hilbert_schmidt_paper"), hs[1], 1e-12);
  EXPECT_NEAR(bound_of(summary, "hilbert_schmidt_radius"), hs[2], 1e-12);
  // Of the two bounds on eigenvalues the smaller one is given.
  const auto squares = golden("squared_eigenvalues");
  EXPECT_NEAR(bound_of(summary, "eigenvalues_radius"), std::min(std::sqrt(squares[1]), hs[2]),
              1e-12);
  EXPECT_NEAR(bound_of(summary, "eigenvalues_rows"),
              std::min(std::sqrt(squares[2]), bound_of(summary, "hilbert_schmidt_rows")), 1e-12);
  EXPECT_LE(bound_of(summary, "kept_eigenvalues_measured"), std::sqrt(squares[0]));
  for (const Bound& bound : summary.bounds) {
    EXPECT_EQ(bound.rigorous, !bound.name.ends_with("_measured")) << bound.name;
  }
}

TEST_P(ReducedSetGolden, DistanceWithNearestWeights) {
  ReducedSetOptions options = golden_options(false);
  options.reduction.weights = CenterWeights::nearest;
  options.verify = true;
  const Summary summary = fit_reduced_set(points_, GetParam().kernel, options).summary;
  EXPECT_NEAR(bound_of(summary, "mmd_measured"), golden("mmd_nearest")[0], 1e-9);
}

TEST_P(ReducedSetGolden, HerdingDistance) {
  ReducedSetOptions options;
  options.center = false;
  options.components = 3;
  options.reduction = {.method = Reduction::herding, .centers = 20};
  options.verify = true;
  const Summary summary = fit_reduced_set(points_, GetParam().kernel, options).summary;
  EXPECT_NEAR(bound_of(summary, "mmd_measured"), golden("herding_mmd")[0], 1e-9);
  EXPECT_FALSE(has_bound(summary, "mmd_rows"));
  EXPECT_FALSE(has_bound(summary, "mmd_radius"));
}

TEST(ReducedSet, EveryRowACentreIsExact) {
  const auto points = normal_matrix(60, 3, 5);
  ReducedSetOptions options{.components = 6};
  options.reduction.radius = 0;
  for (const bool center : {true, false}) {
    options.center = center;
    const Fit reduced = fit_reduced_set(points, Gaussian{.gamma = 0.3}, options);
    const Fit exact =
        fit_exact(points, Gaussian{.gamma = 0.3}, {.components = 6, .center = center});
    EXPECT_EQ(reduced.summary.library_size, 60u);
    EXPECT_LT(
        testing::largest_difference(reduced.model.transform(points), exact.model.transform(points)),
        1e-12);
    EXPECT_EQ(bound_of(reduced.summary, "hilbert_schmidt_rows"), 0);
  }
}

TEST(ReducedSet, CopiesAreWeights) {
  const auto few = normal_matrix(25, 2, 6);
  Matrix<double> many(75, 2);
  for (std::size_t i = 0; i < 75; ++i) {
    std::ranges::copy(few.row(i * i % 25), many.row(i).begin());
  }
  ReducedSetOptions options{.components = 4};
  options.reduction.radius = 1e-9;
  const Fit reduced = fit_reduced_set(many, Gaussian{.gamma = 0.5}, options);
  const Fit exact = fit_exact(many, Gaussian{.gamma = 0.5}, {.components = 4});
  EXPECT_LT(reduced.summary.library_size, 26u);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(reduced.model.eigenvalues()[j], exact.model.eigenvalues()[j], 1e-12 * 75);
  }
  EXPECT_LT(testing::largest_difference_up_to_sign(reduced.model.transform(few),
                                                   exact.model.transform(few)),
            1e-10);
  EXPECT_LT(*reduced.summary.reconstruction_error, *exact.summary.reconstruction_error + 1e-12);
}

TEST(ReducedSet, IntegerWeightsAreRepetition) {
  const auto points = normal_matrix(40, 2, 7);
  std::vector<double> weights(40);
  Matrix<double> repeated(0, 2);
  std::vector<double> values;
  for (std::size_t i = 0; i < 40; ++i) {
    weights[i] = static_cast<double>(1 + i % 3);
    for (std::size_t copy = 0; copy < 1 + i % 3; ++copy) {
      values.insert(values.end(), points.row(i).begin(), points.row(i).end());
    }
  }
  const MatrixView<const double> copies(values.data(), values.size() / 2, 2);
  for (const auto how : {CenterWeights::count, CenterWeights::nearest,
                         CenterWeights::operator_optimal, CenterWeights::mmd_optimal}) {
    ReducedSetOptions options{.components = 3};
    options.reduction.ell = 2;
    options.reduction.weights = how;
    const Fit by_copies = fit_reduced_set(copies, Gaussian{.gamma = 0.5}, options);
    options.weights = weights;
    const Fit by_weights = fit_reduced_set(points, Gaussian{.gamma = 0.5}, options);
    EXPECT_LT(testing::largest_difference(by_copies.model.transform(points),
                                          by_weights.model.transform(points)),
              1e-9);
    EXPECT_NEAR(by_copies.summary.total_weight, by_weights.summary.total_weight, 1e-6);
  }
}

TEST(ReducedSet, StreamsGiveTheSameBits) {
  const auto points = normal_matrix(40000, 4, 8);
  for (const auto method : {Reduction::shadow, Reduction::paring}) {
    for (const auto how : {CenterWeights::count, CenterWeights::nearest}) {
      ReducedSetOptions options{.components = 4};
      options.reduction.method = method;
      options.reduction.weights = how;
      options.reduction.radius = 1.5;
      const Fit memory = fit_reduced_set(points, Gaussian{}, options, {.threads = 1});
      const auto rows = rows_in_memory(points);
      const Fit stream = fit_reduced_set(*rows, Gaussian{}, options, {.threads = 2});
      EXPECT_TRUE(testing::same_bits(memory.model.coefficients(), stream.model.coefficients()));
      EXPECT_TRUE(testing::same_bits(memory.model.library(), stream.model.library()));
      EXPECT_EQ(memory.summary.bounds.size(), stream.summary.bounds.size());
      for (std::size_t i = 0; i < memory.summary.bounds.size(); ++i) {
        EXPECT_EQ(memory.summary.bounds[i].value, stream.summary.bounds[i].value);
      }
      EXPECT_EQ(stream.summary.n, 40000u);
    }
  }
}

TEST(ReducedSet, OptimalWeightsComeNearerThanCounts) {
  const auto points = square_points(400, 3);
  const auto measured = [&](CenterWeights how, const char* name) {
    ReducedSetOptions options{.components = 5};
    options.center = false;
    options.reduction.ell = 3;
    options.reduction.weights = how;
    options.verify = true;
    const Summary summary = fit_reduced_set(points, Gaussian{.gamma = 4}, options).summary;
    return bound_of(summary, name);
  };
  EXPECT_LT(measured(CenterWeights::operator_optimal, "hilbert_schmidt_measured"),
            0.6 * measured(CenterWeights::count, "hilbert_schmidt_measured"));
  EXPECT_LT(measured(CenterWeights::mmd_optimal, "mmd_measured"),
            0.2 * measured(CenterWeights::count, "mmd_measured"));
}

// Far-apart clusters have a gap that a fine cover can resolve.
TEST(ReducedSet, ProjectionBoundHoldsWhereItIsGiven) {
  std::size_t given = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto points = normal_matrix(60, 2, seed, 0.02);
    for (std::size_t i = 0; i < 60; ++i) points(i, 0) += static_cast<double>(i % 3 == 0) * 5;
    for (const bool center : {true, false}) {
      ReducedSetOptions options{.components = 1};
      options.center = center;
      options.reduction.radius = 0.005;
      options.verify = true;
      const Summary summary = fit_reduced_set(points, Gaussian{.gamma = 0.2}, options).summary;
      for (const char* name : {"projection_radius", "projection_rows"}) {
        if (!has_bound(summary, name)) continue;
        ++given;
        EXPECT_LE(bound_of(summary, "projection_measured"), bound_of(summary, name) + 1e-7);
      }
    }
  }
  EXPECT_GT(given, 20u);
}

TEST(ReducedSet, RefusesWhatItCannotDo) {
  const auto points = normal_matrix(20, 2, 9);
  EXPECT_THROW(fit_reduced_set(points, Polynomial{.gamma = 1}), InvalidArgument);
  EXPECT_THROW(fit_reduced_set(points, LaplacianL1{.gamma = 1}), InvalidArgument);
  EXPECT_THROW(fit_reduced_set(points, Precomputed{}), InvalidArgument);
  ReducedSetOptions options;
  options.reduction.method = Reduction::none;
  EXPECT_THROW(fit_reduced_set(points, Gaussian{.gamma = 1}, options), InvalidArgument);
  options.reduction = {.ell = 3, .radius = 1};
  EXPECT_THROW(fit_reduced_set(points, Gaussian{.gamma = 1}, options), InvalidArgument);
  options.reduction = {.centers = 3};
  EXPECT_THROW(fit_reduced_set(points, Gaussian{.gamma = 1}, options), InvalidArgument);
  options.reduction = {.method = Reduction::kmeans, .ell = 3, .centers = 3};
  EXPECT_THROW(fit_reduced_set(points, Gaussian{.gamma = 1}, options), InvalidArgument);
  options.reduction = {.method = Reduction::kmeans, .centers = 3};
  const auto rows = rows_in_memory(points);
  EXPECT_THROW(fit_reduced_set(*rows, Gaussian{.gamma = 1}, options), InvalidArgument);
  // With a number of centres any positive semi-definite kernel will do.
  EXPECT_NO_THROW(fit_reduced_set(points, Polynomial{.gamma = 1}, options));
}

TEST(ReducedSet, OptimalWeightsRespectTheMemoryLimit) {
  ReducedSetOptions options;
  options.reduction.radius = 0;
  options.reduction.weights = CenterWeights::operator_optimal;
  EXPECT_THROW(fit_reduced_set(normal_matrix(300, 2, 1), Gaussian{.gamma = 1}, options,
                               {.memory_limit_bytes = 1000000}),
               MemoryLimitError);
}

TEST(ReducedSet, TinyData) {
  const auto one = normal_matrix(1, 2, 1);
  EXPECT_THROW(fit_reduced_set(one, Gaussian{.gamma = 1}), NumericalError);
  ReducedSetOptions uncentered{.components = 3};
  uncentered.center = false;
  const Fit fit = fit_reduced_set(one, Gaussian{.gamma = 1}, uncentered);
  EXPECT_EQ(fit.model.components(), 1u);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
  const auto line = normal_matrix(50, 1, 2);
  for (const auto method :
       {Reduction::shadow, Reduction::kmeans, Reduction::paring, Reduction::herding}) {
    ReducedSetOptions options{.components = 2};
    options.reduction.method = method;
    EXPECT_EQ(fit_reduced_set(line, Gaussian{.gamma = 1}, options).model.components(), 2u);
  }
}

}  // namespace
}  // namespace mercer
