#include "metrics/small_algebra.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::metrics {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

TEST(SmallAlgebra, ProductsEqualTheDefinition) {
  const auto a = normal_matrix(5, 7, 1);
  const auto b = normal_matrix(7, 4, 2);
  EXPECT_LT(largest_difference(product(a, b), engine::reference::multiply(a, b)), 1e-14);
  EXPECT_EQ(transpose(a)(6, 3), a(3, 6));
  auto c = a;
  subtract(c, 2, a);
  EXPECT_EQ(c(4, 6), -a(4, 6));
  EXPECT_NEAR(
      frobenius_norm(a) * frobenius_norm(a),
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a.data()[i] * a.data()[i];
        return sum;
      }(),
      1e-13);
}

TEST(ColumnSpace, RebuildsTheMatrixFromItsParts) {
  auto a = normal_matrix(9, 4, 1);
  for (std::size_t i = 0; i < 9; ++i) a(i, 2) *= 1e-20;
  const auto space = column_space(a, 9);
  ASSERT_EQ(space.rank(), 4U);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::size_t q = 0; q < 4; ++q) {
        sum += space.basis(q, i) * space.values[q] * space.right(q, j);
      }
      EXPECT_NEAR(sum, a(i, j) * space.inverse[j], 1e-14);
    }
  }
  const auto gram = product(space.basis, transpose(space.basis));
  for (std::size_t p = 0; p < 4; ++p) {
    for (std::size_t q = 0; q < 4; ++q) EXPECT_NEAR(gram(p, q), p == q ? 1 : 0, 1e-14);
  }
}

TEST(ColumnSpace, DependentColumnsAndZerosDoNotCount) {
  auto a = normal_matrix(12, 5, 1);
  for (std::size_t i = 0; i < 12; ++i) {
    a(i, 1) = 0;
    a(i, 4) = 1e8 * (a(i, 0) - 0.3 * a(i, 2));
  }
  const auto space = column_space(a, 12);
  EXPECT_EQ(space.rank(), 3U);
  EXPECT_EQ(space.inverse[1], 0);
  EXPECT_EQ(column_space(Matrix<double>(6, 2), 6).rank(), 0U);
}

}  // namespace
}  // namespace mercer::metrics
