#include "engine/residual_energies.h"

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;

/// From the definition, K - G G^T spelled out.
std::vector<double> energies_by_definition(MatrixView<const double> gram,
                                           const PartialCholesky& factor,
                                           std::span<const double> weights) {
  const auto g = factor.factor();
  std::vector<double> energies(gram.rows(), 0.0);
  for (std::size_t j = 0; j < gram.rows(); ++j) {
    for (std::size_t t = 0; t < gram.rows(); ++t) {
      double left = gram(j, t);
      for (std::size_t c = 0; c < g.cols(); ++c) left -= g(j, c) * g(t, c);
      energies[j] += (weights.empty() ? 1 : weights[t]) * left * left;
    }
  }
  return energies;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class Energies : public ::testing::TestWithParam<bool> {
 protected:
  static std::vector<double> weights(std::size_t n) {
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = 0.5 + static_cast<double>(i % 4);
    return values;
  }
};

TEST_P(Energies, DowndatesFollowTheDefinition) {
  const auto points = normal_matrix(210, 3, 1);
  for (const Kernel& kernel : {Kernel(Gaussian{.gamma = 0.2}), Kernel(Polynomial{.gamma = 0.3}),
                               Kernel(LaplacianL1{.gamma = 0.4})}) {
    const auto gram = reference::kernel_matrix(kernel, points, points);
    for (const auto& weight : {std::vector<double>{}, weights(210)}) {
      Workers workers{{.threads = 2}};
      PartialCholesky factor(kernel, points, 20, workers);
      const std::vector<std::size_t> first{3, 100, 7};
      factor.append(first, 3);
      ResidualEnergies energies(kernel, points, factor, weight, GetParam(), workers);
      const auto start = energies_by_definition(gram, factor, weight);
      const double scale = *std::ranges::max_element(start);
      EXPECT_LT(largest_difference(energies.values(), start), 1e-12 * scale);
      for (const std::size_t row : {50U, 209U, 0U, 121U}) {
        const std::size_t pivot = row;
        ASSERT_EQ(factor.append(std::span(&pivot, 1), 1).size(), 1U);
        energies.downdate();
      }
      const auto end = energies_by_definition(gram, factor, weight);
      EXPECT_LT(largest_difference(energies.values(), end), 1e-12 * scale);
      energies.refresh();
      EXPECT_LT(largest_difference(energies.values(), end), 1e-12 * scale);
      EXPECT_EQ(energies.refreshes(), 1U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gram, Energies, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "stored" : "matrix_free");
});

TEST(PartialCholesky, TheBestOfSomeRowsIsThatOfTheDefinition) {
  const auto points = normal_matrix(200, 2, 2);
  const Kernel kernel = Gaussian{.gamma = 0.5};
  Workers workers{{.threads = 2}};
  PartialCholesky factor(kernel, points, 20, workers);
  const std::vector<std::size_t> first{1, 2, 3, 150};
  factor.append(first, 4);
  std::vector<double> weights(200, 1.0);
  weights[9] = 4;
  const auto all =
      energies_by_definition(reference::kernel_matrix(kernel, points, points), factor, weights);
  const std::vector<std::size_t> some{0, 199, 17, 3, 42, 43, 44, 45, 46, 47, 48};
  std::size_t best = some[0];
  const auto score = [&](std::size_t row) {
    return factor.residuals()[row] > 0 ? all[row] / factor.residuals()[row] : 0;
  };
  for (const std::size_t row : some) {
    if (score(row) > score(best)) best = row;
  }
  PartialCholesky by_append(kernel, points, 20, workers);
  by_append.append(first, 4);
  EXPECT_EQ(factor.append_best(some, weights), best);
  by_append.append(std::span(&best, 1), 1);
  EXPECT_LT(testing::largest_difference(factor.factor(), by_append.factor()), 1e-14);
  EXPECT_LT(testing::largest_difference(factor.pivot_factor(), by_append.pivot_factor()), 1e-14);
  EXPECT_LT(largest_difference(factor.residuals(), by_append.residuals()), 1e-14);
  EXPECT_FALSE(factor.append_best(first, {}));
}

TEST(ResidualEnergies, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(500, 4, 3);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  std::vector<std::vector<double>> results;
  for (const std::size_t threads : {1U, 3U}) {
    Workers workers{{.threads = threads}};
    PartialCholesky factor(kernel, points, 20, workers);
    ResidualEnergies energies(kernel, points, factor, {}, true, workers);
    for (std::size_t row = 0; row < 10; ++row) {
      factor.append(std::span(&row, 1), 1);
      energies.downdate();
    }
    results.emplace_back(energies.values().begin(), energies.values().end());
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace mercer::engine
