#include "engine/nearest_product.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;

/// K with block (i, j) spread out as row i n1 + j: its first singular vectors are the factors (Van
/// Loan & Pitsianis 1993).
SingularValues rearranged(MatrixView<const double> k, std::size_t n2) {
  const std::size_t n1 = k.rows() / n2;
  Matrix<double> spread(n1 * n1, n2 * n2);
  for (std::size_t r = 0; r < k.rows(); ++r) {
    for (std::size_t c = 0; c < k.rows(); ++c) {
      spread(r / n2 * n1 + c / n2, r % n2 * n2 + c % n2) = k(r, c);
    }
  }
  return singular_values(spread);
}

struct Case {
  std::size_t n1;
  std::size_t n2;
  Kernel kernel;
};

TEST(NearestProduct, IsTheFirstSingularPairOfTheRearrangedMatrix) {
  for (const auto& [n1, n2, kernel] :
       {Case{4, 6, Gaussian{0.2}}, Case{6, 4, Matern32{1}}, Case{1, 9, Gaussian{1}},
        Case{9, 1, Gaussian{1}}, Case{5, 5, Polynomial{.gamma = 0.5, .degree = 2, .coef0 = 1}},
        Case{3, 7, Sigmoid{.gamma = 0.4, .coef0 = 0.1}}}) {
    SCOPED_TRACE(kernel_name(kernel) + " " + std::to_string(n1) + " x " + std::to_string(n2));
    const auto points = normal_matrix(n1 * n2, 3, 5);
    Workers workers(RunOptions{.threads = 1});
    BlockGram gram(kernel, points, n2, true, workers);
    const auto product = nearest_product(gram, {.tolerance = 1e-13}, workers);
    EXPECT_TRUE(product.converged);

    const auto k = reference::kernel_matrix(kernel, points, points);
    const auto svd = rearranged(k, n2);
    const double sigma = svd.values.front();
    double squares = 0;
    for (const double value : svd.values) squares += value * value;
    for (std::size_t i = 0; i < n1; ++i) {
      for (std::size_t j = 0; j < n1; ++j) {
        for (std::size_t v = 0; v < n2 * n2; ++v) {
          EXPECT_NEAR(product.first(i, j) * product.second.data()[v],
                      sigma * svd.left(i * n1 + j, 0) * svd.right(0, v), 1e-10 * sigma);
        }
      }
    }
    EXPECT_NEAR(product.relative_error, std::sqrt(std::max(0.0, 1 - sigma * sigma / squares)),
                1e-7);
    // Positive semi-definite where K is.
    if (std::holds_alternative<Sigmoid>(kernel)) continue;
    Matrix<double> first(product.first);
    Matrix<double> second(product.second);
    EXPECT_GT(symmetric_eigenvalues(first).back(), -1e-12 * sigma);
    EXPECT_GT(symmetric_eigenvalues(second).back(), -1e-12);
  }
}

TEST(NearestProduct, KnowsItsErrorExactly) {
  const std::size_t n1 = 4;
  const std::size_t n2 = 5;
  const auto points = normal_matrix(n1 * n2, 2, 3);
  Workers workers(RunOptions{.threads = 1});
  for (const std::size_t sweeps : {1, 2, 50}) {
    BlockGram gram(Gaussian{0.5}, points, n2, false, workers);
    const auto product = nearest_product(gram, {.max_sweeps = sweeps}, workers);
    EXPECT_EQ(product.converged, sweeps == 50);
    const auto k = reference::kernel_matrix(Gaussian{0.5}, points, points);
    double residual2 = 0;
    double norm2 = 0;
    for (std::size_t r = 0; r < k.rows(); ++r) {
      for (std::size_t c = 0; c < k.rows(); ++c) {
        const double value = product.first(r / n2, c / n2) * product.second(r % n2, c % n2);
        residual2 += (k(r, c) - value) * (k(r, c) - value);
        norm2 += k(r, c) * k(r, c);
      }
    }
    EXPECT_NEAR(product.relative_error, std::sqrt(residual2 / norm2), 1e-13);
  }
}

TEST(NearestProduct, RefusesDiagonalBlocksThatCancel) {
  const Matrix<double> points(6, 2);  // all at the origin: a linear kernel is zero
  Workers workers(RunOptions{.threads = 1});
  BlockGram gram(Linear{}, points, 3, true, workers);
  EXPECT_THROW(nearest_product(gram, {}, workers), NumericalError);
}

RC_GTEST_PROP(LargestProducts, AreThoseOfAllPairs, ()) {
  const auto numbers = [] {
    auto values = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-4, 5));
    if (values.size() > 12) values.resize(12);
    std::ranges::sort(values, std::greater<>());
    return std::vector<double>(values.begin(), values.end());
  };
  const auto first = numbers();
  const auto second = numbers();
  const auto count = *rc::gen::inRange<std::size_t>(0, 40);
  std::vector<double> all;
  for (const double a : first) {
    for (const double b : second) {
      if (a * b > 0) all.push_back(a * b);
    }
  }
  std::ranges::sort(all, std::greater<>());
  all.resize(std::min(all.size(), count));
  const auto found = largest_products(first, second, count);
  RC_ASSERT(found.size() == all.size());
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < found.size(); ++i) {
    RC_ASSERT(found[i].value == all[i]);
    RC_ASSERT(first[found[i].first] * second[found[i].second] == found[i].value);
    pairs.emplace_back(found[i].first, found[i].second);
  }
  std::ranges::sort(pairs);
  RC_ASSERT(std::ranges::adjacent_find(pairs) == pairs.end());
}

TEST(LargestProducts, GiveTiesToTheLowestIndices) {
  const std::vector<double> ones(3, 1.0);
  const auto found = largest_products(ones, ones, 4);
  const std::vector<std::pair<std::size_t, std::size_t>> expected{{0, 0}, {0, 1}, {0, 2}, {1, 0}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::pair(found[i].first, found[i].second), expected[i]);
  }
}

}  // namespace
}  // namespace mercer::engine
