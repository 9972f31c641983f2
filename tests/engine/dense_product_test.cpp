#include "engine/dense_product.h"

#include <gtest/gtest.h>

#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;

Matrix<double> by_definition(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      for (std::size_t k = 0; k < a.cols(); ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

Matrix<double> transposed(MatrixView<const double> a) {
  Matrix<double> c(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) c(j, i) = a(i, j);
  }
  return c;
}

TEST(DenseProduct, EveryShapeFollowsTheDefinitionForEveryNumberOfThreads) {
  for (const std::size_t m : {0U, 1U, 7U, 64U, 130U}) {
    for (const std::size_t k : {0U, 1U, 13U, 100U, 520U}) {
      for (const std::size_t n : {0U, 1U, 8U, 21U, 75U}) {
        const auto a = normal_matrix(m, k, m + k);
        const auto b = normal_matrix(k, n, n);
        const auto expected = by_definition(a, b);
        Workers one{{.threads = 1}};
        Workers three{{.threads = 3}};
        const auto product = dense_product(a, b, one);
        EXPECT_LT(testing::largest_difference(product, expected), 1e-12);
        EXPECT_TRUE(testing::same_bits(product, dense_product(a, b, three)));
        EXPECT_LT(testing::largest_difference(dense_transposed_product(transposed(a), b, three),
                                              expected),
                  1e-12);
        EXPECT_LT(
            testing::largest_difference(outer_product(a, three), by_definition(a, transposed(a))),
            1e-12);
      }
    }
  }
}

TEST(DenseProduct, TakesViewsWithStrides) {
  const auto a = normal_matrix(20, 30, 1);
  const auto b = normal_matrix(30, 30, 2);
  const auto part = a.view().cols_from(3, 10);
  const auto other = b.view().rows_from(5, 10).cols_from(2, 9);
  Workers workers{{.threads = 1}};
  EXPECT_LT(
      testing::largest_difference(dense_product(part, other, workers), by_definition(part, other)),
      1e-12);
}

}  // namespace
}  // namespace mercer::engine
