#include "model/column_statistics.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>

namespace mercer::model {
namespace {

TEST(RowsPerBlock, FitsTheCacheForEveryWidth) {
  for (const std::size_t cols : {1, 16, 100, 784, 65'536, 1'000'000}) {
    EXPECT_GE(rows_per_block(cols), 1U);
    EXPECT_LE(rows_per_block(cols), 1024U);
    EXPECT_LE(rows_per_block(cols) * cols, std::max<std::size_t>(cols, 65'536));
  }
}

/// Rows one by one, so that every merge of blocks is of the most uneven kind.
ColumnMoments moments_by_rows(const Matrix<double>& points) {
  ColumnMoments moments(points.cols());
  for (std::size_t i = 0; i < points.rows(); ++i) moments.add(points.view().rows_from(i, 1));
  return moments;
}

TEST(ColumnMoments, MergingRowsAgreesWithOneBlock) {
  Matrix<double> points(500, 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    points(i, 0) = 1e9 + static_cast<double>(i * i % 101);
    points(i, 1) = std::exp(static_cast<double>(i) - 250);  // the unit grows with nearly every row
  }
  ColumnMoments whole(2);
  whole.add(points);
  const ColumnMoments merged = moments_by_rows(points);
  EXPECT_EQ(merged.rows(), 500U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(merged.mean(j) / whole.mean(j), 1, 1e-13);
    EXPECT_NEAR(merged.deviation(j) / whole.deviation(j), 1, 1e-13);
  }
}

TEST(ColumnMoments, TheWholeRangeOfDoublesHasMoments) {
  Matrix<double> points(4, 1);
  points(0, 0) = 5e-324;
  points(1, 0) = 1.7e308;
  points(2, 0) = 1;
  points(3, 0) = 1.7e308;
  const ColumnMoments merged = moments_by_rows(points);
  EXPECT_NEAR(merged.mean(0) / 0.85e308, 1, 1e-15);
  EXPECT_NEAR(merged.deviation(0) / 0.85e308, 1, 1e-15);
}

TEST(ColumnRanges, SpansBeyondTheLargestDoubleAreFoundAcrossBlocks) {
  Matrix<double> points(2, 2);
  points(0, 1) = -1.7e308;
  points(1, 1) = 1.7e308;
  ColumnRanges ranges(2);
  ranges.add(points.view().rows_from(0, 1));
  EXPECT_THROW(ranges.add(points.view().rows_from(1, 1)), DataError);
}

}  // namespace
}  // namespace mercer::model
