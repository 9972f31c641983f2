#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/graph_reference.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::same_bits;
using testing::small_integers;
using testing::uniform_matrix;
using testing::weighted_set;

constexpr auto kRandomWalk = GraphLaplacian::random_walk;
constexpr auto kUnnormalized = GraphLaplacian::unnormalized;

LaplacianEigenmapOptions options_of(std::size_t components, GraphLaplacian laplacian = kRandomWalk,
                                    bool self_loops = true) {
  LaplacianEigenmapOptions options;
  options.components = components;
  options.laplacian = laplacian;
  options.self_loops = self_loops;
  return options;
}

struct Example {
  Kernel kernel = Gaussian{1.5};
  Matrix<double> points = normal_matrix(25, 2, 3);
  std::vector<double> weights = small_integers(25);
};

TEST(LaplacianEigenmapsEdges, SeparateClustersHaveEigenvaluesOneAndConstantCoordinates) {
  auto points = normal_matrix(30, 2, 5);
  for (std::size_t i = 0; i < 30; ++i) points(i, 0) += 1000 * static_cast<double>(i % 3);
  const auto fit = fit_laplacian_eigenmaps(weighted_set(points), Gaussian{0.5}, options_of(2));
  EXPECT_NEAR(fit.summary.eigenvalues[0], 1, 1e-13);
  EXPECT_NEAR(fit.summary.eigenvalues[1], 1, 1e-13);
  const auto z = fit.model.transform(points);
  for (std::size_t i = 3; i < 30; ++i) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(z(i, j), z(i % 3, j), 1e-12);
  }
  const auto cut =
      fit_laplacian_eigenmaps(weighted_set(points), Gaussian{0.5}, options_of(2, kUnnormalized));
  EXPECT_NEAR(cut.summary.eigenvalues[1], 0, 1e-12);
}

TEST(LaplacianEigenmapsEdges, PointsFarFromEverythingAreNotANumber) {
  const Example x;
  Matrix<double> far(2, 2);
  far(1, 0) = 1e3;
  for (const auto laplacian : {kRandomWalk, kUnnormalized}) {
    const auto z =
        fit_laplacian_eigenmaps(weighted_set(x.points), x.kernel, options_of(2, laplacian))
            .model.transform(far);
    EXPECT_TRUE(std::isfinite(z(0, 0)) && std::isfinite(z(0, 1)));
    EXPECT_TRUE(std::isnan(z(1, 0)) && std::isnan(z(1, 1)));
  }
}

TEST(LaplacianEigenmapsEdges, TwoPointsHaveOneComponent) {
  Matrix<double> points(2, 1);
  points(1, 0) = 1;
  const double k = std::exp(-1.0);
  const auto walk = fit_laplacian_eigenmaps(weighted_set(points), Gaussian{1.0}, options_of(4));
  ASSERT_EQ(walk.summary.components, 1U);
  EXPECT_EQ(walk.summary.termination.reason, TerminationReason::fewer_components);
  EXPECT_NEAR(walk.summary.eigenvalues[0], (1 - k) / (1 + k), 1e-15);
  const auto cut =
      fit_laplacian_eigenmaps(weighted_set(points), Gaussian{1.0}, options_of(1, kUnnormalized));
  EXPECT_NEAR(cut.summary.eigenvalues[0], 2 * k, 1e-15);
  // Without self-loops the walk goes back and forth: its only other eigenvalue is -1.
  EXPECT_THROW(fit_laplacian_eigenmaps(weighted_set(points), Gaussian{1.0},
                                       options_of(1, kRandomWalk, false)),
               NumericalError);
}

TEST(LaplacianEigenmapsEdges, ThereMayBeNothingToExtract) {
  EXPECT_THROW(fit_laplacian_eigenmaps(weighted_set(Matrix<double>(1, 2)), Gaussian{1.0}),
               NumericalError);
  EXPECT_THROW(fit_laplacian_eigenmaps(weighted_set(Matrix<double>(9, 2)), Gaussian{1.0}),
               NumericalError);
  EXPECT_THROW(fit_laplacian_eigenmaps(weighted_set(Matrix<double>(0, 2)), Gaussian{1.0}), Error);
}

TEST(LaplacianEigenmapsEdges, FewerEigenvaluesThanAskedAreReported) {
  // Three distinct points, ten times each.
  const auto points = repeat_rows(normal_matrix(3, 2, 1), {10, 10, 10});
  const auto fit = fit_laplacian_eigenmaps(weighted_set(points), Gaussian{0.5}, options_of(6));
  EXPECT_EQ(fit.summary.components, 2U);
  EXPECT_EQ(fit.model.components(), 2U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(LaplacianEigenmapsEdges, APointWithoutNeighboursNeedsASelfLoop) {
  auto points = normal_matrix(20, 2, 5);
  points(7, 0) = 1e4;
  const auto set = weighted_set(points);
  EXPECT_NO_THROW(fit_laplacian_eigenmaps(set, Gaussian{1.0}));
  try {
    fit_laplacian_eigenmaps(set, Gaussian{1.0}, options_of(2, kRandomWalk, false));
    FAIL();
  } catch (const NumericalError& e) {
    EXPECT_NE(std::string(e.what()).find("node 8 of the graph has no neighbours"),
              std::string::npos);
  }
}

TEST(LaplacianEigenmapsEdges, UnitsOfPointsAndWeightsMakeNoDifference) {
  const Example x;
  for (const auto laplacian : {kRandomWalk, kUnnormalized}) {
    const auto options = options_of(3, laplacian);
    const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel, options);
    const auto nodes = fit.model.transform(x.points);
    for (const int exponent : {480, -480}) {
      Matrix<double> points(x.points);
      auto weights = x.weights;
      for (std::size_t i = 0; i < points.size(); ++i) {
        points.data()[i] = std::ldexp(points.data()[i], exponent);
      }
      for (double& weight : weights) weight = std::ldexp(weight, exponent);
      const Kernel kernel = Gaussian{std::ldexp(1.5, -2 * exponent)};
      const auto other = fit_laplacian_eigenmaps(weighted_set(points, weights), kernel, options);
      const double unit = laplacian == kRandomWalk ? 1 : std::ldexp(1.0, exponent);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(other.summary.eigenvalues[j] / unit, fit.summary.eigenvalues[j], 1e-12);
      }
      // sum w d y^2 = 1 or sum w y^2 = 1.
      auto z = other.model.transform(points);
      const double factor = std::ldexp(1.0, laplacian == kRandomWalk ? exponent : exponent / 2);
      for (std::size_t i = 0; i < z.size(); ++i) z.data()[i] *= factor;
      EXPECT_LT(largest_difference(z, nodes), 1e-12);
    }
  }
}

TEST(LaplacianEigenmapsEdges, OffsetsMakeNoDifference) {
  const Example x;
  Matrix<double> moved(x.points);
  for (std::size_t i = 0; i < moved.size(); ++i) moved.data()[i] += 4096;
  const auto a = fit_laplacian_eigenmaps(weighted_set(x.points), x.kernel, options_of(3));
  const auto b = fit_laplacian_eigenmaps(weighted_set(moved), x.kernel, options_of(3));
  EXPECT_LT(largest_difference_up_to_sign(a.model.transform(x.points), b.model.transform(moved)),
            1e-9);
}

TEST(LaplacianEigenmapsEdges, ModelsSurviveTheirFile) {
  const Example x;
  const testing::TemporaryFolder folder;
  for (const auto& [laplacian, self_loops] :
       {std::pair{kRandomWalk, true}, {kRandomWalk, false}, {kUnnormalized, true}}) {
    const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                             options_of(3, laplacian, self_loops));
    fit.model.save(folder / "a.mercer");
    const auto loaded = Model::load(folder / "a.mercer");
    EXPECT_TRUE(same_bits(loaded.transform(x.points), fit.model.transform(x.points)));
    EXPECT_EQ(loaded.summary().json(), fit.summary.json());
  }
}

TEST(LaplacianEigenmapsEdges, SummarySaysNothingOfVariances) {
  const Example x;
  const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points), Gaussian{});
  EXPECT_EQ(fit.summary.method, "laplacian_eigenmaps");
  EXPECT_FALSE(fit.summary.total_variance);
  EXPECT_FALSE(fit.summary.reconstruction_error);
  EXPECT_TRUE(fit.summary.explained_variance_ratio.empty());
  EXPECT_FALSE(fit.summary.centered);
  EXPECT_EQ(fit.summary.choices[0].what, "gamma");
  EXPECT_GT(fit.summary.kernel_evaluations, 0U);
  EXPECT_THROW(fit.model.residual(x.points), InvalidArgument);
  EXPECT_FALSE(fit.summary.brief().empty());
  EXPECT_FALSE(fit.summary.full().empty());
}

TEST(LaplacianEigenmapsEdges, ReachingTheLimitOfProductsIsReported) {
  LaplacianEigenmapOptions options;
  options.laplacian = kUnnormalized;
  options.solver.max_products = 3;
  const auto fit =
      fit_laplacian_eigenmaps(weighted_set(uniform_matrix(700, 2, 4)), Gaussian{20.0}, options);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::not_converged);
}

TEST(LaplacianEigenmapsEdges, BadArgumentsAreRefused) {
  const Example x;
  const auto refuse = [&](auto change) {
    auto set = weighted_set(x.points, x.weights);
    Kernel kernel = x.kernel;
    LaplacianEigenmapOptions options;
    change(set, kernel, options);
    EXPECT_THROW(fit_laplacian_eigenmaps(set, kernel, options), InvalidArgument);
  };
  refuse([](auto&, auto&, auto& o) { o.components = 0; });
  refuse([](auto&, auto&, auto& o) { o.solver.tolerance = 0; });
  refuse([](auto&, auto&, auto& o) { o.solver.max_products = 1; });
  refuse([](auto&, auto&, auto& o) { o.weights = {1, 2}; });
  refuse([](auto&, auto&, auto& o) { o.reduction.method = Reduction::shadow; });
  refuse([](auto&, auto& k, auto&) { k = Linear{}; });
  refuse([](auto&, auto& k, auto&) { k = Precomputed{}; });
  refuse([](auto&, auto& k, auto&) { k = Gaussian{-1.0}; });
  refuse([](auto& s, auto&, auto&) { s.weights[3] = 0; });
  refuse([](auto& s, auto&, auto&) { s.weights.pop_back(); });
  refuse([](auto& s, auto&, auto&) { s.weights.clear(); });
  auto set = weighted_set(x.points);
  set.centers(4, 1) = NAN;
  EXPECT_THROW(fit_laplacian_eigenmaps(set, x.kernel), DataError);
}

}  // namespace
}  // namespace mercer
