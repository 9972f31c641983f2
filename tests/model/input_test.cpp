#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/input.h>

#include "model/error_message.h"

namespace mercer {
namespace {

using testing::message_of;

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> points(values.size(), 1);
  std::ranges::copy(values, points.data());
  return points;
}

struct Moments {
  double mean;
  double deviation;
};

/// In extended precision, after scaling.
Moments moments(const Matrix<double>& points, std::size_t j) {
  long double sum = 0, squares = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) sum += points(i, j);
  const long double mean = sum / static_cast<long double>(points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const long double deviation = points(i, j) - mean;
    squares += deviation * deviation;
  }
  return {static_cast<double>(mean),
          static_cast<double>(std::sqrt(squares / static_cast<long double>(points.rows())))};
}

Matrix<double> standardized(Matrix<double> points) {
  standard_scaling(points).apply(points);
  return points;
}

TEST(StandardScaling, GivesMeanZeroAndDeviationOneAtEveryMagnitude) {
  for (const double unit : {1.0, 1e150, 1e-150, 1e300, 1e-300, 1e307}) {
    Matrix<double> points = column({1, 2, 3, 4, -7, 8.5});
    for (std::size_t i = 0; i < points.rows(); ++i) points(i, 0) *= unit;
    const Moments m = moments(standardized(std::move(points)), 0);
    EXPECT_NEAR(m.mean, 0, 1e-15) << unit;
    EXPECT_NEAR(m.deviation, 1, 1e-15) << unit;
  }
}

TEST(StandardScaling, LargeOffsetCostsNoMoreDigitsThanItMust) {
  Matrix<double> points(1000, 1);
  for (std::size_t i = 0; i < 1000; ++i) points(i, 0) = 1e9 + static_cast<double>(i % 7);
  const Moments m = moments(standardized(std::move(points)), 0);
  EXPECT_NEAR(m.mean, 0, 1e-7);  // 1e9 * 2.2e-16 of rounding in the shift
  EXPECT_NEAR(m.deviation, 1, 1e-14);
}

TEST(StandardScaling, ConstantColumnsAreOnlyShifted) {
  for (const double value : {0.1, 1e150, -1e-150, 0.0, 1e16 + 2}) {
    const Matrix<double> points = column(std::vector<double>(1001, value));
    const ColumnScaling scaling = standard_scaling(points);
    EXPECT_EQ(scaling.shift[0], -value);
    EXPECT_EQ(scaling.multiply[0], 1);
  }
}

TEST(StandardScaling, SubnormalSpreadStaysFinite) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  Matrix<double> points = column({0, tiny, 2 * tiny, 3 * tiny});
  const ColumnScaling scaling = standard_scaling(points);
  scaling.apply(points);
  EXPECT_TRUE(std::isfinite(scaling.multiply[0]));
  EXPECT_LT(points(0, 0), points(3, 0));
  EXPECT_TRUE(std::isfinite(points(3, 0)));
}

TEST(StandardScaling, OneRowIsConstant) {
  const ColumnScaling scaling = standard_scaling(column({4.5}));
  EXPECT_EQ(scaling.shift[0], -4.5);
  EXPECT_EQ(scaling.multiply[0], 1);
}

TEST(StandardScaling, ReadsStridedViews) {
  const std::vector<double> memory = {1, 10, 99, 3, 20, 99, 5, 30, 99};
  const ColumnScaling scaling = standard_scaling(MatrixView<const double>(memory.data(), 3, 2, 3));
  EXPECT_DOUBLE_EQ(scaling.shift[0], -3);
  EXPECT_DOUBLE_EQ(scaling.shift[1], -20);
  EXPECT_DOUBLE_EQ(scaling.multiply[1], 1 / std::sqrt(200.0 / 3));
}

RC_GTEST_PROP(ScalingProperties, MomentsAndEndsAreRight,
              (const std::vector<std::int32_t>& values)) {
  RC_PRE(std::ranges::any_of(values, [&](std::int32_t v) { return v != values[0]; }));
  std::vector<double> numbers(values.begin(), values.end());
  const Moments m = moments(standardized(column(numbers)), 0);
  const double range = *std::ranges::max_element(numbers) - *std::ranges::min_element(numbers);
  const double rounding =
      1e-15 *
      (1 + std::abs(*std::ranges::max_element(numbers, {}, [](double x) { return std::abs(x); })) *
               std::sqrt(static_cast<double>(values.size())) * 4 / range);
  RC_ASSERT(std::abs(m.mean) <= rounding);
  RC_ASSERT(std::abs(m.deviation - 1) <= 1e-13);

  Matrix<double> points = column(numbers);
  minmax_scaling(points).apply(points);
  const auto [low, high] =
      std::ranges::minmax_element(points.data(), points.data() + points.rows());
  RC_ASSERT(std::abs(*low + 1) <= 1e-6);
  RC_ASSERT(std::abs(*high - 1) <= 1e-6);
}

TEST(MinmaxScaling, MapsTheEndsToPlusAndMinusOne) {
  for (const double unit : {1.0, 1e150, 1e-150, 8e307, 1e-320}) {
    Matrix<double> points = column({-1 * unit, 0, 0.5 * unit, 1 * unit});
    minmax_scaling(points).apply(points);
    EXPECT_NEAR(points(0, 0), unit > 1e-310 ? -1 : points(0, 0), 1e-15) << unit;
    EXPECT_NEAR(points(3, 0), -points(0, 0), 1e-15) << unit;
    EXPECT_EQ(points(1, 0), 0) << unit;
  }
}

TEST(MinmaxScaling, ConstantColumnsGoToZero) {
  Matrix<double> points = column({0.1, 0.1, 0.1});
  minmax_scaling(points).apply(points);
  EXPECT_EQ(points(0, 0), 0);
}

TEST(Scaling, RefusesWhatCannotBeScaled) {
  EXPECT_THROW(standard_scaling(Matrix<double>(0, 3)), DataError);
  EXPECT_THROW(minmax_scaling(Matrix<double>(3, 0)), DataError);
  EXPECT_EQ(message_of<DataError>([] { standard_scaling(column({1, 2, std::nan("")})); }),
            "row 3, column 1 is nan; only finite numbers can be scaled");
  const auto wide = column({-1.7e308, 1.7e308});
  EXPECT_NE(message_of<DataError>([&] { standard_scaling(wide); }).find("column 1 reaches from"),
            std::string::npos);
}

TEST(ColumnScaling, ApplyChecksTheWidth) {
  Matrix<double> points(2, 3);
  EXPECT_THROW(fixed_scaling(2, 1, 1).apply(points), DataError);
  EXPECT_NO_THROW(ColumnScaling{}.apply(points));
}

TEST(FixedScaling, ShiftsFirst) {
  Matrix<double> points = column({-1, 0, 1});
  fixed_scaling(1, 1, 0.5).apply(points);
  EXPECT_EQ(points(0, 0), 0);
  EXPECT_EQ(points(1, 0), 0.5);
  EXPECT_EQ(points(2, 0), 1);
}

TEST(FixedScaling, RefusesMapsThatLoseTheData) {
  EXPECT_THROW(fixed_scaling(1, 0, 0), InvalidArgument);
  EXPECT_THROW(fixed_scaling(1, std::nan(""), 1), InvalidArgument);
  EXPECT_THROW(fixed_scaling(1, 0, std::numeric_limits<double>::infinity()), InvalidArgument);
}

TEST(Compose, EqualsOneMapAfterTheOther) {
  Matrix<double> together = column({-3, 0.25, 17});
  Matrix<double> apart = together;
  const ColumnScaling first = fixed_scaling(1, 1, 0.5);
  const ColumnScaling second = fixed_scaling(1, -3, 4);
  compose(first, second).apply(together);
  first.apply(apart);
  second.apply(apart);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(together(i, 0), apart(i, 0));
}

TEST(Compose, IdentityOnEitherSideChangesNothing) {
  const ColumnScaling map = fixed_scaling(2, 3, 4);
  EXPECT_EQ(compose(map, {}).shift, map.shift);
  EXPECT_EQ(compose({}, map).multiply, map.multiply);
  EXPECT_TRUE(compose({}, {}).empty());
}

TEST(Compose, RefusesOtherWidthsAndOverflow) {
  EXPECT_THROW(compose(fixed_scaling(1, 0, 1), fixed_scaling(2, 0, 1)), InvalidArgument);
  EXPECT_THROW(compose(fixed_scaling(1, 0, 1e200), fixed_scaling(1, 0, 1e200)), InvalidArgument);
  EXPECT_THROW(compose(fixed_scaling(1, 0, 1e-200), fixed_scaling(1, 0, 1e-200)), InvalidArgument);
  EXPECT_THROW(compose(fixed_scaling(1, 0, 1e-200), fixed_scaling(1, 1e200, 1)), InvalidArgument);
}

TEST(ColumnRules, CountsTheColumnsOfAPoint) {
  ColumnRules rules{.table_columns = 5, .left_out = {0, 4}, .one_hot = {{2, {"a", "b", "c"}}}};
  EXPECT_NO_THROW(rules.validate());
  EXPECT_EQ(rules.point_columns(), 5u);
  EXPECT_TRUE(ColumnRules{}.empty());
}

TEST(ColumnRules, RefusesContradictions) {
  const auto refusal = [](const ColumnRules& rules) {
    return message_of<InvalidArgument>([&] { rules.validate(); });
  };
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {2}}),
            "column rules name column 3 of a table with 2 columns");
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {1, 1}}), "column rules name column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {1}, .one_hot = {{1, {"a"}}}}),
            "column rules name column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .one_hot = {{1, {"a", "a"}}}}),
            "column rules list the category 'a' of column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .names = {"x"}}),
            "column rules have 1 names for 2 columns");
  EXPECT_NE(refusal({.table_columns = 1,
                     .names = {"Gr\xf6\xdf"
                               "e"}})
                .find("is not UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace mercer
