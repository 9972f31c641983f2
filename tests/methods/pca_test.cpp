#include "methods/pca.h"

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/exact.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

TEST(PrincipalAxes, EqualKernelPcaWithTheLinearKernel) {
  engine::Workers workers(RunOptions{.threads = 2});
  for (const bool center : {true, false}) {
    const auto points = normal_matrix(50, 6, 1, 1, 3);
    const auto gram = engine::reference::kernel_matrix(Linear{}, points, points);
    const auto expected = engine::reference::kernel_pca(gram, gram, 6, center);
    const auto pca = principal_axes(points, {}, center, ComponentChoice(6, {}, {}), workers);
    ASSERT_EQ(pca.values.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(pca.values[i], expected.eigenvalues[i], 1e-11);
    EXPECT_NEAR(pca.total_variance, expected.total_variance, 1e-10);
    EXPECT_LT(pca.residual, 1e-14);
  }
}

TEST(LinearModel, HasNoLibraryAndTheSameScoresByBothRoutes) {
  // 40 points in 60 columns goes through the Gram matrix; the same points with 100 more copies of
  // the first go through the scatter matrix. Weights make the two problems the same.
  const auto wide = normal_matrix(40, 60, 1);
  std::vector<double> weights(40, 1.0);
  weights[0] = 101;
  const auto tall = testing::repeat_rows(wide, weights);
  ExactOptions options{.components = 8};
  const auto by_scatter = fit_exact(tall, Linear{}, options);
  options.weights = weights;
  const auto by_gram = fit_exact(wide, Linear{}, options);
  for (const Fit& fit : {by_scatter, by_gram}) {
    EXPECT_EQ(fit.model.library_size(), 0U);
    EXPECT_EQ(fit.model.coefficients().rows(), 60U);
    EXPECT_EQ(fit.model.input_columns(), 60U);
  }
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(by_scatter.summary.eigenvalues[i], by_gram.summary.eigenvalues[i], 1e-9);
  }
  EXPECT_LT(largest_difference(by_scatter.model.transform(wide), by_gram.model.transform(wide)),
            1e-10);
}

TEST(LinearModel, KeepsItsDigitsFarFromTheOrigin) {
  const auto near = normal_matrix(100, 4, 2);
  Matrix<double> far(near);
  for (std::size_t i = 0; i < far.size(); ++i) far.data()[i] += 1e6;
  const auto a = fit_exact(near, Linear{}, {.components = 3});
  const auto b = fit_exact(far, Linear{}, {.components = 3});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(b.summary.eigenvalues[i] / a.summary.eigenvalues[i], 1, 1e-9);
  }
}

TEST(LinearModel, AxesAreOrthonormalAndResidualsComplete) {
  const auto points = normal_matrix(80, 5, 3);
  const auto fit = fit_exact(points, Linear{}, {.components = 2});
  const auto b = fit.model.coefficients();
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t l = 0; l < 2; ++l) {
      double dot = 0;
      for (std::size_t i = 0; i < 5; ++i) dot += b(i, j) * b(i, l);
      EXPECT_NEAR(dot, j == l ? 1 : 0, 1e-14);
    }
  }
  double sum = 0;
  for (const double residual : fit.model.residual(points)) sum += residual;
  EXPECT_NEAR(sum / 80, *fit.summary.reconstruction_error, 1e-12);
}

TEST(LinearModel, TakesHugeAndTinyData) {
  const auto points = normal_matrix(50, 4, 4);
  const auto expected = fit_exact(points, Linear{}, {.components = 3});
  for (const double scale : {1e-150, 1e150}) {
    Matrix<double> scaled(points);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
    const auto fit = fit_exact(scaled, Linear{}, {.components = 3});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(fit.summary.eigenvalues[i] / scale / scale, expected.summary.eigenvalues[i],
                  1e-10);
    }
  }
}

}  // namespace
}  // namespace mercer::methods
