#include "methods/centered_gram.h"

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

/// (I - g g^T) W^1/2 K W^1/2 (I - g g^T) by its definition.
Matrix<double> definition(const Kernel& kernel, MatrixView<const double> points,
                          const std::vector<double>& weights, bool center) {
  const std::size_t n = points.rows();
  auto a = engine::reference::kernel_matrix(kernel, points, points);
  double total = 0;
  for (const double weight : weights) total += weight;
  Matrix<double> projector(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a(i, j) *= std::sqrt(weights[i] * weights[j]);
      projector(i, j) =
          (i == j ? 1.0 : 0.0) - (center ? std::sqrt(weights[i] * weights[j]) / total : 0.0);
    }
  }
  return engine::reference::multiply(projector, engine::reference::multiply(a, projector));
}

TEST(CenteredGram, EqualsItsDefinition) {
  const std::size_t n = 250;
  const auto points = normal_matrix(n, 4, 1);
  std::vector<double> weights(n);
  std::vector<double> roots(n);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = 0.5 + static_cast<double>(i % 3);
    roots[i] = std::sqrt(weights[i]);
  }
  engine::Workers workers(RunOptions{.threads = 2});
  for (const bool center : {true, false}) {
    const auto gram = engine::make_gram(Gaussian{0.2}, points, {}, workers);
    CenteredGram a(*gram, roots, center, workers);
    const auto expected = definition(Gaussian{0.2}, points, weights, center);
    auto dense = a.dense();
    for (std::size_t i = 0; i < dense.size(); ++i) dense.data()[i] *= a.scale();
    EXPECT_LT(largest_difference(dense, expected), 1e-13);

    const auto v = normal_matrix(n, 8, 2);
    Matrix<double> y(n, 8);
    a.apply(v, y);
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] *= a.scale();
    EXPECT_LT(largest_difference(y, engine::reference::multiply(expected, v)), 1e-11);

    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += expected(i, i);
    EXPECT_NEAR(a.total_variance(), trace, 1e-10);
    EXPECT_EQ(a.null_vector().empty(), !center);
  }
}

TEST(CenteredGram, ScalesHugeKernelsIntoRange) {
  const auto points = normal_matrix(30, 3, 1, 1e140);
  engine::Workers workers(RunOptions{});
  const auto gram = engine::make_gram(Linear{}, points, {}, workers);
  CenteredGram a(*gram, {}, true, workers);
  const auto v = normal_matrix(30, 8, 2);
  Matrix<double> y(30, 8);
  a.apply(v, y);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LT(std::abs(y.data()[i]), 1e6);
}

}  // namespace
}  // namespace mercer::methods
