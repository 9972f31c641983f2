#include "engine/pivot_score.h"

#include <gtest/gtest.h>

#include "engine/kernel_matrix.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;

/// Solves K_II c = k_I(x_j) by elimination: what is left of row j is phi_j - sum_t c_t phi_I(t).
std::vector<double> coefficients_of(const Matrix<double>& gram, std::span<const std::size_t> pivots,
                                    std::size_t row) {
  const std::size_t m = pivots.size();
  Matrix<double> a(m, m + 1);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) a(i, j) = gram(pivots[i], pivots[j]);
    a(i, m) = gram(pivots[i], row);
  }
  for (std::size_t p = 0; p < m; ++p) {
    for (std::size_t i = 0; i < m; ++i) {
      if (i == p) continue;
      const double factor = a(i, p) / a(p, p);
      for (std::size_t j = p; j <= m; ++j) a(i, j) -= factor * a(p, j);
    }
  }
  std::vector<double> c(m);
  for (std::size_t i = 0; i < m; ++i) c[i] = a(i, m) / a(i, i);
  return c;
}

TEST(PivotScore, FollowsItsDefinitionWhileTheFactorGrows) {
  const auto points = normal_matrix(60, 2, 1);
  const Kernel kernel = Gaussian{.gamma = 0.4};
  Workers workers{{.threads = 1}};
  const auto gram = kernel_matrix(kernel, points, points, workers);
  PartialCholesky factor(kernel, points, 8, workers);
  PivotScore gain(factor, PivotCriterion::gain);
  PivotScore sparse(factor, PivotCriterion::sparse);
  for (const std::size_t row : {5U, 40U, 11U, 0U, 59U}) {
    gain.update();
    sparse.update();
    for (const std::size_t j : {1U, 20U, 58U}) {
      EXPECT_DOUBLE_EQ(gain(j, 3), 3 / factor.residuals()[j]);
      double norm = 1;
      for (const double c : coefficients_of(gram, factor.pivots(), j)) norm += std::abs(c);
      EXPECT_NEAR(sparse(j, 3), 3 / (norm * norm), 1e-9);
    }
    const std::size_t pivot = row;
    ASSERT_EQ(factor.append(std::span(&pivot, 1), 1).size(), 1U);
  }
}

// Several columns at once are the same as one after another.
TEST(PivotScore, TakesInAnyNumberOfColumns) {
  const auto points = normal_matrix(60, 2, 2);
  Workers workers{{.threads = 1}};
  PartialCholesky factor(Gaussian{.gamma = 0.4}, points, 8, workers);
  PivotScore often(factor, PivotCriterion::sparse);
  PivotScore once(factor, PivotCriterion::sparse);
  for (std::size_t row = 0; row < 6; ++row) {
    factor.append(std::span(&row, 1), 1);
    often.update();
  }
  once.update();
  for (std::size_t j = 6; j < 60; ++j) EXPECT_EQ(often(j, 1), once(j, 1));
}

}  // namespace
}  // namespace mercer::engine
