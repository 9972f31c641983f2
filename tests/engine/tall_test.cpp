#include "engine/tall.h"

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

Matrix<double> transpose(MatrixView<const double> a) {
  Matrix<double> t(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  }
  return t;
}

class Tall : public ::testing::TestWithParam<std::size_t> {
 protected:
  Tall() : workers_(RunOptions{.threads = GetParam()}) {}
  Workers workers_;
};
INSTANTIATE_TEST_SUITE_P(Threads, Tall, ::testing::Values(1, 2, 4));

TEST_P(Tall, TransposedProductEqualsTheDefinition) {
  for (const std::size_t rows : {1U, 100U, 2048U, 5000U}) {
    const auto a = normal_matrix(rows, 11, 1);
    const auto b = normal_matrix(rows, 16, 2);
    EXPECT_LT(largest_difference(transposed_product(a, b, workers_),
                                 reference::multiply(transpose(a), b)),
              1e-11);
  }
}

TEST_P(Tall, SubtractAndMultiplyEqualTheDefinition) {
  const auto a = normal_matrix(3000, 11, 1);
  const auto c = normal_matrix(11, 8, 2);
  auto b = normal_matrix(3000, 8, 3);
  auto expected = reference::multiply(a, c);
  for (std::size_t i = 0; i < b.size(); ++i) expected.data()[i] = b.data()[i] - expected.data()[i];
  subtract_product(a, c, b, workers_);
  EXPECT_LT(largest_difference(b, expected), 1e-12);

  auto rotated = normal_matrix(3000, 16, 4);
  const auto rotation = normal_matrix(16, 8, 5);
  const auto product = reference::multiply(rotated, rotation);
  multiply_from_right(rotated, rotation, workers_);
  EXPECT_LT(largest_difference(rotated.view().cols_from(0, 8), product), 1e-12);
}

TEST(TallThreads, BitsDoNotDependOnTheirNumber) {
  const auto a = normal_matrix(9000, 24, 1);
  Workers one(RunOptions{.threads = 1});
  Workers four(RunOptions{.threads = 4});
  EXPECT_TRUE(testing::same_bits(transposed_product(a, a, one), transposed_product(a, a, four)));
}

}  // namespace
}  // namespace mercer::engine
