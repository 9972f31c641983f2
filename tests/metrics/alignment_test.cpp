#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "metrics/small_algebra.h"
#include "numbers.h"
#include "rotation.h"

namespace mercer {
namespace {

using metrics::frobenius_norm;
using metrics::product;
using metrics::transpose;
using testing::largest_difference;
using testing::normal_matrix;

/// |a - scale b map| / |a| by its definition.
double relative_error(MatrixView<const double> a, MatrixView<const double> b,
                      MatrixView<const double> map, double scale = 1) {
  Matrix<double> difference(a);
  metrics::subtract(difference, scale, product(b, map));
  return frobenius_norm(difference) / frobenius_norm(a);
}

Matrix<double> scaled(Matrix<double> a, double factor) {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] *= factor;
  return a;
}

TEST(LeastSquares, UndoesAnyInvertibleMap) {
  const auto a = normal_matrix(5000, 6, 1);
  const auto mix = normal_matrix(6, 6, 2);
  const auto alignment = align_least_squares(a, product(a, mix));
  EXPECT_EQ(alignment.rank, 6U);
  EXPECT_LT(alignment.relative_error, 1e-13);
  EXPECT_LT(largest_difference(product(mix, alignment.map), product(alignment.map, mix)), 1e-12);
  EXPECT_LT(relative_error(a, product(a, mix), alignment.map), 1e-13);
}

TEST(LeastSquares, SolvesTheNormalEquations) {
  const auto a = normal_matrix(900, 4, 1);
  const auto b = normal_matrix(900, 7, 2, 1, 1);
  const auto alignment = align_least_squares(a, b);
  Matrix<double> residual(a);
  metrics::subtract(residual, 1, product(b, alignment.map));
  EXPECT_LT(largest_difference(product(transpose(b), residual), Matrix<double>(7, 4)), 1e-11);
  EXPECT_NEAR(alignment.relative_error, frobenius_norm(residual) / frobenius_norm(a), 1e-14);
  EXPECT_GT(alignment.relative_error, 0.9);
}

TEST(LeastSquares, TheErrorIsThePartOutsideTheSpan) {
  // Columns of a: one inside the span of b, one orthogonal to it and three times as long.
  const auto q = metrics::orthonormal_rows(3, 400, 1);
  Matrix<double> a(400, 2);
  Matrix<double> b(400, 2);
  for (std::size_t i = 0; i < 400; ++i) {
    a(i, 0) = q(0, i);
    a(i, 1) = 3 * q(2, i);
    b(i, 0) = 5 * q(0, i) + q(1, i);
    b(i, 1) = q(0, i) - q(1, i);
  }
  EXPECT_NEAR(align_least_squares(a, b).relative_error, 3 / std::sqrt(10.0), 1e-14);
}

TEST(LeastSquares, ErrorsBelowTheRootOfRoundingAreTold) {
  const auto a = normal_matrix(3000, 3, 1);
  auto b = a;
  const auto noise = normal_matrix(3000, 3, 2);
  metrics::subtract(b, -1e-11, noise);
  const double error = align_least_squares(a, b).relative_error;
  EXPECT_NEAR(error, 1e-11, 2e-13);
}

TEST(LeastSquares, DependentColumnsAreUsedOnce) {
  const auto a = normal_matrix(700, 3, 1);
  const auto deficient = product(normal_matrix(700, 2, 2), normal_matrix(2, 5, 3));
  const auto alignment = align_least_squares(a, deficient);
  EXPECT_EQ(alignment.rank, 2U);
  EXPECT_NEAR(alignment.relative_error, relative_error(a, deficient, alignment.map), 1e-13);
  for (std::size_t i = 0; i < alignment.map.size(); ++i) {
    EXPECT_LT(std::abs(alignment.map.data()[i]), 10);
  }
  const auto nothing = align_least_squares(a, Matrix<double>(700, 2));
  EXPECT_EQ(nothing.rank, 0U);
  EXPECT_EQ(nothing.relative_error, 1);
  EXPECT_EQ(largest_difference(nothing.map, Matrix<double>(2, 3)), 0);
}

TEST(LeastSquares, ColumnsOfVerySmallVarianceCount) {
  const auto a = normal_matrix(800, 2, 1);
  auto b = a;
  for (std::size_t i = 0; i < 800; ++i) b(i, 1) *= 1e-30;
  const auto alignment = align_least_squares(a, b);
  EXPECT_EQ(alignment.rank, 2U);
  EXPECT_LT(alignment.relative_error, 1e-14);
  EXPECT_NEAR(alignment.map(1, 1), 1e30, 1e17);
}

TEST(LeastSquares, FewerRowsThanColumnsLeaveNoError) {
  const auto alignment = align_least_squares(normal_matrix(4, 3, 1), normal_matrix(4, 9, 2));
  EXPECT_EQ(alignment.rank, 4U);
  EXPECT_LT(alignment.relative_error, 1e-13);
}

RC_GTEST_PROP(LeastSquaresProperty, MixingColumnsOfTheApproximationChangesNothing, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 300);
  const auto k = *rc::gen::inRange<std::size_t>(1, 6);
  const auto p = *rc::gen::inRange<std::size_t>(1, 6);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto a = normal_matrix(n, k, seed);
  const auto b = normal_matrix(n, p, seed + 1ULL);
  const double error = align_least_squares(a, b, {.threads = 1}).relative_error;
  const auto rotated = scaled(product(b, metrics::orthonormal_rows(p, p, seed + 2ULL)), 1e-7);
  RC_ASSERT(std::abs(align_least_squares(a, rotated, {.threads = 1}).relative_error - error) <
            1e-11);
  RC_ASSERT(error >= 0 && error <= 1 + 1e-14);
}

TEST(Procrustes, OfARotatedCopyIsZero) {
  const auto a = normal_matrix(6000, 5, 1);
  const auto rotation = metrics::orthonormal_rows(5, 5, 2);
  const auto b = product(a, transpose(rotation));
  const auto result = align_procrustes(a, b);
  EXPECT_LT(result.relative_error, 1e-14);
  EXPECT_EQ(result.scale, 1);
  EXPECT_LT(largest_difference(result.rotation, rotation), 1e-13);
  EXPECT_LT(largest_difference(product(result.rotation, transpose(result.rotation)),
                               product(rotation, transpose(rotation))),
            1e-13);
}

TEST(Procrustes, FindsTheScaleOnlyWhenAsked) {
  const auto a = normal_matrix(500, 3, 1);
  const auto b = scaled(product(a, metrics::orthonormal_rows(3, 3, 2)), 0.25);
  const auto with = align_procrustes(a, b, {.scale = true});
  EXPECT_NEAR(with.scale, 4, 1e-13);
  EXPECT_LT(with.relative_error, 1e-14);
  EXPECT_NEAR(align_procrustes(a, b).relative_error, 0.75, 1e-13);
}

TEST(Procrustes, ErrorIsThatOfTheReturnedMap) {
  const auto a = normal_matrix(400, 4, 1);
  const auto b = normal_matrix(400, 4, 2, 3, 1);
  for (const bool scale : {false, true}) {
    const auto result = align_procrustes(a, b, {.scale = scale});
    EXPECT_NEAR(result.relative_error, relative_error(a, b, result.rotation, result.scale), 1e-12);
  }
}

TEST(Procrustes, NoRotationIsBetter) {
  const auto a = normal_matrix(60, 3, 1);
  auto b = a;
  metrics::subtract(b, 0.7, normal_matrix(60, 3, 2));
  const auto best = align_procrustes(a, b);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto rotation = metrics::orthonormal_rows(3, 3, seed);
    EXPECT_GE(relative_error(a, b, rotation), best.relative_error - 1e-14);
  }
  // Also near the best one: a small turn in each plane.
  for (const double angle : {-1e-2, 1e-2}) {
    for (std::size_t p = 0; p < 3; ++p) {
      auto turned = best.rotation;
      const std::size_t q = (p + 1) % 3;
      for (std::size_t j = 0; j < 3; ++j) {
        turned(p, j) =
            std::cos(angle) * best.rotation(p, j) + std::sin(angle) * best.rotation(q, j);
        turned(q, j) =
            std::cos(angle) * best.rotation(q, j) - std::sin(angle) * best.rotation(p, j);
      }
      EXPECT_GT(relative_error(a, b, turned), best.relative_error);
    }
  }
}

TEST(Procrustes, ZeroApproximationAndHugeOrTinyScoresHaveAnAnswer) {
  const auto a = normal_matrix(50, 2, 1);
  EXPECT_NEAR(align_procrustes(a, Matrix<double>(50, 2)).relative_error, 1, 1e-15);
  EXPECT_EQ(align_procrustes(a, Matrix<double>(50, 2), {.scale = true}).scale, 0);
  const auto huge = align_procrustes(scaled(a, 1e300), scaled(a, 1e290), {.scale = true});
  EXPECT_NEAR(huge.scale, 1e10, 1e-2);
  EXPECT_LT(huge.relative_error, 1e-14);
  EXPECT_NEAR(align_least_squares(scaled(a, 1e-300), scaled(a, 1e-290)).map(1, 1), 1e-10, 1e-23);
  EXPECT_THROW(align_procrustes(scaled(a, 1e-200), scaled(a, 1e200)), NumericalError);
}

TEST(AlignmentErrors, NameWhatDoesNotFit) {
  const auto a = normal_matrix(10, 2, 1);
  EXPECT_THROW(align_least_squares(a, normal_matrix(9, 2, 1)), InvalidArgument);
  EXPECT_THROW(align_procrustes(a, normal_matrix(10, 3, 1)), InvalidArgument);
  EXPECT_THROW(align_least_squares(Matrix<double>(10, 2), a), DataError);
  EXPECT_THROW(align_procrustes(Matrix<double>(10, 2), a), DataError);
  EXPECT_THROW(align_least_squares(a, Matrix<double>(10, 0)), DataError);
  auto broken = a;
  broken(3, 1) = std::numeric_limits<double>::infinity();
  try {
    align_least_squares(a, broken);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("approximate scores: row 4, column 2 is inf"),
              std::string::npos)
        << error.what();
  }
  const auto wide = normal_matrix(10'000, 60, 1);
  EXPECT_THROW(align_least_squares(wide, wide, {.memory_limit_bytes = 1000}), MemoryLimitError);
  EXPECT_THROW(align_least_squares(wide, wide, {.cancelled = [] { return true; }}), Cancelled);
}

}  // namespace
}  // namespace mercer
