#include "methods/rounded_expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/compress.h>
#include <mercer/error.h>

#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::RandomStream;
using testing::normal_matrix;
using testing::uniform_matrix;

/// sum_i b_ik values_i over the rows that are left.
double value_of(const RoundedExpansion::Rounded& rounded, std::size_t k,
                const Matrix<double>& values) {
  double sum = 0;
  for (std::size_t r = 0; r < rounded.rows.size(); ++r) {
    sum += rounded.coefficients(r, k) * values.data()[rounded.rows[r]];
  }
  return sum;
}

double value_of(const Matrix<double>& coefficients, std::size_t k, const Matrix<double>& values) {
  double sum = 0;
  for (std::size_t i = 0; i < coefficients.rows(); ++i) {
    sum += coefficients(i, k) * values.data()[i];
  }
  return sum;
}

Matrix<double> unit_column(Matrix<double> a) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += a.data()[i] * a.data()[i];
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] /= std::sqrt(squares);
  return a;
}

std::vector<double> squares(const Matrix<double>& values) {
  std::vector<double> result(values.data(), values.data() + values.size());
  for (double& value : result) value *= value;
  return result;
}

TEST(RoundedExpansion, IsUnbiasedWithTheVarianceOfTheFormula) {
  constexpr int kDraws = 4000;
  const Matrix<double> b = normal_matrix(120, 3, 1, 5.0);
  const Matrix<double> values = uniform_matrix(120, 1, 2);
  for (const bool per_component : {false, true}) {
    const RoundedExpansion expansion(b, per_component);
    const auto variances = expansion.variances(squares(values), 4);
    for (std::size_t k = 0; k < b.cols(); ++k) {
      double sum = 0;
      double sum2 = 0;
      for (int draw = 0; draw < kDraws; ++draw) {
        const double error =
            value_of(expansion.draw(4, RandomStream(3).substream(draw)), k, values) -
            value_of(b, k, values);
        sum += error;
        sum2 += error * error;
      }
      EXPECT_LT(std::abs(sum) / std::sqrt(kDraws * variances[k]), 4.5) << k;
      EXPECT_NEAR(sum2 / kDraws / variances[k], 1, 0.12) << k;
    }
  }
}

TEST(RoundedExpansion, ComponentsThatShareRowsNeedFewerOfThem) {
  double shared = 0;
  double separate = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix<double> b = normal_matrix(300, 4, seed);
    shared += RoundedExpansion(b, false).expected_rows(6) / 20;
    separate += RoundedExpansion(b, true).expected_rows(6) / 20;
    const auto drawn = RoundedExpansion(b, false).draw(6, RandomStream(seed)).rows.size();
    EXPECT_NEAR(static_cast<double>(drawn), RoundedExpansion(b, false).expected_rows(6), 45);
  }
  EXPECT_NEAR(shared, 152, 4);
  EXPECT_NEAR(separate, 217, 4);
}

RC_GTEST_PROP(RoundedExpansion, KeepsLargeCoefficientsAndFewOthers, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto m = static_cast<std::size_t>(*rc::gen::inRange(1, 200));
  const double scale = std::exp(*rc::gen::inRange(-10, 50) / 10.0);
  const Matrix<double> a = unit_column(normal_matrix(m, 1, seed));
  const RoundedExpansion expansion(a, false);
  const auto rounded = expansion.draw(scale, RandomStream(seed));
  double norm1 = 0;
  for (std::size_t i = 0; i < m; ++i) norm1 += std::abs(a(i, 0));
  RC_ASSERT(expansion.expected_rows(scale) <= scale * norm1 + 1e-9);
  RC_ASSERT(scale * norm1 <= scale * std::sqrt(static_cast<double>(m)) + 1e-9);
  std::size_t next = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const bool kept = next < rounded.rows.size() && rounded.rows[next] == i;
    if (std::abs(a(i, 0)) * scale >= 1) {
      RC_ASSERT(kept);
      RC_ASSERT(rounded.coefficients(next, 0) == a(i, 0));
    } else if (kept && rounded.rows.size() > 1) {
      RC_ASSERT(std::abs(rounded.coefficients(next, 0) * scale) - 1 < 1e-12);
    }
    next += kept ? 1 : 0;
  }
}

TEST(RoundedExpansion, HoeffdingBoundsTheTails) {
  constexpr int kDraws = 2000;
  constexpr double kScale = 3;
  const Matrix<double> a = unit_column(normal_matrix(200, 1, 7));
  const Matrix<double> values = uniform_matrix(200, 1, 8);
  const RoundedExpansion expansion(a, false);
  double spread = 0;  // sum of k^2 over what is not kept in any case
  for (std::size_t i = 0; i < a.rows(); ++i) {
    if (expansion.probability(i, 0, kScale) < 1) spread += values(i, 0) * values(i, 0);
  }
  std::vector<double> errors;
  for (int draw = 0; draw < kDraws; ++draw) {
    errors.push_back(
        std::abs(value_of(expansion.draw(kScale, RandomStream(9).substream(draw)), 0, values) -
                 value_of(a, 0, values)));
  }
  for (const double t : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const double bound = 2 * std::exp(-2 * kScale * kScale * t * t / spread);
    const double frequency =
        static_cast<double>(std::ranges::count_if(errors, [&](double e) { return e >= t; })) /
        kDraws;
    EXPECT_LE(frequency, bound + 4 * std::sqrt(bound / kDraws)) << t;
  }
}

TEST(RoundedExpansion, TheBoundNeedsTheLargestValueNotTheRangeOfTheKernel) {
  // Kernel values in [10, 11]: with their range of 1 Hoeffding would promise 3e-14.
  constexpr double kScale = 3;
  Matrix<double> values = uniform_matrix(200, 1, 8);
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] += 10;
  const Matrix<double> a = unit_column(normal_matrix(200, 1, 7));
  const RoundedExpansion expansion(a, false);
  const double t = std::sqrt(200 * std::log(2 / 3e-14) / 2) / kScale;
  int beyond = 0;
  for (int draw = 0; draw < 500; ++draw) {
    beyond +=
        std::abs(value_of(expansion.draw(kScale, RandomStream(9).substream(draw)), 0, values) -
                 value_of(a, 0, values)) >= t
            ? 1
            : 0;
  }
  EXPECT_GT(beyond, 25);
}

TEST(RoundedExpansion, TheScaleOfTheTheoremKeepsRelativeErrorsSmall) {
  constexpr std::size_t kPoints = 20000;
  constexpr double kEpsilon = 0.5;
  constexpr double kThreshold = 15;
  const double scale = rounding_scale(kPoints, 1, kEpsilon, kThreshold);
  EXPECT_NEAR(scale, 37.71, 0.01);
  Matrix<double> a(kPoints, 1);
  const RandomStream stream(4);
  for (std::size_t i = 0; i < kPoints; ++i) a(i, 0) = stream.uniform(i);
  a = unit_column(std::move(a));
  const RoundedExpansion expansion(a, false);
  const double trivial = kThreshold * std::sqrt(std::log(static_cast<double>(kPoints)));
  for (std::uint64_t draw = 0; draw < 10; ++draw) {
    const auto rounded = expansion.draw(scale, RandomStream(5).substream(draw));
    EXPECT_LT(static_cast<double>(rounded.rows.size()), 4 * kPoints / (kEpsilon * kThreshold));
    EXPECT_NEAR(static_cast<double>(rounded.rows.size()), 4610, 250);
    for (std::uint64_t point = 0; point < 20; ++point) {
      // From kernel values near 0, where the sum is trivial, to values near 1.
      Matrix<double> values = uniform_matrix(kPoints, 1, 100 + point);
      for (std::size_t i = 0; i < kPoints; ++i) {
        values(i, 0) = std::pow(values(i, 0), point < 4 ? 6.0 : 0.3);
      }
      const double f = value_of(a, 0, values);
      const double rounded_f = value_of(rounded, 0, values);
      if (std::abs(f) < trivial && std::abs(rounded_f) < trivial) continue;
      EXPECT_LE(std::abs(rounded_f - f), kEpsilon * std::abs(f));
      EXPECT_LE(std::abs(rounded_f - f), 0.1 * std::abs(f)) << "far from the bound in practice";
    }
  }
}

TEST(RoundedExpansion, TheScaleOfTheTheoremHasItsRange) {
  EXPECT_THROW(rounding_scale(24, 1, 0.5, 5), InvalidArgument);
  EXPECT_THROW(rounding_scale(1000, 1, 0, 5), InvalidArgument);
  EXPECT_THROW(rounding_scale(1000, 1, 0.7, 5), InvalidArgument);
  EXPECT_THROW(rounding_scale(1000, 1, 0.5, 4), InvalidArgument) << "nothing is dropped";
  EXPECT_THROW(rounding_scale(1000, 1, 0.5, 25), InvalidArgument) << "everything is trivial";
  EXPECT_THROW(rounding_scale(1000, 0, 0.5, 5), InvalidArgument);
  EXPECT_GT(rounding_scale(1000, 1, 0.5, 5), 0);
}

TEST(RoundedExpansion, ScalesAreFoundForAVariance) {
  const Matrix<double> b = normal_matrix(150, 3, 11);
  const auto energies = squares(uniform_matrix(150, 1, 12));
  for (const bool per_component : {false, true}) {
    const RoundedExpansion expansion(b, per_component);
    for (const double total : {1e-9, 0.01, 1.0, 100.0}) {
      const double scale = expansion.scale_for(energies, total);
      const auto sums = expansion.variances(energies, scale);
      EXPECT_NEAR(std::accumulate(sums.begin(), sums.end(), 0.0), total, 1e-9 * total + 1e-9);
    }
    EXPECT_EQ(expansion.draw(expansion.scale_for(energies, 0), RandomStream(1)).rows.size(), 150u);
  }
}

TEST(RoundedExpansion, AnInfiniteScaleKeepsEverything) {
  Matrix<double> b = normal_matrix(50, 2, 13);
  b(7, 0) = 0;
  for (const bool per_component : {false, true}) {
    const auto rounded = RoundedExpansion(b, per_component)
                             .draw(std::numeric_limits<double>::infinity(), RandomStream(1));
    ASSERT_EQ(rounded.rows.size(), 50u);
    EXPECT_TRUE(testing::same_bits(rounded.coefficients, b));
  }
}

TEST(RoundedExpansion, ARowStaysWhereNoneIsDrawn) {
  const Matrix<double> b = normal_matrix(5, 1, 14);
  const auto rounded = RoundedExpansion(b, false).draw(1e-30, RandomStream(1));
  ASSERT_EQ(rounded.rows.size(), 1u);
  EXPECT_EQ(rounded.coefficients(0, 0), b(rounded.rows[0], 0));
  const auto nothing = RoundedExpansion(Matrix<double>(4, 2), true).draw(1, RandomStream(1));
  EXPECT_EQ(nothing.rows.size(), 1u);
}

}  // namespace
}  // namespace mercer::methods
