#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "engine/blas.h"
#include "methods/graph_reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::reference::kernel_matrix;
using testing::first_copies;
using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::random_walk_nodes;
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

/// 25 points in the plane, far enough from symmetric that eigenvalues are simple.
struct Example {
  Kernel kernel = Gaussian{1.5};
  Matrix<double> points = normal_matrix(25, 2, 3);
  std::vector<double> weights = small_integers(25);
  Matrix<double> repeated = repeat_rows(points, weights);
  Matrix<double> edges = kernel_matrix(kernel, repeated, repeated);
  std::vector<std::size_t> first = first_copies(weights);
};

TEST(LaplacianEigenmapsGolden, EigenvaluesOfUniformPoints) {
  const auto points = uniform_matrix(300, 2, 42);
  const auto set = testing::shadow_set(points, 0.125);
  ASSERT_EQ(set.size(), 36U);
  const struct {
    Kernel kernel;
    std::vector<double> reduced;
    std::vector<double> full;
  } cases[] = {
      {Gaussian{4.0},
       {.498136487839, .453535803826, .23440953254, .1180789111},
       {.504745187516, .449809777997, .224859737119, .122790709698}},
      {Gaussian{2.0},
       {.300813658733, .271467310409, .0838066694688, .0372299713079},
       {.303528924617, .270802190774, .0807029873035, .0395481975097}},
      {Laplacian{2.0},
       {.317824872817, .288034966793, .149196925589, .0987783361666},
       {.315059000043, .278551591806, .133214353861, .0893484176516}},
  };
  for (const auto& [kernel, reduced, full] : cases) {
    const auto of_set = fit_laplacian_eigenmaps(set, kernel, options_of(4));
    const auto of_all = fit_laplacian_eigenmaps(weighted_set(points), kernel, options_of(4));
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(of_set.summary.eigenvalues[j], reduced[j], 1e-9);
      EXPECT_NEAR(of_all.summary.eigenvalues[j], full[j], 1e-9);
    }
    EXPECT_EQ(of_set.summary.n, 300U);
    EXPECT_EQ(of_set.summary.library_size, 36U);
    EXPECT_EQ(of_set.summary.total_weight, 300);
  }
}

TEST(LaplacianEigenmaps, RandomWalkIsThatOfTheRepeatedRows) {
  const Example x;
  const auto fit =
      fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel, options_of(5));
  const auto expected = testing::random_walk_reference(x.edges);
  EXPECT_NEAR(expected.values[0], 1, 1e-13);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(fit.model.eigenvalues()[j], expected.values[j + 1], 1e-13);
  }
  EXPECT_LT(largest_difference_up_to_sign(random_walk_nodes(fit.model),
                                          testing::part(expected.vectors, x.first, 1, 5)),
            1e-12);
  // The coordinates of the nodes come back.
  EXPECT_LT(largest_difference(fit.model.transform(x.points), random_walk_nodes(fit.model)), 1e-12);
}

TEST(LaplacianEigenmaps, CoordinatesHaveNormOneByDegree) {
  const Example x;
  const auto fit =
      fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel, options_of(4));
  const auto y = random_walk_nodes(fit.model);
  const auto d = testing::row_sums(x.edges);
  for (std::size_t a = 0; a < 4; ++a) {
    double with_constant = 0;
    for (std::size_t i = 0; i < y.rows(); ++i)
      with_constant += x.weights[i] * d[x.first[i]] * y(i, a);
    EXPECT_NEAR(with_constant, 0, 1e-12);
    for (std::size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < y.rows(); ++i) {
        product += x.weights[i] * d[x.first[i]] * y(i, a) * y(i, b);
      }
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(LaplacianEigenmaps, WithoutSelfLoopsItIsThatOfTheRepeatedRowsToo) {
  const Example x;
  const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                           options_of(5, kRandomWalk, false));
  const auto edges = testing::without_diagonal(x.edges);
  const auto expected = testing::random_walk_reference(edges);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(fit.model.eigenvalues()[j], expected.values[j + 1], 1e-13);
  }
  EXPECT_LT(largest_difference_up_to_sign(random_walk_nodes(fit.model),
                                          testing::part(expected.vectors, x.first, 1, 5)),
            1e-12);
  // The eigenvalues of the graph of all copies that no vector of the nodes has: -k(c, c) / d.
  const auto d = testing::row_sums(edges);
  std::vector<double> left(expected.values);
  for (std::size_t i = 0; i < x.points.rows(); ++i) {
    for (int copy = 1; copy < static_cast<int>(x.weights[i]); ++copy) {
      const double value = -1 / d[x.first[i]];
      const auto nearest =
          std::ranges::min_element(left, {}, [&](double other) { return std::abs(other - value); });
      EXPECT_NEAR(*nearest, value, 1e-13);
      left.erase(nearest);
    }
  }
  ASSERT_EQ(left.size(), x.points.rows());
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(left[j + 1], fit.model.eigenvalues()[j], 1e-13);
  }
}

TEST(LaplacianEigenmaps, UnnormalizedIsThatOfTheRepeatedRows) {
  const Example x;
  const std::size_t m = x.points.rows();
  const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                           options_of(m - 1, kUnnormalized));
  const auto mu = fit.model.eigenvalues();
  ASSERT_EQ(mu.size(), m - 1);
  EXPECT_TRUE(std::ranges::is_sorted(mu));
  EXPECT_GT(mu[0], 0);
  EXPECT_TRUE(std::ranges::equal(mu, fit.model.degree_shift()));
  // L y = mu y on the copies, and sum y^2 = 1.
  const auto l = testing::laplacian_reference(x.edges);
  Matrix<double> y(x.repeated.rows(), m - 1);
  for (std::size_t i = 0, row = 0; i < m; ++i) {
    for (int copy = 0; copy < static_cast<int>(x.weights[i]); ++copy, ++row) {
      for (std::size_t j = 0; j < m - 1; ++j) {
        y(row, j) = fit.model.coefficients()(i, j) / x.weights[i];
      }
    }
  }
  const auto image = engine::reference::multiply(l, y);
  for (std::size_t j = 0; j < m - 1; ++j) {
    double norm2 = 0;
    for (std::size_t i = 0; i < y.rows(); ++i) {
      EXPECT_NEAR(image(i, j), mu[j] * y(i, j), 1e-12);
      norm2 += y(i, j) * y(i, j);
    }
    EXPECT_NEAR(norm2, 1, 1e-12);
  }
  // With the constant vector and the degrees, each as often as it has further copies, these are all
  // eigenvalues.
  std::vector<double> all(mu.begin(), mu.end());
  all.push_back(0);
  const auto d = testing::row_sums(x.edges);
  for (std::size_t i = 0; i < m; ++i) {
    all.insert(all.end(), static_cast<std::size_t>(x.weights[i]) - 1, d[x.first[i]]);
  }
  std::ranges::sort(all, std::greater<>{});
  const auto expected = engine::reference::symmetric_eigen(l).values;
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(all[i], expected[i], 1e-11);
}

TEST(LaplacianEigenmaps, UnnormalizedExtendsItself) {
  const Example x;
  const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                           options_of(4, kUnnormalized));
  Matrix<double> nodes(fit.model.coefficients());
  for (std::size_t i = 0; i < nodes.rows(); ++i) {
    for (double& value : nodes.row(i)) value /= x.weights[i];
  }
  EXPECT_LT(largest_difference(fit.model.transform(x.points), nodes), 1e-11);
  EXPECT_TRUE(same_bits(fit.model.transform(x.points),
                        fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                                options_of(4, kUnnormalized, false))
                            .model.transform(x.points)));
}

TEST(LaplacianEigenmaps, NewPointsFollowTheFormulas) {
  const Example x;
  const auto fresh = normal_matrix(40, 2, 8);
  const auto values = kernel_matrix(x.kernel, fresh, x.points);
  for (const auto& [laplacian, self_loops] :
       {std::pair{kRandomWalk, true}, {kRandomWalk, false}, {kUnnormalized, true}}) {
    const auto fit = fit_laplacian_eigenmaps(weighted_set(x.points, x.weights), x.kernel,
                                             options_of(3, laplacian, self_loops));
    const bool walk = laplacian == kRandomWalk;
    auto nodes = random_walk_nodes(fit.model);
    if (!walk) {
      nodes = Matrix<double>(fit.model.coefficients());
      for (std::size_t i = 0; i < nodes.rows(); ++i) {
        for (double& value : nodes.row(i)) value /= x.weights[i];
      }
    }
    Matrix<double> expected(40, 3);
    for (std::size_t i = 0; i < 40; ++i) {
      double degree = 0;
      for (std::size_t c = 0; c < values.cols(); ++c) degree += x.weights[c] * values(i, c);
      for (std::size_t j = 0; j < 3; ++j) {
        const double value = fit.model.eigenvalues()[j];
        for (std::size_t c = 0; c < values.cols(); ++c) {
          expected(i, j) += x.weights[c] * values(i, c) * nodes(c, j);
        }
        expected(i, j) /= walk ? value * degree : degree - value;
      }
    }
    const double scale = testing::largest_magnitude(expected);
    const auto z = fit.model.transform(fresh);
    EXPECT_LT(largest_difference(z, expected), 1e-12 * scale);
    Matrix<float> single(40, 2);
    for (std::size_t i = 0; i < single.size(); ++i) {
      single.data()[i] = static_cast<float>(fresh.data()[i]);
    }
    const auto rough = fit.model.transform(single);
    for (std::size_t i = 0; i < rough.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(rough.data()[i]), expected.data()[i], 2e-4 * scale);
    }
  }
}

RC_GTEST_PROP(LaplacianEigenmapsProperty, WeightsEqualRepetition, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(4, 30);
  const auto d = *rc::gen::inRange<std::size_t>(1, 5);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto points = normal_matrix(n, d, seed);
  const auto weights = small_integers(n);
  const auto fresh = normal_matrix(10, d, seed + 1);
  for (const bool self_loops : {true, false}) {
    const auto options = options_of(1, kRandomWalk, self_loops);
    const Kernel kernel = Gaussian{0.2};
    // Without self-loops the second eigenvalue may be negative, and is then nobody's.
    try {
      const auto a = fit_laplacian_eigenmaps(weighted_set(points, weights), kernel, options);
      const auto b =
          fit_laplacian_eigenmaps(weighted_set(repeat_rows(points, weights)), kernel, options);
      RC_ASSERT(std::abs(a.summary.eigenvalues[0] - b.summary.eigenvalues[0]) < 1e-12);
      const auto z = a.model.transform(fresh);
      RC_ASSERT(largest_difference_up_to_sign(z, b.model.transform(fresh)) <
                1e-10 * (1 + testing::largest_magnitude(z)) / a.summary.eigenvalues[0]);
    } catch (const NumericalError&) {
      RC_ASSERT(!self_loops);
    }
  }
}

/// The second to fourth eigenvalues of a graph of single points, by LAPACK.
std::vector<double> lapack_eigenvalues(const Kernel& kernel, MatrixView<const double> points,
                                       GraphLaplacian laplacian, bool self_loops) {
  auto edges = kernel_matrix(kernel, points, points);
  if (!self_loops) edges = testing::without_diagonal(std::move(edges));
  const auto d = testing::row_sums(edges);
  Matrix<double> a(edges);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      if (laplacian == kRandomWalk)
        a(i, j) /= std::sqrt(d[i]) * std::sqrt(d[j]);
      else if (i == j)
        a(i, j) -= d[i];
    }
  }
  const auto all = engine::symmetric_eigenvalues(a);
  const double sign = laplacian == kRandomWalk ? 1 : -1;
  return {sign * all[1], sign * all[2], sign * all[3]};
}

TEST(LaplacianEigenmaps, IterativeSolversAgreeWithLapack) {
  const auto points = uniform_matrix(700, 2, 4);
  const Kernel kernel = Gaussian{20.0};
  for (const auto& [laplacian, self_loops] :
       {std::pair{kRandomWalk, true}, {kRandomWalk, false}, {kUnnormalized, true}}) {
    const auto options = options_of(3, laplacian, self_loops);
    const auto expected = lapack_eigenvalues(kernel, points, laplacian, self_loops);
    const auto stored = fit_laplacian_eigenmaps(weighted_set(points), kernel, options);
    const auto recomputed = fit_laplacian_eigenmaps(weighted_set(points), kernel, options,
                                                    {.memory_limit_bytes = 1'500'000});
    EXPECT_EQ(stored.summary.choices[1].value, "block_krylov");
    EXPECT_EQ(recomputed.summary.choices[2].value, "matrix_free");
    for (const auto* fit : {&stored, &recomputed}) {
      EXPECT_EQ(fit->summary.termination.reason, TerminationReason::converged);
      EXPECT_LT(*fit->summary.solver_residual, 1e-11);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(fit->summary.eigenvalues[j], expected[j],
                    1e-12 * (1 + 700 * !self_loops + 700));
      }
    }
    EXPECT_LT(largest_difference_up_to_sign(stored.model.transform(points),
                                            recomputed.model.transform(points)),
              1e-8);
  }
}

TEST(LaplacianEigenmaps, BitsDoNotDependOnTheThreads) {
  const auto points = uniform_matrix(700, 3, 4);
  for (const auto laplacian : {kRandomWalk, kUnnormalized}) {
    const auto fit = [&](std::size_t threads) {
      return fit_laplacian_eigenmaps(weighted_set(points), Gaussian{5.0}, options_of(3, laplacian),
                                     {.threads = threads});
    };
    const auto one = fit(1);
    for (const std::size_t threads : {2U, 3U}) {
      const auto other = fit(threads);
      EXPECT_TRUE(same_bits(one.model.coefficients(), other.model.coefficients()));
      EXPECT_EQ(one.summary.eigenvalues, other.summary.eigenvalues);
    }
  }
}

}  // namespace
}  // namespace mercer
