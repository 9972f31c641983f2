#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "metrics/small_algebra.h"
#include "numbers.h"
#include "rotation.h"

namespace mercer {
namespace {

using metrics::product;
using metrics::transpose;
using testing::normal_matrix;

constexpr double kRightAngle = std::numbers::pi / 2;

struct Spaces {
  Matrix<double> a;
  Matrix<double> b;
};

/// Two spaces in n dimensions with the given angles, each behind a mixture of its directions.
Spaces spaces_with(const std::vector<double>& angles, std::size_t n, std::uint64_t seed) {
  const std::size_t k = angles.size();
  const auto q = metrics::orthonormal_rows(2 * k, n, seed);
  Matrix<double> turned(k, n);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      turned(i, j) = std::cos(angles[i]) * q(i, j) + std::sin(angles[i]) * q(k + i, j);
    }
  }
  const auto first = q.view().rows_from(0, k);
  return {product(transpose(first), metrics::orthonormal_rows(k, k, seed + 1)),
          product(transpose(turned), metrics::orthonormal_rows(k, k, seed + 2))};
}

void expect_angles(const std::vector<double>& got, const std::vector<double>& expected,
                   double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance);
}

TEST(PrincipalAngles, OfKnownPlanes) {
  // x-y plane against the planes through x that rise by 30 and by 90 degrees.
  Matrix<double> ground(3, 2);
  ground(0, 0) = ground(1, 1) = 1;
  Matrix<double> slope(3, 2);
  slope(0, 0) = 2;
  slope(1, 1) = std::sqrt(3.0);
  slope(2, 1) = 1;
  expect_angles(principal_angles(ground, slope), {0, std::numbers::pi / 6}, 1e-15);
  Matrix<double> wall(3, 2);
  wall(0, 0) = wall(2, 1) = 1;
  expect_angles(principal_angles(ground, wall), {0, kRightAngle}, 1e-15);
}

TEST(PrincipalAngles, AllSizesAreAccurateTogether) {
  const std::vector<double> angles{
      1e-12, 1e-9, 1e-5, 0.3, std::numbers::pi / 4, 1.2, kRightAngle - 1e-9};
  const auto spaces = spaces_with(angles, 5000, 1);
  expect_angles(principal_angles(spaces.a, spaces.b), angles, 2e-14);
}

TEST(PrincipalAngles, ATinyAngleBehindUnevenColumnsIsFound) {
  auto spaces = spaces_with({1e-9, 1e-9}, 1000, 3);
  for (std::size_t i = 0; i < 1000; ++i) spaces.b(i, 1) *= 1e-12;
  expect_angles(principal_angles(spaces.a, spaces.b), {1e-9, 1e-9}, 1e-14);
}

TEST(PrincipalAngles, OfEqualSpacesAreZero) {
  const auto a = normal_matrix(3000, 4, 1);
  expect_angles(principal_angles(a, product(a, normal_matrix(4, 4, 2))), {0, 0, 0, 0}, 1e-13);
}

TEST(PrincipalAngles, AreAsManyAsTheSmallerRank) {
  const auto a = normal_matrix(200, 5, 1);
  EXPECT_EQ(principal_angles(a, normal_matrix(200, 3, 2)).size(), 3U);
  // A line inside the space, given twice.
  Matrix<double> line(200, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    line(i, 0) = a(i, 0) + 2 * a(i, 3);
    line(i, 1) = -7 * line(i, 0);
  }
  expect_angles(principal_angles(a, line), {0}, 1e-14);
  expect_angles(principal_angles(line, a), {0}, 1e-14);
}

RC_GTEST_PROP(PrincipalAnglesProperty, DoNotDependOnTheOrderOrTheBases, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(8, 200);
  const auto p = *rc::gen::inRange<std::size_t>(1, 5);
  const auto q = *rc::gen::inRange<std::size_t>(1, 5);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto a = normal_matrix(n, p, seed);
  const auto b = normal_matrix(n, q, seed + 1ULL);
  const auto angles = principal_angles(a, b, {.threads = 1});
  const auto mixed = product(a, metrics::orthonormal_rows(p, p, seed + 2ULL));
  const auto other = principal_angles(b, mixed, {.threads = 2});
  RC_ASSERT(angles.size() == std::min(p, q));
  RC_ASSERT(std::ranges::is_sorted(angles));
  for (std::size_t i = 0; i < angles.size(); ++i) {
    RC_ASSERT(std::abs(angles[i] - other[i]) < 1e-12);
    RC_ASSERT(angles[i] >= 0 && angles[i] <= kRightAngle + 1e-15);
  }
}

TEST(PrincipalAnglesErrors, NameWhatDoesNotFit) {
  const auto a = normal_matrix(10, 2, 1);
  EXPECT_THROW(principal_angles(a, normal_matrix(11, 2, 1)), InvalidArgument);
  EXPECT_THROW(principal_angles(a, Matrix<double>(10, 2)), DataError);
  EXPECT_THROW(principal_angles(Matrix<double>(10, 2), a), DataError);
  EXPECT_THROW(principal_angles(Matrix<double>(0, 0), a), DataError);
}

}  // namespace
}  // namespace mercer
