#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/rows.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer {
namespace {

using testing::message_of;
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

TEST(RowBlock, OfABlockGivenUpTheNumbersAreNotCopied) {
  RowBlock block{0, Matrix<double>(2, 2)};
  const double* const numbers = std::get<Matrix<double>>(block.values).data();
  EXPECT_EQ(std::move(block).dense().data(), numbers);
}

TEST(RowsInMemory, BlocksCarryTheirWeights) {
  const Matrix<double> points(5, 1);
  const std::vector<double> weights{1, 2, 3, 4, 5};
  const auto source = rows_in_memory(points, weights);
  EXPECT_EQ(source->next(2)->weights, (std::vector<double>{1, 2}));
  EXPECT_EQ(source->next(2)->weights, (std::vector<double>{3, 4}));
  EXPECT_EQ(source->next(2)->weights, (std::vector<double>{5}));
  EXPECT_TRUE(rows_in_memory(points)->next(5)->weights.empty());
}

TEST(RowsInMemory, RefusesBadWeights) {
  const Matrix<double> points(2, 1);
  const auto refusal = [&](const std::vector<double>& weights) {
    return message_of<InvalidArgument>([&] { rows_in_memory(points, weights); });
  };
  EXPECT_EQ(refusal({1}), "there are 1 weights for 2 rows");
  EXPECT_EQ(refusal({1, 0}),
            "weight 2 is 0: weights must be positive and finite; leave out rows of weight 0");
  EXPECT_NE(refusal({std::nan(""), 1}).find("weight 1 is nan"), std::string::npos);
}

}  // namespace
}  // namespace mercer
