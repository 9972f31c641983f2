#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/graph_reference.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::reference::kernel_matrix;
using engine::reference::multiply;
using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::same_bits;
using testing::small_integers;
using testing::uniform_matrix;
using testing::weighted_set;

DiffusionMapOptions options_of(std::size_t components, double alpha, double time) {
  DiffusionMapOptions options;
  options.components = components;
  options.alpha = alpha;
  options.time = time;
  return options;
}

/// k(x, y) / (q(x) q(y))^alpha of all pairs, q being the sums of k.
Matrix<double> corrected_edges(const Kernel& kernel, MatrixView<const double> points,
                               double alpha) {
  auto edges = kernel_matrix(kernel, points, points);
  const auto q = testing::row_sums(edges);
  for (std::size_t i = 0; i < edges.rows(); ++i) {
    for (std::size_t j = 0; j < edges.cols(); ++j) edges(i, j) /= std::pow(q[i] * q[j], alpha);
  }
  return edges;
}

TEST(DiffusionMapsGolden, EigenvaluesOfUniformPoints) {
  const auto points = uniform_matrix(300, 2, 42);
  const auto set = testing::shadow_set(points, 0.125);
  const struct {
    Kernel kernel;
    std::vector<double> reduced;
    std::vector<double> full;
  } cases[] = {
      {Gaussian{4.0},
       {.550269907198, .512561957613, .286237711967, .125555979038},
       {.549614846071, .513348978021, .277024996284, .136707842581}},
      {Gaussian{2.0},
       {.327106114955, .297733484188, .0984601493352, .0390398042854},
       {.326219889938, .299569989285, .0952400921574, .0428278706517}},
      {Laplacian{2.0},
       {.334226018887, .308218039001, .163396119929, .0987050491199},
       {.328526026488, .300131925583, .147720725579, .0931731719898}},
  };
  for (const auto& [kernel, reduced, full] : cases) {
    const auto of_set = fit_diffusion_maps(set, kernel, options_of(4, 1, 1));
    const auto of_all = fit_diffusion_maps(weighted_set(points), kernel, options_of(4, 1, 1));
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(of_set.summary.eigenvalues[j], reduced[j], 1e-9);
      EXPECT_NEAR(of_all.summary.eigenvalues[j], full[j], 1e-9);
    }
  }
}

TEST(DiffusionMaps, AreThoseOfTheRepeatedRows) {
  const auto points = normal_matrix(25, 2, 3);
  const auto weights = small_integers(25);
  const auto repeated = repeat_rows(points, weights);
  const auto first = testing::first_copies(weights);
  const Kernel kernel = Gaussian{1.5};
  for (const double alpha : {0.0, 0.5, 1.0}) {
    for (const double time : {0.0, 1.0, 2.5}) {
      const auto fit =
          fit_diffusion_maps(weighted_set(points, weights), kernel, options_of(4, alpha, time));
      const auto edges = corrected_edges(kernel, repeated, alpha);
      const auto walk = testing::random_walk_reference(edges);
      double volume = 0;
      for (const double degree : testing::row_sums(edges)) volume += degree;
      // y has norm 1 by degrees, psi = sqrt(volume) y by the stationary law.
      auto expected = testing::part(walk.vectors, first, 1, 4);
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(fit.summary.eigenvalues[j], walk.values[j + 1], 1e-13);
        for (std::size_t i = 0; i < 25; ++i) {
          expected(i, j) *= std::sqrt(volume) * std::pow(walk.values[j + 1], time);
        }
      }
      EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(points), expected), 1e-11)
          << alpha << " " << time;
    }
  }
}

TEST(DiffusionMaps, CoordinatesHaveVarianceOneUnderTheStationaryLaw) {
  const auto points = normal_matrix(40, 2, 6);
  const Kernel kernel = Gaussian{0.8};
  const auto psi =
      fit_diffusion_maps(weighted_set(points), kernel, options_of(3, 1, 0)).model.transform(points);
  const auto d = testing::row_sums(corrected_edges(kernel, points, 1));
  double volume = 0;
  for (const double degree : d) volume += degree;
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0;
    double second = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      mean += d[i] / volume * psi(i, j);
      second += d[i] / volume * psi(i, j) * psi(i, j);
    }
    EXPECT_NEAR(mean, 0, 1e-12);
    EXPECT_NEAR(second, 1, 1e-12);
  }
}

TEST(DiffusionMaps, DistancesAreDiffusionDistancesOfTheFullChain) {
  const auto points = normal_matrix(12, 2, 9);
  const auto weights = small_integers(12);
  const auto repeated = repeat_rows(points, weights);
  const auto first = testing::first_copies(weights);
  const Kernel kernel = Gaussian{1.0};
  const std::size_t steps = 3;
  const auto fit = fit_diffusion_maps(weighted_set(points, weights), kernel,
                                      options_of(11, 0.5, static_cast<double>(steps)));
  ASSERT_EQ(fit.summary.components, 11U);
  const auto z = fit.model.transform(points);

  const auto edges = corrected_edges(kernel, repeated, 0.5);
  const auto d = testing::row_sums(edges);
  double volume = 0;
  for (const double degree : d) volume += degree;
  Matrix<double> chain(edges);
  for (std::size_t i = 0; i < chain.rows(); ++i) {
    for (double& value : chain.row(i)) value /= d[i];
  }
  auto power = chain;
  for (std::size_t step = 1; step < steps; ++step) power = multiply(power, chain);
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double expected = 0;
      for (std::size_t i = 0; i < d.size(); ++i) {
        const double difference = power(first[a], i) - power(first[b], i);
        expected += difference * difference * volume / d[i];
      }
      double found = 0;
      for (std::size_t j = 0; j < z.cols(); ++j) {
        found += (z(a, j) - z(b, j)) * (z(a, j) - z(b, j));
      }
      EXPECT_NEAR(found, expected, 1e-11 * (1 + expected));
    }
  }
}

TEST(DiffusionMaps, NewPointsAreAveragesOfTheirNeighbours) {
  const auto points = normal_matrix(30, 3, 2);
  const auto fresh = normal_matrix(20, 3, 7);
  const auto weights = small_integers(30);
  const Kernel kernel = Matern32{1.2};
  const double alpha = 0.7;
  const auto fit =
      fit_diffusion_maps(weighted_set(points, weights), kernel, options_of(3, alpha, 1));
  const auto psi =
      fit_diffusion_maps(weighted_set(points, weights), kernel, options_of(3, alpha, 0))
          .model.transform(points);
  const auto gram = kernel_matrix(kernel, points, points);
  const auto cross = kernel_matrix(kernel, fresh, points);
  std::vector<double> u(30);
  for (std::size_t i = 0; i < 30; ++i) {
    double q = 0;
    for (std::size_t j = 0; j < 30; ++j) q += weights[j] * gram(i, j);
    u[i] = weights[i] * std::pow(q, -alpha);
  }
  Matrix<double> expected(20, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < 30; ++c) sum += u[c] * cross(i, c);
    for (std::size_t j = 0; j < 3; ++j) {
      // At time 1 the factor lambda of the step and the 1 / lambda of the extension cancel.
      for (std::size_t c = 0; c < 30; ++c) expected(i, j) += u[c] * cross(i, c) / sum * psi(c, j);
    }
  }
  EXPECT_LT(largest_difference(fit.model.transform(fresh), expected), 1e-11);
}

TEST(DiffusionMaps, WithoutCorrectionTheyAreLaplacianEigenmaps) {
  const auto points = normal_matrix(50, 2, 2);
  const Kernel kernel = Gaussian{0.7};
  LaplacianEigenmapOptions walk;
  walk.components = 3;
  const auto eigenmaps = fit_laplacian_eigenmaps(weighted_set(points), kernel, walk);
  const auto maps = fit_diffusion_maps(weighted_set(points), kernel, options_of(3, 0, 0));
  double volume = 0;
  for (const double degree : testing::row_sums(kernel_matrix(kernel, points, points))) {
    volume += degree;
  }
  auto y = eigenmaps.model.transform(points);
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] *= std::sqrt(volume);
  EXPECT_LT(largest_difference_up_to_sign(maps.model.transform(points), y), 1e-11);
}

TEST(DiffusionMaps, TheDensityOfAMixtureIsDividedOut) {
  // An interval sampled ten times as densely on one half: with alpha = 1 the first coordinate is
  // the same function of the place, cos(pi x), as for even sampling; without it, it is not.
  Matrix<double> points(440, 1);
  for (std::size_t i = 0; i < 400; ++i) points(i, 0) = 0.5 * (static_cast<double>(i) + 0.5) / 400;
  for (std::size_t i = 0; i < 40; ++i) {
    points(400 + i, 0) = 0.5 + 0.5 * (static_cast<double>(i) + 0.5) / 40;
  }
  const auto error = [&](double alpha) {
    auto z = fit_diffusion_maps(weighted_set(points), Gaussian{200.0}, options_of(1, alpha, 0))
                 .model.transform(points);
    double zz = 0;
    double zc = 0;
    double cc = 0;
    for (std::size_t i = 0; i < 440; ++i) {
      const double c = std::cos(3.14159265358979 * points(i, 0));
      zz += z(i, 0) * z(i, 0);
      zc += z(i, 0) * c;
      cc += c * c;
    }
    return 1 - zc * zc / (zz * cc);
  };
  EXPECT_LT(error(1), 0.02);
  EXPECT_GT(error(0), 3 * error(1));
}

TEST(DiffusionMaps, BitsDoNotDependOnTheThreads) {
  const auto points = uniform_matrix(700, 3, 4);
  const auto fit = [&](std::size_t threads) {
    return fit_diffusion_maps(weighted_set(points), Gaussian{5.0}, {}, {.threads = threads});
  };
  const auto one = fit(1);
  EXPECT_EQ(one.summary.choices[1].value, "block_krylov");
  EXPECT_TRUE(same_bits(one.model.coefficients(), fit(3).model.coefficients()));
  EXPECT_EQ(one.summary.method, "diffusion_maps");
}

TEST(DiffusionMaps, UnitsMakeNoDifference) {
  const auto points = normal_matrix(30, 2, 3);
  const auto weights = small_integers(30);
  const auto z =
      fit_diffusion_maps(weighted_set(points, weights), Gaussian{1.0}).model.transform(points);
  for (const int exponent : {480, -480}) {
    Matrix<double> scaled(points);
    auto heavy = weights;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled.data()[i] = std::ldexp(scaled.data()[i], exponent);
    }
    for (double& weight : heavy) weight = std::ldexp(weight, exponent);
    const Kernel kernel = Gaussian{std::ldexp(1.0, -2 * exponent)};
    EXPECT_LT(
        largest_difference(
            fit_diffusion_maps(weighted_set(scaled, heavy), kernel).model.transform(scaled), z),
        1e-12);
  }
}

TEST(DiffusionMaps, ModelsSurviveTheirFile) {
  const auto points = normal_matrix(30, 2, 3);
  const testing::TemporaryFolder folder;
  const auto fit = fit_diffusion_maps(weighted_set(points), Gaussian{}, options_of(3, 0.5, 2));
  fit.model.save(folder / "a.mercer");
  const auto loaded = Model::load(folder / "a.mercer");
  EXPECT_TRUE(same_bits(loaded.transform(points), fit.model.transform(points)));
  Matrix<double> far(1, 2);
  far(0, 0) = 1e6;
  EXPECT_TRUE(std::isnan(loaded.transform(far)(0, 0)));
}

TEST(DiffusionMaps, BadArgumentsAreRefused) {
  const auto set = weighted_set(normal_matrix(10, 2, 1));
  for (const auto& options :
       {options_of(0, 1, 1), options_of(2, -0.1, 1), options_of(2, 1.1, 1), options_of(2, NAN, 1),
        options_of(2, 1, -1), options_of(2, 1, NAN), options_of(2, 1, INFINITY)}) {
    EXPECT_THROW(fit_diffusion_maps(set, Gaussian{1.0}, options), InvalidArgument);
  }
  EXPECT_THROW(fit_diffusion_maps(set, Sigmoid{}), InvalidArgument);
  EXPECT_THROW(fit_diffusion_maps(weighted_set(Matrix<double>(1, 2)), Gaussian{1.0}),
               NumericalError);
}

}  // namespace
}  // namespace mercer
