#include "engine/blas.h"

#include <cmath>
#include <limits>

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

TEST(SymmetricEigenvalues, AreAllOfThem) {
  const auto a = symmetric_matrix(30, 3);
  const auto expected = reference::symmetric_eigen(a);
  auto work = a;
  const auto values = symmetric_eigenvalues(work);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(values[i], expected.values[i], 1e-12);
}

TEST(Lapack, BadArgumentsAreRefusedBeforeTheCall) {
  Matrix<double> empty;
  EXPECT_THROW(symmetric_eigen(empty), InvalidArgument);
  Matrix<double> oblong(3, 4);
  EXPECT_THROW(symmetric_eigen(oblong), InvalidArgument);
  Matrix<double> square(3, 3);
  EXPECT_THROW(largest_eigenpairs(square, 0), InvalidArgument);
  EXPECT_THROW(largest_eigenpairs(square, 4), InvalidArgument);
  square(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(symmetric_eigen(square), NumericalError);
  EXPECT_THROW(largest_eigenpairs(square, 1), NumericalError);
  square(2, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(symmetric_eigenvalues(square), NumericalError);
}

}  // namespace
}  // namespace mercer::engine
