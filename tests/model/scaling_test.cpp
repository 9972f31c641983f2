#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

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

/// A source of these rows in every form that blocks have.
std::unique_ptr<RowSource> callback_source(const Matrix<double>& points, std::size_t rows_at_once) {
  auto next_row = std::make_shared<std::size_t>(0);
  return rows_from_callbacks(
      {.cols = points.cols(),
       .next = [&points, next_row, rows_at_once](std::size_t max_rows) -> std::optional<RowBlock> {
         const std::size_t count = std::min({rows_at_once, max_rows, points.rows() - *next_row});
         if (count == 0) return std::nullopt;
         RowBlock block{.values = Matrix<double>(points.view().rows_from(*next_row, count))};
         *next_row += count;
         return block;
       },
       .rewind = [next_row] { *next_row = 0; }});
}

/// More rows than are summed at a time, with an outlier late, an offset and a constant.
Matrix<double> uneven_points() {
  Matrix<double> points(5003, 4);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const auto t = static_cast<double>(i);
    points(i, 0) = std::sin(t);
    points(i, 1) = 1e6 + std::cos(3 * t);
    points(i, 2) = 0.1;
    points(i, 3) = i == 4000 ? 1e150 : 1e-150 * t;
  }
  return points;
}

TEST(Scaling, OfAStreamHasTheBitsOfTheTableInMemory) {
  const Matrix<double> points = uneven_points();
  const ColumnScaling standard = standard_scaling(points);
  const ColumnScaling minmax = minmax_scaling(points);
  for (const std::size_t rows_at_once : {1, 7, 1000, 1024, 10'000}) {
    const auto source = callback_source(points, rows_at_once);
    source->next(3);  // the scaling goes back to the first row
    const ColumnScaling streamed = standard_scaling(*source);
    EXPECT_EQ(streamed.shift, standard.shift) << rows_at_once;
    EXPECT_EQ(streamed.multiply, standard.multiply) << rows_at_once;
    EXPECT_EQ(minmax_scaling(*source).shift, minmax.shift) << rows_at_once;
    EXPECT_EQ(minmax_scaling(*source).multiply, minmax.multiply) << rows_at_once;
    EXPECT_FALSE(source->next(1).has_value());
  }
}

TEST(StandardScaling, ManyBlocksGiveMeanZeroAndDeviationOne) {
  const Matrix<double> points = standardized(uneven_points());
  EXPECT_NEAR(moments(points, 0).mean, 0, 1e-15);
  EXPECT_NEAR(moments(points, 0).deviation, 1, 1e-14);
  EXPECT_NEAR(moments(points, 1).mean, 0, 1e-9);  // 1e6 * 2.2e-16 of rounding in the shift
  EXPECT_NEAR(moments(points, 1).deviation, 1, 1e-13);
  EXPECT_EQ(points(5000, 2), 0);
  EXPECT_NEAR(moments(points, 3).mean, 0, 1e-14);
  EXPECT_NEAR(moments(points, 3).deviation, 1, 1e-13);
}

TEST(Scaling, OfAStreamNamesTheRow) {
  Matrix<double> points(3000, 2);
  points(2500, 1) = std::numeric_limits<double>::infinity();
  const auto source = rows_in_memory(points);
  EXPECT_EQ(message_of<DataError>([&] { standard_scaling(*source); }),
            "row 2501, column 2 is inf; only finite numbers can be scaled");
  EXPECT_EQ(message_of<DataError>([&] { minmax_scaling(*source); }),
            message_of<DataError>([&] { minmax_scaling(points); }));
  const Matrix<double> nothing(0, 3);
  EXPECT_EQ(message_of<DataError>([&] { standard_scaling(*rows_in_memory(nothing)); }),
            "cannot scale the columns of an empty table (0 x 3)");
  const auto silent =
      rows_from_callbacks({.cols = 3, .next = [](std::size_t) { return std::nullopt; }});
  EXPECT_EQ(message_of<DataError>([&] { minmax_scaling(*silent); }),
            "cannot scale the columns of an empty table (0 x 3)");
}

TEST(ScaledRows, MapsEveryBlockAndKeepsItsWeights) {
  Matrix<double> points = uneven_points();
  std::vector<double> weights(points.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i + 1);
  const auto source = rows_in_memory(points, weights);
  const ColumnScaling scaling = standard_scaling(*source);
  const auto scaled = scaled_rows(*source, scaling);
  EXPECT_EQ(scaled->cols(), 4U);
  EXPECT_EQ(scaled->rows(), points.rows());
  Matrix<double> expected = points;
  scaling.apply(expected);
  for (int pass = 0; pass < 2; ++pass) {
    scaled->rewind();
    std::size_t row = 0;
    while (const auto block = scaled->next(999)) {
      const Matrix<double> values = block->dense();
      ASSERT_EQ(block->first_row, row);
      ASSERT_EQ(block->weights.size(), values.rows());
      EXPECT_EQ(block->weights.front(), weights[row]);
      EXPECT_TRUE(std::ranges::equal(values.row(0), expected.row(row)));
      row += values.rows();
    }
    EXPECT_EQ(row, points.rows());
  }
}

TEST(ScaledRows, SparseRowsBecomeDense) {
  SparseRows sparse;
  sparse.cols = 3;
  sparse.row_begin = {0, 1, 1};
  sparse.column = {2};
  sparse.value = {5};
  const auto source = rows_from_callbacks(
      {.cols = 3, .next = [&, sent = false](std::size_t) mutable -> std::optional<RowBlock> {
         if (std::exchange(sent, true)) return std::nullopt;
         return RowBlock{.values = sparse};
       }});
  const auto block = scaled_rows(*source, fixed_scaling(3, 1, 2))->next(10);
  const auto& values = std::get<Matrix<double>>(block->values);
  EXPECT_EQ(std::vector<double>(values.data(), values.data() + 6),
            (std::vector<double>{2, 2, 12, 2, 2, 2}));
}

TEST(ScaledRows, AnEmptyScalingChangesNothingAndAnotherWidthIsRefused) {
  const Matrix<double> points(2, 3);
  const auto source = rows_in_memory(points);
  EXPECT_EQ(scaled_rows(*source, {})->next(5)->rows(), 2U);
  EXPECT_EQ(message_of<DataError>([&] { scaled_rows(*source, fixed_scaling(2, 1, 1)); }),
            "the points have 3 columns, but the scaling is for 2");
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

}  // namespace
}  // namespace mercer
