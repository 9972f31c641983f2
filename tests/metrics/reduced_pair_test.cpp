#include "metrics/reduced_pair.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/reference.h"
#include "metrics/small_algebra.h"
#include "numbers.h"

namespace mercer::metrics {
namespace {

using engine::reference::multiply;
using testing::normal_matrix;

/// Largest error of a column's inner products with the others, relative to the norms.
double inner_product_error(MatrixView<const double> a, MatrixView<const double> b,
                           const ReducedPair& pair) {
  auto tall = multiply(transpose(a), b);
  auto small = multiply(transpose(pair.a), pair.b);
  double largest = 0;
  for (std::size_t i = 0; i < a.cols(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      const double norms = frobenius_norm(a.cols_from(i, 1)) * frobenius_norm(b.cols_from(j, 1));
      const double got = std::ldexp(small(i, j), pair.a_exponent + pair.b_exponent);
      largest = std::max(largest, std::abs(got - tall(i, j)) / norms);
    }
  }
  return largest;
}

TEST(ReducedPair, KeepsInnerProductsOverManyParts) {
  const auto a = normal_matrix(9000, 7, 1, 3);
  const auto b = normal_matrix(9000, 4, 2, 1, 5);
  engine::Workers workers(RunOptions{.threads = 2});
  const auto pair = reduce_pair(a, b, workers);
  ASSERT_EQ(pair.a.rows(), 11U);
  ASSERT_EQ(pair.b.cols(), 4U);
  EXPECT_LT(inner_product_error(a, b, pair), 1e-13);
  EXPECT_NEAR(std::ldexp(frobenius_norm(pair.b), pair.b_exponent), frobenius_norm(b), 1e-9);
}

TEST(ReducedPair, BitsDoNotDependOnThreads) {
  const auto a = normal_matrix(20'000, 3, 1);
  const auto b = normal_matrix(20'000, 5, 2);
  engine::Workers one(RunOptions{.threads = 1});
  engine::Workers four(RunOptions{.threads = 4});
  const auto first = reduce_pair(a, b, one);
  const auto second = reduce_pair(a, b, four);
  EXPECT_TRUE(testing::same_bits(first.a, second.a));
  EXPECT_TRUE(testing::same_bits(first.b, second.b));
}

TEST(ReducedPair, SmallColumnsKeepAllTheirDigits) {
  const auto a = normal_matrix(5000, 3, 1);
  auto b = normal_matrix(5000, 2, 2);
  engine::Workers workers(RunOptions{.threads = 2});
  const auto plain = reduce_pair(a, b, workers);
  for (std::size_t i = 0; i < 5000; ++i) b(i, 0) = std::ldexp(b(i, 0), -400);
  auto graded = reduce_pair(a, b, workers);
  for (std::size_t i = 0; i < graded.b.rows(); ++i) {
    graded.b(i, 0) = std::ldexp(graded.b(i, 0), graded.b_exponent - plain.b_exponent + 400);
    graded.b(i, 1) = std::ldexp(graded.b(i, 1), graded.b_exponent - plain.b_exponent);
  }
  EXPECT_TRUE(testing::same_bits(graded.b, plain.b));
  EXPECT_TRUE(testing::same_bits(graded.a, plain.a));
}

TEST(ReducedPair, SizesNearTheEndsOfTheRangeOnlyChangeTheExponent) {
  const auto a = normal_matrix(1000, 3, 1);
  const auto b = normal_matrix(1000, 3, 2);
  engine::Workers workers(RunOptions{.threads = 2});
  const auto plain = reduce_pair(a, b, workers);
  for (const int exponent : {-900, 1000}) {
    auto scaled = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      scaled.data()[i] = std::ldexp(a.data()[i], exponent);
    }
    const auto pair = reduce_pair(scaled, b, workers);
    EXPECT_EQ(pair.a_exponent, plain.a_exponent + exponent);
    EXPECT_TRUE(testing::same_bits(pair.a, plain.a));
  }
}

TEST(ReducedPair, ColumnsOfZerosStayZeros) {
  const auto a = normal_matrix(5000, 2, 1);
  const Matrix<double> b(5000, 2);
  engine::Workers workers(RunOptions{.threads = 2});
  const auto pair = reduce_pair(a, b, workers);
  EXPECT_EQ(frobenius_norm(pair.b), 0);
  EXPECT_EQ(pair.b_exponent, 0);
  EXPECT_LT(std::abs(std::ldexp(frobenius_norm(pair.a), pair.a_exponent) / frobenius_norm(a) - 1),
            1e-13);
}

RC_GTEST_PROP(ReducedPairProperty, KeepsInnerProductsForAnyShape, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 700);
  const auto p = *rc::gen::inRange<std::size_t>(1, 30);
  const auto q = *rc::gen::inRange<std::size_t>(1, 30);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto a = normal_matrix(n, p, seed, 2);
  const auto b = normal_matrix(n, q, seed + 1ULL, 1, 1);
  engine::Workers workers(RunOptions{.threads = 1});
  const auto pair = reduce_pair(a, b, workers);
  RC_ASSERT(pair.a.rows() == std::min(n, p + q));
  RC_ASSERT(inner_product_error(a, b, pair) < 1e-12);
}

}  // namespace
}  // namespace mercer::metrics
