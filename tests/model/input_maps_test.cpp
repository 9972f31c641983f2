#include "model/input_maps.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "model/error_message.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::message_of;
using testing::normal_matrix;
using testing::same_bits;

InputMaps example_maps() {
  return {.scaling = fixed_scaling(11, 0.5, 2), .projection = {normal_matrix(11, 5, 1)}};
}

TEST(InputMaps, ScaleThenProject) {
  const InputMaps maps = example_maps();
  const Matrix<double> rows = normal_matrix(300, 11, 2);
  Matrix<double> scaled = rows;
  maps.scaling.apply(scaled);
  EXPECT_LT(largest_difference(maps.apply(rows),
                               engine::reference::multiply(scaled, maps.projection.matrix)),
            1e-13);
  EXPECT_EQ(maps.row_columns(5), 11u);
  EXPECT_EQ(maps.point_columns(11), 5u);
  EXPECT_FALSE(maps.leaves_rows());
  EXPECT_TRUE(InputMaps{}.leaves_rows());
  EXPECT_TRUE(same_bits(InputMaps{}.apply(rows), rows));
}

TEST(InputMaps, GiveTheSameBitsForAnyThreadsAndBlocks) {
  const InputMaps maps = example_maps();
  const Matrix<double> rows = normal_matrix(333, 11, 3);
  const Matrix<double> points = maps.apply(rows, {.threads = 1});
  EXPECT_TRUE(same_bits(maps.apply(rows, {.threads = 4}), points));
  for (const std::size_t at_once : {1u, 7u, 100u, 1000u}) {
    const auto source = rows_in_memory(rows);
    const auto mapped = mapped_rows(*source, maps, {.threads = 3});
    EXPECT_EQ(mapped->cols(), 5u);
    EXPECT_EQ(mapped->rows(), 333u);
    std::size_t row = 0;
    while (auto block = mapped->next(at_once)) {
      EXPECT_EQ(block->first_row, row);
      const Matrix<double> part = std::move(*block).dense();
      EXPECT_TRUE(same_bits(part, points.view().rows_from(row, part.rows())));
      row += part.rows();
    }
    EXPECT_EQ(row, 333u);
    mapped->rewind();
    EXPECT_EQ(mapped->next(2)->rows(), 2u);
  }
}

TEST(InputMaps, KeepWeightsAndTakeSparseRows) {
  SparseRows sparse;
  sparse.cols = 11;
  sparse.column = {3, 10};
  sparse.value = {2.0, -1.0};
  sparse.row_begin = {0, 2};
  std::size_t calls = 0;
  const auto source =
      rows_from_callbacks({.cols = 11, .next = [&](std::size_t) -> std::optional<RowBlock> {
                             if (calls++ > 0) return std::nullopt;
                             return RowBlock{.values = sparse, .weights = {2.5}};
                           }});
  InputMaps maps = example_maps();
  maps.scaling = {};
  const auto mapped = mapped_rows(*source, maps);
  const auto block = mapped->next(10);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->weights, std::vector<double>{2.5});
  const Matrix<double> points = block->dense();
  const Matrix<double>& p = maps.projection.matrix;
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(points(0, j), 2 * p(3, j) - p(10, j), 1e-15);
}

TEST(InputMaps, NameTheRowAndColumnOfABadNumberBeforeItSpreads) {
  Matrix<double> rows = normal_matrix(200, 11, 4);
  rows(150, 7) = std::numeric_limits<double>::infinity();
  const auto source = rows_in_memory(rows);
  const auto mapped = mapped_rows(*source, example_maps());
  mapped->next(100);
  const std::string said = message_of<DataError>([&] { mapped->next(100); });
  EXPECT_NE(said.find("row 151"), std::string::npos) << said;
  EXPECT_NE(said.find("column 8"), std::string::npos) << said;
}

TEST(InputMaps, RefuseRowsOfAnotherWidth) {
  EXPECT_EQ(message_of<DataError>([] {
              InputMaps{.projection = {normal_matrix(11, 5, 1)}}.apply(normal_matrix(3, 5, 1));
            }),
            "the points have 5 columns, but the projection is for 11");
  const Matrix<double> narrow = normal_matrix(3, 10, 1);
  const auto source = rows_in_memory(narrow);
  EXPECT_THROW(mapped_rows(*source, example_maps()), DataError);
  EXPECT_THROW(mapped_rows(*source, {.projection = {normal_matrix(11, 5, 1)}}), DataError);
}

TEST(InputMaps, AreCheckedAgainstTheModel) {
  const Kernel kernel = Gaussian{1.0};
  const auto refusal = [&](auto change) {
    InputMaps maps = example_maps();
    change(maps);
    return message_of<InvalidArgument>([&] { model::check_input(maps, kernel, 5); });
  };
  EXPECT_NO_THROW(model::check_input(example_maps(), kernel, 5));
  EXPECT_EQ(refusal([](InputMaps& m) { m.projection.matrix = normal_matrix(11, 4, 1); }),
            "input maps: the projection gives 4 columns, the model has 5");
  EXPECT_EQ(refusal([](InputMaps& m) { m.scaling = fixed_scaling(5, 1, 1); }),
            "input maps: the scaling has 5 shifts and 5 factors for 11 columns");
  EXPECT_EQ(refusal([](InputMaps& m) { m.projection.matrix(1, 0) = NAN; }),
            "input maps: projection.matrix holds nan at position 6");
  EXPECT_EQ(refusal([](InputMaps& m) { m.columns.table_columns = 12; }),
            "input maps: the column rules give 12 columns, the model has 11");
  EXPECT_THROW(model::check_input(example_maps(), Chi2{}, 5), InvalidArgument);
  EXPECT_THROW(model::check_input_of_file(example_maps(), Chi2{}, 5, "x.mercer"), FileError);
}

}  // namespace
}  // namespace mercer
