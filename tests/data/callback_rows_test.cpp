#include <cmath>
#include <limits>

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

/// Delivers prepared blocks one after the other, whatever is asked for.
class Blocks {
 public:
  explicit Blocks(std::vector<RowBlock> blocks) : blocks_(std::move(blocks)) {}

  std::unique_ptr<RowSource> source(std::size_t cols, std::optional<std::size_t> rows = {}) {
    return rows_from_callbacks({.cols = cols,
                                .rows = rows,
                                .next = [this](std::size_t) -> std::optional<RowBlock> {
                                  if (next_ == blocks_.size()) return std::nullopt;
                                  return blocks_[next_++];
                                },
                                .rewind = [this] { next_ = 0; }});
  }

 private:
  std::vector<RowBlock> blocks_;
  std::size_t next_ = 0;
};

template <class T = double>
RowBlock block_of(std::size_t cols, const std::vector<T>& values,
                  std::vector<double> weights = {}) {
  Matrix<T> rows(values.size() / cols, cols);
  std::ranges::copy(values, rows.data());
  return {.values = std::move(rows), .weights = std::move(weights)};
}

RowBlock sparse_block(std::size_t cols, std::vector<std::uint64_t> row_begin,
                      std::vector<std::uint64_t> column, std::vector<double> value) {
  SparseRows rows;
  rows.cols = cols;
  rows.row_begin = std::move(row_begin);
  rows.column = std::move(column);
  rows.value = std::move(value);
  return {.values = std::move(rows)};
}

/// Consecutive numbers, as many rows as are asked for but never more than `most_at_once`.
std::unique_ptr<RowSource> counting_rows(std::size_t rows, std::size_t most_at_once) {
  auto next_row = std::make_shared<std::size_t>(0);
  return rows_from_callbacks({.cols = 2,
                              .next = [=](std::size_t max_rows) -> std::optional<RowBlock> {
                                const std::size_t count =
                                    std::min({max_rows, most_at_once, rows - *next_row});
                                if (count == 0) return std::nullopt;
                                Matrix<double> block(count, 2);
                                for (std::size_t i = 0; i < count; ++i)
                                  block(i, 0) = static_cast<double>((*next_row)++);
                                return RowBlock{.values = std::move(block)};
                              },
                              .rewind = [=] { *next_row = 0; }});
}

std::string refusal(std::vector<RowBlock> blocks, std::size_t cols,
                    std::optional<std::size_t> rows = {}) {
  return message_of<DataError>([&] {
    Blocks prepared(std::move(blocks));
    const auto source = prepared.source(cols, rows);
    while (source->next(2)) continue;
  });
}

TEST(CallbackRows, BlocksAreFullHoweverShortTheCallbackMakesThem) {
  Values expected;
  for (int i = 0; i < 100; ++i) expected.push_back({1.0 * i, 0});
  for (const std::size_t most_at_once : {1, 7, 100}) {
    const auto source = counting_rows(100, most_at_once);
    EXPECT_EQ(source->rows(), std::nullopt);
    EXPECT_EQ(source->next(32)->rows(), 32U);
    EXPECT_EQ(source->next(0), std::nullopt);
    source->rewind();
    EXPECT_EQ(values_of(*source, 33), expected);
    EXPECT_EQ(source->rows(), 100U);
    EXPECT_FALSE(source->next(1).has_value());
    source->rewind();
    EXPECT_EQ(values_of(*source, 1000), expected);
  }
}

TEST(CallbackRows, EveryFormAndTheWeightsAreJoined) {
  Blocks wide({block_of(2, {1, 2}, {0.5}), block_of(2, {3, 4})});
  const auto weighted = wide.source(2, 2)->next(10);
  EXPECT_EQ(values_of(weighted->dense()), (Values{{1, 2}, {3, 4}}));
  EXPECT_EQ(weighted->weights, (std::vector<double>{0.5, 1}));

  Blocks narrow({block_of<float>(1, {0.1F}), block_of<float>(1, {2, 3})});
  const auto floats = narrow.source(1)->next(10);
  EXPECT_EQ(std::get<Matrix<float>>(floats->values).rows(), 3U);
  EXPECT_TRUE(floats->weights.empty());

  Blocks sparse({sparse_block(3, {0, 1, 1}, {2}, {7}), sparse_block(3, {0, 2}, {0, 1}, {8, 9})});
  const auto joined = sparse.source(3)->next(10);
  EXPECT_EQ(std::get<SparseRows>(joined->values).value.size(), 3U);
  EXPECT_EQ(values_of(joined->dense()), (Values{{0, 0, 7}, {0, 0, 0}, {8, 9, 0}}));
}

TEST(CallbackRows, WrongShapesAreRefusedWithTheirBlock) {
  EXPECT_EQ(refusal({block_of(2, {1, 2, 3, 4}), block_of(3, {1, 2, 3})}, 2),
            "block 2 of the callback (from row 3) has 3 columns, but 2 are expected");
  EXPECT_EQ(refusal({block_of(1, {1, 2, 3})}, 1),
            "block 1 of the callback (from row 1) has 3 rows, but 2 were asked for");
  EXPECT_EQ(refusal({block_of(1, {1}), block_of(1, {})}, 1),
            "block 2 of the callback (from row 2) has no rows; return nothing at the end");
  EXPECT_EQ(refusal({block_of(1, {1}), block_of<float>(1, {1})}, 1),
            "block 2 of the callback (from row 2) is of another form (doubles, floats, sparse "
            "rows) than the first");
}

TEST(CallbackRows, BadNumbersAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal({block_of(2, {1, 2}), block_of(2, {1, std::nan("")})}, 2),
            "block 2 of the callback: row 2, column 2 is nan, which is not a finite number");
  EXPECT_EQ(refusal({block_of<float>(1, {1, std::numeric_limits<float>::infinity()})}, 1),
            "block 1 of the callback: row 2, column 1 is inf, which is not a finite number");
  EXPECT_EQ(refusal({sparse_block(3, {0, 1}, {2}, {std::nan("")})}, 3),
            "block 1 of the callback: row 1, column 3 is nan, which is not a finite number");
  EXPECT_EQ(refusal({block_of(1, {1, 2}, {1, -1})}, 1),
            "block 1 of the callback (from row 1) has the weight -1 in row 2; weights must be "
            "positive and finite");
  EXPECT_EQ(refusal({block_of(1, {1, 2}, {1})}, 1),
            "block 1 of the callback (from row 1) has 1 weights for 2 rows");
}

TEST(CallbackRows, SparseRowsThatDoNotFitTogetherAreRefused) {
  const std::string torn =
      "block 1 of the callback (from row 1) is not a list of sparse rows: row_begin, column and "
      "value do not fit together";
  EXPECT_EQ(refusal({sparse_block(3, {0, 2}, {1}, {1})}, 3), torn);
  EXPECT_EQ(refusal({sparse_block(3, {1, 1}, {1}, {1})}, 3), torn);
  EXPECT_EQ(refusal({sparse_block(3, {0, 1}, {1, 2}, {1})}, 3), torn);
  EXPECT_EQ(refusal({sparse_block(3, {0, 2, 1}, {1}, {1})}, 3), torn);
  EXPECT_EQ(refusal({sparse_block(3, {}, {}, {})}, 3),
            "block 1 of the callback (from row 1) has no row_begin");
  EXPECT_EQ(refusal({sparse_block(3, {0, 1}, {3}, {1})}, 3),
            "block 1 of the callback (from row 1) has column 3 in row 1: columns must increase and "
            "stay below 3");
  EXPECT_EQ(refusal({sparse_block(3, {0, 2}, {1, 1}, {1, 1})}, 3),
            "block 1 of the callback (from row 1) has column 1 in row 1: columns must increase and "
            "stay below 3");
}

TEST(CallbackRows, TheNumberOfRowsIsChecked) {
  EXPECT_EQ(refusal({block_of(1, {1, 2})}, 1, 3),
            "the callback delivers only 2 rows, but 3 were announced");
  EXPECT_EQ(refusal({block_of(1, {1, 2}), block_of(1, {3, 4})}, 1, 3),
            "the callback delivers more rows, but 3 were announced");
  EXPECT_EQ(refusal({block_of(1, {1, 2}), block_of(1, {3})}, 1, 3), "no error");

  std::size_t left = 3;
  const auto source = rows_from_callbacks({.cols = 1,
                                           .next = [&](std::size_t) -> std::optional<RowBlock> {
                                             if (left == 0) return std::nullopt;
                                             --left;
                                             return block_of(1, {1});
                                           },
                                           .rewind = [&] { left = 2; }});
  values_of(*source, 2);
  source->rewind();
  EXPECT_EQ(message_of<DataError>([&] { values_of(*source, 2); }),
            "the callback delivers only 2 rows, but 3 in the first pass");
}

TEST(CallbackRows, WithoutRewindTheyAreReadOnce) {
  const auto source =
      rows_from_callbacks({.cols = 1, .next = [](std::size_t) { return block_of(1, {1}); }});
  source->rewind();
  source->next(1);
  EXPECT_EQ(message_of<FileError>([&] { source->rewind(); }),
            "the rows of a callback without `rewind` can be read only once");
}

TEST(CallbackRows, NeedColumnsAndAFunction) {
  EXPECT_THROW(rows_from_callbacks({.cols = 1}), InvalidArgument);
  EXPECT_THROW(rows_from_callbacks(
                   {.next = [](std::size_t) -> std::optional<RowBlock> { return std::nullopt; }}),
               InvalidArgument);
}

}  // namespace
}  // namespace mercer
