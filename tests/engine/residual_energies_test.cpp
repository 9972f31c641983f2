#include "engine/residual_energies.h"

#include <gtest/gtest.h>

#include "engine/feature_mean.h"
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
      ResidualEnergies energies(make_gram(kernel, points, {.stored = GetParam()}, workers), factor,
                                weight, workers);
      energies.update();
      const auto start = energies_by_definition(gram, factor, weight);
      const double scale = *std::ranges::max_element(start);
      EXPECT_LT(largest_difference(energies.values(), start), 1e-12 * scale);
      for (const std::size_t row : {50U, 209U, 0U, 121U}) {
        const std::size_t pivot = row;
        ASSERT_EQ(factor.append(std::span(&pivot, 1), 1).size(), 1U);
        energies.update();
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

/// The centred kernel matrix, by rows of weight 1.
Matrix<double> centered(Matrix<double> gram) {
  const std::size_t n = gram.rows();
  std::vector<double> means(n, 0.0);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) means[i] += gram(i, j) / static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram(i, j) += mean - means[i] - means[j];
  }
  return gram;
}

// Few rows are cut at a time, and many: terms are removed one by one, and energies computed anew.
TEST_P(Energies, OfCentredMatricesFollowTheDefinitionThroughCuts) {
  const std::size_t n = 300;
  const auto points = normal_matrix(n, 2, 6);
  const Kernel kernel = Gaussian{.gamma = 0.3};
  const auto gram = centered(reference::kernel_matrix(kernel, points, points));
  for (const double step : {0.002, 0.03}) {
    Workers workers{{.threads = 2}};
    auto operator_of_all = make_gram(kernel, points, {.stored = GetParam()}, workers);
    auto offsets = feature_mean(*operator_of_all, {}, workers).offsets();
    PartialCholesky factor(kernel, points, 40, workers, std::move(offsets));
    ResidualEnergies energies(std::move(operator_of_all), factor, {}, workers);
    double cut = 0;
    std::vector<double> terms(n, 1.0);
    for (std::size_t row = 0; row < 40; ++row, cut += step) {
      for (std::size_t i = 0; i < n; ++i) {
        if (factor.residuals()[i] < cut) terms[i] = 0;
      }
      energies.cut(cut);
      energies.update();
      const auto expected = energies_by_definition(gram, factor, terms);
      std::size_t active = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (terms[i] == 0) continue;
        ASSERT_EQ(energies.active()[active++], i);
        EXPECT_NEAR(energies.values()[i], expected[i], 1e-11);
      }
      ASSERT_EQ(energies.active().size(), active);
      if (active == 0) break;
      const std::size_t pivot = energies.active()[active / 2];
      if (factor.residuals()[pivot] <= factor.negligible()) break;
      factor.append(std::span(&pivot, 1), 1);
    }
    EXPECT_LT(energies.active().size(), n / 2);
  }
}

TEST(ResidualEnergies, SomeRowsOverSomeTermsFollowTheDefinition) {
  const auto points = normal_matrix(250, 3, 7);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  Workers workers{{.threads = 2}};
  const auto gram = make_gram(kernel, points, {}, workers);
  PartialCholesky factor(kernel, points, 5, workers, feature_mean(*gram, {}, workers).offsets());
  const std::vector<std::size_t> first{9, 200, 31};
  factor.append(first, 3);
  const std::vector<std::size_t> rows{0, 9, 31, 100, 249};
  std::vector<std::size_t> terms;
  std::vector<double> weights;
  std::vector<double> of_all(250, 0.0);
  for (std::size_t i = 1; i < 250; i += 2) {
    terms.push_back(i);
    weights.push_back(static_cast<double>(1 + i % 3));
    of_all[i] = weights.back();
  }
  const auto expected = energies_by_definition(
      centered(reference::kernel_matrix(kernel, points, points)), factor, of_all);
  const auto energies = residual_energies(factor, 3, rows, terms, weights, workers);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(energies[i], expected[rows[i]], 1e-12);
}

TEST(ResidualEnergies, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(500, 4, 3);
  const Kernel kernel = Gaussian{.gamma = 0.1};
  std::vector<std::vector<double>> results;
  for (const std::size_t threads : {1U, 3U}) {
    Workers workers{{.threads = threads}};
    PartialCholesky factor(kernel, points, 20, workers);
    ResidualEnergies energies(make_gram(kernel, points, {}, workers), factor, {}, workers);
    energies.update();
    for (std::size_t row = 0; row < 10; ++row) {
      factor.append(std::span(&row, 1), 1);
      energies.update();
    }
    results.emplace_back(energies.values().begin(), energies.values().end());
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace mercer::engine
