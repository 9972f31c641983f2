#include "engine/nonnegative_quadratic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using Vector = std::vector<double>;

NonnegativeMinimum minimize(MatrixView<const double> m, const Vector& z, std::size_t threads = 2) {
  Workers workers(RunOptions{.threads = threads});
  return minimize_nonnegative(m, z, workers);
}

/// A^T A for a random A with `rank` rows.
Matrix<double> random_gram(std::size_t size, std::size_t rank, std::uint64_t seed) {
  const auto a = normal_matrix(rank, size, seed);
  Matrix<double> m(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t r = 0; r < rank; ++r) m(i, j) += a(r, i) * a(r, j);
    }
  }
  return m;
}

Vector random_vector(std::size_t size, std::uint64_t seed) {
  Vector z(size);
  for (std::size_t i = 0; i < size; ++i) z[i] = RandomStream(seed).normal(i);
  return z;
}

/// M with the ridge that the minimiser promises.
Matrix<double> ridged(MatrixView<const double> m) {
  Matrix<double> with_ridge(m);
  double trace = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) trace += m(i, i);
  for (std::size_t i = 0; i < m.rows(); ++i) with_ridge(i, i) += 1e-9 * trace;
  return with_ridge;
}

double objective(MatrixView<const double> m, const Vector& z, const Vector& x) {
  double value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) value += x[i] * m(i, j) * x[j];
    value -= 2 * z[i] * x[i];
  }
  return value;
}

/// Gaussian elimination of the rows and columns in `set`.
Vector solve_subset(MatrixView<const double> m, const Vector& z, unsigned set) {
  const std::size_t n = z.size();
  Matrix<double> a(m);
  Vector b = z;
  const auto in = [&](std::size_t i) { return (set >> i & 1U) != 0; };
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t i = 0; i < n && in(p); ++i) {
      if (i == p || !in(i)) continue;
      const double factor = a(i, p) / a(p, p);
      for (std::size_t j = 0; j < n; ++j) a(i, j) -= factor * a(p, j);
      b[i] -= factor * b[p];
    }
  }
  Vector x(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) x[i] = in(i) ? b[i] / a(i, i) : 0;
  return x;
}

/// The best of the stationary points of all 2^n sets of free variables that are feasible.
double least_objective(MatrixView<const double> m, const Vector& z) {
  double least = 0;
  for (unsigned set = 0; set < 1U << z.size(); ++set) {
    const auto x = solve_subset(m, z, set);
    if (std::ranges::all_of(x, [](double value) { return value >= 0; })) {
      least = std::min(least, objective(m, z, x));
    }
  }
  return least;
}

/// Violation of optimality by the definition, relative to max |z|.
double kkt_violation(MatrixView<const double> m, const Vector& z, const Vector& x) {
  double worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double gradient = -z[i];
    for (std::size_t j = 0; j < x.size(); ++j) gradient += m(i, j) * x[j];
    worst = std::max({worst, -x[i], x[i] > 0 ? std::abs(gradient) : -gradient});
    largest = std::max(largest, std::abs(z[i]));
  }
  return worst / largest;
}

RC_GTEST_PROP(NonnegativeQuadraticProperty, EqualsTheBestOfAllSubsets, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 9);
  const auto rank = *rc::gen::inRange<std::size_t>(1, 12);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto m = random_gram(size, rank, seed);
  const auto z = reference::multiply(m, normal_matrix(size, 1, seed + 1));  // bounded below
  const Vector linear(z.data(), z.data() + size);
  const auto minimum = minimize(m, linear);
  const auto with_ridge = ridged(m);
  RC_ASSERT(minimum.converged);
  RC_ASSERT(kkt_violation(with_ridge, linear, minimum.x) < 1e-9);
  const double expected = least_objective(with_ridge, linear);
  RC_ASSERT(std::abs(objective(with_ridge, linear, minimum.x) - expected) <=
            1e-8 * (1 + std::abs(expected)));
}

TEST(NonnegativeQuadratic, MeetsTheConditionsOfOptimality) {
  for (const std::size_t size : {30U, 150U, 400U}) {
    for (const double gamma : {0.01, 1.0, 100.0}) {
      const auto points = normal_matrix(size, 2, size);
      const auto m = reference::kernel_matrix(Gaussian{gamma}, points, points);
      Vector z(size);
      for (std::size_t i = 0; i < size; ++i) z[i] = 10 * RandomStream(size).uniform(i);
      const auto minimum = minimize(m, z);
      EXPECT_TRUE(minimum.converged) << size << ", " << gamma;
      EXPECT_LT(minimum.kkt_residual, 1e-10) << size << ", " << gamma;
      EXPECT_LT(kkt_violation(ridged(m), z, minimum.x), 1e-10) << size << ", " << gamma;
      if (gamma == 100) {
        EXPECT_LT(minimum.iterations, 15U) << "variables change sides in blocks";
      }
    }
  }
}

TEST(NonnegativeQuadratic, ConvergesWhereExchangesGoRoundInCircles) {
  // Sums of kernel values over many points, at some of them: nearly singular, and hundreds of
  // exchanges do not end it.
  for (const double gamma : {0.6, 20.0}) {
    const auto points = normal_matrix(4000, 1, 1);
    const auto centres = points.view().rows_from(0, 100);
    const auto m = reference::kernel_matrix(Gaussian{gamma}, centres, centres);
    const auto values = reference::kernel_matrix(Gaussian{gamma}, centres, points);
    Vector z;
    for (std::size_t i = 0; i < 100; ++i) {
      z.push_back(std::accumulate(values.row(i).begin(), values.row(i).end(), 0.0));
    }
    const auto minimum = minimize(m, z);
    EXPECT_TRUE(minimum.converged);
    EXPECT_LT(kkt_violation(ridged(m), z, minimum.x), 1e-10);
  }
}

TEST(NonnegativeQuadratic, SolvesTheSystemWhereNoBoundHolds) {
  const auto points = normal_matrix(20, 3, 1);
  const auto m = reference::kernel_matrix(Laplacian{1.0}, points, points);
  const Vector expected(20, 2.0);
  const auto z = reference::multiply(m, MatrixView<const double>(expected.data(), 20, 1));
  const auto minimum = minimize(m, Vector(z.data(), z.data() + 20));
  for (const double value : minimum.x) EXPECT_NEAR(value, 2, 1e-6);
  EXPECT_EQ(minimum.iterations, 1U) << "all variables move at once";
}

TEST(NonnegativeQuadratic, TakesOneVariable) {
  Matrix<double> m(1, 1);
  m(0, 0) = 4;
  EXPECT_NEAR(minimize(m, {2}).x[0], 0.5, 1e-9);
  EXPECT_EQ(minimize(m, {-2}).x[0], 0);
  EXPECT_EQ(minimize(m, {0}).x[0], 0);
  EXPECT_TRUE(minimize(m, {-2}).converged);
}

TEST(NonnegativeQuadratic, SharesBetweenCopies) {
  Matrix<double> m(50, 50);
  std::fill_n(m.data(), m.size(), 3.0);
  const auto minimum = minimize(m, Vector(50, 6.0));
  EXPECT_TRUE(minimum.converged);
  // Only the ridge, 1e-9, tells copies apart from each other.
  for (const double value : minimum.x) EXPECT_NEAR(value, 2.0 / 50, 1e-7);
  EXPECT_NEAR(std::accumulate(minimum.x.begin(), minimum.x.end(), 0.0), 2, 1e-8);
}

TEST(NonnegativeQuadratic, ScalesWithItsInput) {
  const auto m = random_gram(40, 15, 3);
  auto z = reference::multiply(m, normal_matrix(40, 1, 4));
  const Vector linear(z.data(), z.data() + 40);
  const auto expected = minimize(m, linear);
  for (const int m_exponent : {-1000, -3, 0, 1000}) {
    for (const int z_exponent : {-900, 0, 900}) {
      if (std::abs(z_exponent - m_exponent) > 1000) continue;
      auto scaled = m;
      for (std::size_t i = 0; i < m.size(); ++i) {
        scaled.data()[i] = std::ldexp(m.data()[i], m_exponent);
      }
      Vector scaled_z = linear;
      for (double& value : scaled_z) value = std::ldexp(value, z_exponent);
      const auto minimum = minimize(scaled, scaled_z);
      EXPECT_EQ(minimum.kkt_residual, expected.kkt_residual);
      for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(minimum.x[i], std::ldexp(expected.x[i], z_exponent - m_exponent))
            << m_exponent << ", " << z_exponent;
      }
    }
  }
}

TEST(NonnegativeQuadratic, FindsAStationaryPointOfAnIndefiniteForm) {
  Matrix<double> m(2, 2);
  m(0, 0) = m(1, 1) = 1;
  m(0, 1) = m(1, 0) = 2;
  const auto minimum = minimize(m, {1, 1});
  EXPECT_TRUE(minimum.converged);
  EXPECT_NEAR(minimum.x[0], 1, 1e-8);
  EXPECT_EQ(minimum.x[1], 0);
}

TEST(NonnegativeQuadratic, TellsWhenThereIsNoMinimum) {
  Matrix<double> m(2, 2);
  m(0, 0) = m(1, 1) = 1;
  m(0, 1) = m(1, 0) = -2;
  const auto unbounded = minimize(m, {1, 1});
  EXPECT_FALSE(unbounded.converged);
  EXPECT_GT(unbounded.kkt_residual, 0.1);
  EXPECT_FALSE(minimize(Matrix<double>(3, 3), {1, 0, 0}).converged);
  EXPECT_TRUE(minimize(Matrix<double>(3, 3), {0, -1, 0}).converged);
}

TEST(NonnegativeQuadratic, OnlyGoesDownOnIndefiniteForms) {
  std::size_t several = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto a = normal_matrix(40, 40, seed);
    Matrix<double> m(40, 40);
    for (std::size_t i = 0; i < 40; ++i) {
      for (std::size_t j = 0; j < 40; ++j) m(i, j) = i == j ? 6 : a(i, j) + a(j, i);
    }
    const auto z = random_vector(40, seed + 100);
    const auto with_ridge = ridged(m);
    const auto minimum = minimize(m, z);
    double best_alone = 0;
    for (std::size_t i = 0; i < 40; ++i) {
      if (z[i] > 0) best_alone = std::min(best_alone, -z[i] * z[i] / m(i, i));
    }
    EXPECT_LE(objective(m, z, minimum.x), best_alone * (1 - 1e-6)) << seed;
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_GE(minimum.x[i], 0);
      double gradient = -z[i];
      for (std::size_t j = 0; j < 40; ++j) gradient += with_ridge(i, j) * minimum.x[j];
      EXPECT_NEAR(minimum.x[i] > 0 ? gradient : 0, 0, 1e-9) << seed << ", " << i;
    }
    if (std::ranges::count_if(minimum.x, [](double value) { return value > 0; }) > 1) ++several;
  }
  EXPECT_GT(several, 20U);
}

TEST(NonnegativeQuadratic, BitsDoNotDependOnThreads) {
  const auto points = normal_matrix(250, 3, 9);
  const auto m = reference::kernel_matrix(Laplacian{0.3}, points, points);
  const auto z = random_vector(250, 9);
  EXPECT_EQ(minimize(m, z, 1).x, minimize(m, z, 3).x);
}

TEST(NonnegativeQuadratic, RefusesWhatDoesNotFit) {
  EXPECT_THROW(minimize(Matrix<double>(2, 2), {1}), InvalidArgument);
  EXPECT_THROW(minimize(Matrix<double>(2, 3), {1, 1}), InvalidArgument);
  auto m = random_gram(3, 3, 1);
  EXPECT_THROW(minimize(m, {1, NAN, 1}), NumericalError);
  m(2, 1) = m(1, 2) = INFINITY;
  EXPECT_THROW(minimize(m, {1, 1, 1}), NumericalError);
  EXPECT_THROW(minimize(m, {1, 1, -1}), NumericalError) << "also where a variable is never free";
  EXPECT_TRUE(minimize(Matrix<double>(), {}).x.empty());
}

}  // namespace
}  // namespace mercer::engine
