#include "engine/reference.h"

#include <cmath>

#include <gtest/gtest.h>

#include "numbers.h"

namespace mercer::engine::reference {
namespace {

TEST(ReferenceEigen, RebuildsTheMatrix) {
  auto a = testing::normal_matrix(12, 12, 1);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  const auto eigen = symmetric_eigen(a);
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        sum += eigen.values[k] * eigen.vectors(i, k) * eigen.vectors(j, k);
      }
      EXPECT_NEAR(sum, a(i, j), 1e-12);
    }
  }
}

TEST(ReferenceKernelPca, OfTwoPointsIsKnownInClosedForm) {
  // Centred features are +-(phi(x) - phi(y))/2: one component, eigenvalue (2 - 2k)/2 = 1 - k.
  Matrix<double> x(2, 1);
  x(1, 0) = 1;
  const Kernel kernel = Gaussian{0.7};
  const auto gram = kernel_matrix(kernel, x, x);
  const auto pca = kernel_pca(gram, gram, 1, true);
  const double expected = 1 - std::exp(-0.7);
  EXPECT_NEAR(pca.eigenvalues[0], expected, 1e-15);
  EXPECT_NEAR(pca.total_variance, expected, 1e-15);
  EXPECT_NEAR(std::abs(pca.training_scores(0, 0)), std::sqrt(expected / 2), 1e-15);
  EXPECT_NEAR(pca.new_scores(1, 0), pca.training_scores(1, 0), 1e-15);
}

}  // namespace
}  // namespace mercer::engine::reference
