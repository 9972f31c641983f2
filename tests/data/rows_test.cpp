#include <gtest/gtest.h>

#include <mercer/rows.h>

#include "data/in_memory.h"

namespace mercer {
namespace {

using testing::Values;
using testing::values_of;

TEST(RowBlock, EveryFormSpreadsToTheSameNumbers) {
  Matrix<double> wide(2, 2);
  wide(0, 1) = 3;
  wide(1, 0) = -1;
  Matrix<float> narrow(2, 2);
  narrow(0, 1) = 3;
  narrow(1, 0) = -1;
  SparseRows sparse;
  sparse.cols = 2;
  sparse.row_begin = {0, 1, 2};
  sparse.column = {1, 0};
  sparse.value = {3, -1};
  for (const RowBlock& block : {RowBlock{0, wide}, RowBlock{0, narrow}, RowBlock{0, sparse}}) {
    EXPECT_EQ(block.rows(), 2U);
    EXPECT_EQ(block.cols(), 2U);
    EXPECT_EQ(values_of(block.dense()), (Values{{0, 3}, {-1, 0}}));
  }
}

TEST(RowsInMemory, DeliversBlocksOfAViewAgainAndAgain) {
  Matrix<double> points(5, 3);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = static_cast<double>(i);
  const MatrixView<const double> part = std::as_const(points).view().cols_from(1, 2);
  const auto source = rows_in_memory(part);
  EXPECT_EQ(source->rows(), 5U);
  EXPECT_EQ(source->cols(), 2U);
  EXPECT_EQ(source->next(2)->rows(), 2U);
  source->rewind();
  EXPECT_EQ(values_of(*source, 2), values_of(part));
  EXPECT_FALSE(source->next(1).has_value());
}

}  // namespace
}  // namespace mercer
