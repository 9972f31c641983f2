#include "engine/blas.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

Matrix<double> symmetric_matrix(std::size_t n, std::uint64_t seed) {
  auto a = testing::normal_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  return a;
}

TEST(SymmetricEigen, AgreesWithJacobi) {
  for (const std::size_t n : {1U, 2U, 3U, 17U, 60U}) {
    const auto a = symmetric_matrix(n, n);
    const auto expected = reference::symmetric_eigen(a);
    auto vectors = a;
    const auto values = symmetric_eigen(vectors);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(values[i], expected.values[n - 1 - i], 1e-12);
      for (std::size_t r = 0; r < n; ++r) {
        double image = 0;
        for (std::size_t c = 0; c < n; ++c) image += a(r, c) * vectors(i, c);
        EXPECT_NEAR(image, values[i] * vectors(i, r), 1e-12);
      }
    }
  }
}

TEST(SymmetricEigen, ReadsOneTriangleAndHonoursTheStride) {
  const auto a = symmetric_matrix(9, 1);
  Matrix<double> padded(9, 12);
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 9; ++j) padded(i, j) = j <= i ? a(i, j) : 1e6;
  }
  auto plain = a;
  const auto expected = symmetric_eigen(plain);
  const auto values = symmetric_eigen(padded.view().cols_from(0, 9));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(values[i], expected[i], 1e-13);
}

TEST(LargestEigenpairs, AreTheTopOfTheSpectrum) {
  const auto a = symmetric_matrix(40, 2);
  const auto expected = reference::symmetric_eigen(a);
  for (const std::size_t count : {1U, 5U, 40U}) {
    auto work = a;
    const auto pairs = largest_eigenpairs(work, count);
    ASSERT_EQ(pairs.values.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_NEAR(pairs.values[i], expected.values[i], 1e-12);
      double overlap = 0;
      for (std::size_t r = 0; r < 40; ++r) overlap += pairs.vectors(i, r) * expected.vectors(r, i);
      EXPECT_NEAR(std::abs(overlap), 1, 1e-10);
    }
  }
}

TEST(LargestEigenpairs, ManyEqualOnesAreAllFound) {
  // Bisection by LAPACK loses count among these.
  for (const std::size_t n : {50U, 100U, 200U, 400U}) {
    for (const double noise : {0.0, 1e-17, 1e-15}) {
      Matrix<double> a(n, n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          a(i, j) = (i == j ? 1.0 : 0.0) - 1 / static_cast<double>(n) +
                    noise * std::sin(static_cast<double>(i * j));
        }
      }
      auto all = a;
      for (const double value : symmetric_eigenvalues(all)) {
        EXPECT_TRUE(std::abs(value - 1) < 1e-12 || std::abs(value) < 1e-12);
      }
      auto overwritten = a;
      const auto pairs = largest_eigenpairs(overwritten, 10);
      ASSERT_EQ(pairs.values.size(), 10U);
      for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_NEAR(pairs.values[i], 1, 1e-12);
        for (std::size_t j = 0; j < 10; ++j) {
          double product = 0;
          for (std::size_t l = 0; l < n; ++l) product += pairs.vectors(i, l) * pairs.vectors(j, l);
          EXPECT_NEAR(product, i == j ? 1 : 0, 1e-10);
        }
      }
    }
  }
}

TEST(SymmetricEigenvalues, AreAllOfThem) {
  const auto a = symmetric_matrix(30, 3);
  const auto expected = reference::symmetric_eigen(a);
  auto work = a;
  const auto values = symmetric_eigenvalues(work);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(values[i], expected.values[i], 1e-12);
}

Matrix<double> positive_matrix(std::size_t n, std::uint64_t seed) {
  const auto a = testing::normal_matrix(n, n, seed);
  Matrix<double> square(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) square(i, j) += a(i, k) * a(j, k);
    }
    square(i, i) += 1;
  }
  return square;
}

Matrix<double> lower_triangle(MatrixView<const double> a, bool transposed = false) {
  Matrix<double> lower(a.rows(), a.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) (transposed ? lower(j, i) : lower(i, j)) = a(i, j);
  }
  return lower;
}

TEST(CholeskyLower, FactorTimesItsTransposeIsTheMatrix) {
  for (const std::size_t n : {1U, 2U, 7U, 150U}) {
    const auto a = positive_matrix(n, n);
    Matrix<double> padded(n, n + 3);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n + 3; ++j) padded(i, j) = j <= i ? a(i, j) : 1e6;
    }
    const auto factor = padded.view().cols_from(0, n);
    ASSERT_TRUE(cholesky_lower(factor));
    const auto product = reference::multiply(lower_triangle(factor), lower_triangle(factor, true));
    EXPECT_LT(testing::largest_difference(product, a), 1e-12 * static_cast<double>(n) * 10);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n + 3; ++j) ASSERT_EQ(padded(i, j), 1e6);
    }
  }
}

TEST(CholeskyLower, SaysWhenAMatrixIsNotPositiveDefinite) {
  auto a = positive_matrix(6, 1);
  a(4, 4) = -1;
  EXPECT_FALSE(cholesky_lower(a));
  Matrix<double> zero(2, 2);
  EXPECT_FALSE(cholesky_lower(zero));
}

TEST(SolveLower, UndoesTheProductWithTheTriangle) {
  for (const std::size_t n : {1U, 5U, 130U}) {
    for (const std::size_t columns : {1U, 3U, 40U}) {
      auto l = positive_matrix(n, n);
      ASSERT_TRUE(cholesky_lower(l));
      const auto x = testing::normal_matrix(n, columns, 4);
      for (const bool transposed : {false, true}) {
        const auto product = reference::multiply(lower_triangle(l, transposed), x);
        Matrix<double> padded(n, columns + 2);
        for (std::size_t i = 0; i < n; ++i)
          std::ranges::copy(product.row(i), padded.row(i).begin());
        const auto b = padded.view().cols_from(0, columns);
        transposed ? solve_lower_transposed(l, b) : solve_lower(l, b);
        EXPECT_LT(testing::largest_difference(b, x), 1e-10) << n << ' ' << columns;
        EXPECT_EQ(padded(n - 1, columns), 0);
      }
    }
  }
}

TEST(SolveLower, TakesNoRightHandSides) {
  Matrix<double> l(3, 3);
  Matrix<double> none(3, 0);
  solve_lower(l, none);
  EXPECT_TRUE(none.empty());
}

TEST(SingularValues, RebuildMatricesOfAnyShape) {
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 3}, {3, 8}, {40, 40}}) {
    const auto a = testing::normal_matrix(rows, cols, rows + cols);
    auto work = a;
    const auto svd = singular_values(work);
    const std::size_t rank = std::min(rows, cols);
    ASSERT_EQ(svd.values.size(), rank);
    EXPECT_TRUE(std::ranges::is_sorted(svd.values, std::greater<>()));
    auto scaled = svd.left;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rank; ++j) scaled(i, j) *= svd.values[j];
    }
    EXPECT_LT(testing::largest_difference(reference::multiply(scaled, svd.right), a), 1e-13);
    for (std::size_t i = 0; i < rank; ++i) {
      for (std::size_t j = 0; j < rank; ++j) {
        double left = 0;
        double right = 0;
        for (std::size_t r = 0; r < rows; ++r) left += svd.left(r, i) * svd.left(r, j);
        for (std::size_t c = 0; c < cols; ++c) right += svd.right(i, c) * svd.right(j, c);
        EXPECT_NEAR(left, i == j ? 1 : 0, 1e-13);
        EXPECT_NEAR(right, i == j ? 1 : 0, 1e-13);
      }
    }
  }
}

TEST(SingularValues, HonourTheStride) {
  const auto wide = testing::normal_matrix(6, 9, 1);
  Matrix<double> narrow(wide.view().cols_from(2, 4));
  auto copy = wide;
  const auto strided = singular_values(copy.view().cols_from(2, 4));
  EXPECT_TRUE(testing::same_bits(strided.left, singular_values(narrow).left));
}

TEST(SingularValues, BadArgumentsAreRefusedBeforeTheCall) {
  Matrix<double> empty(0, 3);
  EXPECT_THROW(singular_values(empty), InvalidArgument);
  Matrix<double> square(3, 3);
  square(0, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(singular_values(square), NumericalError);
}

TEST(Lapack, BadArgumentsAreRefusedBeforeTheCall) {
  Matrix<double> empty;
  EXPECT_THROW(symmetric_eigen(empty), InvalidArgument);
  Matrix<double> oblong(3, 4);
  EXPECT_THROW(symmetric_eigen(oblong), InvalidArgument);
  Matrix<double> square(3, 3);
  EXPECT_THROW(largest_eigenpairs(square, 0), InvalidArgument);
  EXPECT_THROW(largest_eigenpairs(square, 4), InvalidArgument);
  EXPECT_THROW(cholesky_lower(empty), InvalidArgument);
  EXPECT_THROW(cholesky_lower(oblong), InvalidArgument);
  EXPECT_THROW(solve_lower(oblong, square), InvalidArgument);
  Matrix<double> other_height(4, 2);
  EXPECT_THROW(solve_lower(square, other_height), InvalidArgument);
  EXPECT_THROW(solve_lower_transposed(square, other_height), InvalidArgument);
  square(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(cholesky_lower(square), NumericalError);
  EXPECT_THROW(symmetric_eigen(square), NumericalError);
  EXPECT_THROW(largest_eigenpairs(square, 1), NumericalError);
  square(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(symmetric_eigenvalues(square), NumericalError);
}

TEST(PivotedQr, GivesBackTheRowsAndFindsTheRank) {
  auto a = testing::normal_matrix(6, 20, 5);
  for (std::size_t j = 0; j < 20; ++j) {
    a(4, j) = 2 * a(1, j) - a(0, j);
    a(5, j) = 0;
  }
  const PivotedQr qr = pivoted_qr(a, 1e-12);
  ASSERT_EQ(qr.rank, 4u);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 20; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 4; ++k) sum += qr.lower(i, k) * qr.q(k, j);
      EXPECT_NEAR(sum, a(qr.order[i], j), 1e-13);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      double product = 0;
      for (std::size_t j = 0; j < 20; ++j) product += qr.q(i, j) * qr.q(k, j);
      EXPECT_NEAR(product, i == k ? 1 : 0, 1e-14);
    }
    EXPECT_GE(std::abs(qr.lower(0, 0)), std::abs(qr.lower(i, i)));
  }
}

TEST(PivotedQr, OfZerosHasNoRank) {
  EXPECT_EQ(pivoted_qr(Matrix<double>(3, 5), 1e-12).rank, 0u);
  EXPECT_THROW(pivoted_qr(Matrix<double>(5, 3), 1e-12), InvalidArgument);
}

}  // namespace
}  // namespace mercer::engine
