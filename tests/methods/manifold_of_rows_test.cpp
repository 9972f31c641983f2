// Rows become nodes: what the fits of rows share, whichever the method.

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/graph_reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;
using testing::same_bits;
using testing::small_integers;
using testing::uniform_matrix;
using testing::weighted_set;

template <class Options>
Options shadow_options(double radius) {
  Options options;
  options.reduction = {.method = Reduction::shadow, .radius = radius};
  return options;
}

void expect_same_model(const Model& a, const Model& b) {
  EXPECT_TRUE(same_bits(a.library(), b.library()));
  EXPECT_TRUE(same_bits(a.coefficients(), b.coefficients()));
  EXPECT_TRUE(std::ranges::equal(a.degree_weights(), b.degree_weights()));
  EXPECT_TRUE(std::ranges::equal(a.eigenvalues(), b.eigenvalues()));
}

TEST(ManifoldOfRows, AllRowsAreTheNodes) {
  const auto points = normal_matrix(60, 3, 1);
  const auto weights = small_integers(60);
  const auto set = weighted_set(points, weights);
  LaplacianEigenmapOptions eigenmaps;
  eigenmaps.weights = weights;
  expect_same_model(fit_laplacian_eigenmaps(points, Gaussian{}, eigenmaps).model,
                    fit_laplacian_eigenmaps(set, Gaussian{}).model);
  DiffusionMapOptions maps;
  maps.weights = weights;
  expect_same_model(fit_diffusion_maps(points, Gaussian{}, maps).model,
                    fit_diffusion_maps(set, Gaussian{}).model);
  NormalizedCutOptions cut;
  cut.weights = weights;
  const auto of_rows = fit_normalized_cut(points, Gaussian{}, cut);
  const auto of_set = fit_normalized_cut(set, Gaussian{});
  expect_same_model(of_rows.fit.model, of_set.fit.model);
  EXPECT_EQ(of_rows.labels, of_set.labels);
}

TEST(ManifoldOfRows, ReducedRowsAreThoseOfTheCover) {
  const auto points = uniform_matrix(300, 2, 42);
  const auto set = testing::shadow_set(points, 0.125);
  const Kernel kernel = Gaussian{4.0};
  const auto fit =
      fit_laplacian_eigenmaps(points, kernel, shadow_options<LaplacianEigenmapOptions>(0.125));
  expect_same_model(fit.model, fit_laplacian_eigenmaps(set, kernel).model);
  EXPECT_EQ(fit.summary.n, 300U);
  EXPECT_EQ(fit.summary.library_size, 36U);
  expect_same_model(
      fit_diffusion_maps(points, kernel, shadow_options<DiffusionMapOptions>(0.125)).model,
      fit_diffusion_maps(set, kernel).model);
}

TEST(ManifoldOfRows, SourceAndMemoryGiveTheSameBits) {
  const auto points = uniform_matrix(300, 2, 42);
  const auto weights = small_integers(300);
  const auto rows = rows_in_memory(points, weights);
  // The width of the kernel is found from the rows too.
  auto eigenmaps = shadow_options<LaplacianEigenmapOptions>(0.1);
  const auto streamed = fit_laplacian_eigenmaps(*rows, Gaussian{}, eigenmaps);
  auto cut = shadow_options<NormalizedCutOptions>(0.1);
  rows->rewind();
  const auto streamed_cut = fit_normalized_cut(*rows, Gaussian{}, cut);
  auto maps = shadow_options<DiffusionMapOptions>(0.1);
  rows->rewind();
  const auto streamed_maps = fit_diffusion_maps(*rows, Gaussian{}, maps);

  eigenmaps.weights = cut.weights = maps.weights = weights;
  expect_same_model(streamed.model, fit_laplacian_eigenmaps(points, Gaussian{}, eigenmaps).model);
  expect_same_model(streamed_maps.model, fit_diffusion_maps(points, Gaussian{}, maps).model);
  const auto in_memory = fit_normalized_cut(points, Gaussian{}, cut);
  expect_same_model(streamed_cut.fit.model, in_memory.fit.model);
  EXPECT_EQ(streamed_cut.labels, in_memory.labels);
  EXPECT_EQ(streamed_cut.labels.size(), 300U);
}

TEST(ManifoldOfRows, EveryReductionServes) {
  auto points = normal_matrix(300, 2, 7);
  for (std::size_t i = 0; i < 300; ++i) points(i, 0) += i % 2 == 0 ? 0 : 12;
  for (const auto method :
       {Reduction::none, Reduction::shadow, Reduction::kmeans, Reduction::herding}) {
    NormalizedCutOptions options;
    options.reduction.method = method;
    const auto cut = fit_normalized_cut(points, Gaussian{0.5}, options);
    ASSERT_EQ(cut.labels.size(), 300U);
    for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(cut.labels[i], cut.labels[i % 2]);
    EXPECT_NE(cut.labels[0], cut.labels[1]);
  }
}

TEST(ManifoldOfRows, WhatDoesNotFitIsRefused) {
  const auto points = normal_matrix(40, 2, 1);
  const auto rows = rows_in_memory(points);
  EXPECT_THROW(fit_laplacian_eigenmaps(*rows, Gaussian{1.0}, {}), InvalidArgument);
  auto weighted = shadow_options<DiffusionMapOptions>(0.1);
  weighted.weights.assign(40, 1.0);
  EXPECT_THROW(fit_diffusion_maps(*rows, Gaussian{1.0}, weighted), InvalidArgument);
  NormalizedCutOptions cut;
  cut.reduction.radius = -1;
  EXPECT_THROW(fit_normalized_cut(points, Gaussian{1.0}, cut), InvalidArgument);
  cut = {};
  cut.weights = {1};
  EXPECT_THROW(fit_normalized_cut(points, Gaussian{1.0}, cut), InvalidArgument);
  EXPECT_THROW(fit_laplacian_eigenmaps(points, Linear{}), InvalidArgument);
  Matrix<double> broken(points);
  broken(3, 1) = INFINITY;
  EXPECT_THROW(fit_diffusion_maps(broken, Gaussian{1.0}), DataError);
}

}  // namespace
}  // namespace mercer
