#include "data/libsvm_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::names_of;
using testing::open_bytes;
using testing::Values;
using testing::values_of;

Table read(const std::string& text, const TableOptions& options = {}) {
  return testing::read_bytes_as(FileFormat::libsvm, text, options);
}

std::string data_error(const std::string& text) {
  return message_of<DataError>([&] { read(text); });
}

TEST(LibsvmReader, SpreadsEntriesAndKeepsLabels) {
  const Table table = read("+1 1:0.5 3:2\n-1 2:-1e1\r\n\n# note\n+1\n2.5 qid:7 1:1 # remark\n");
  EXPECT_EQ(values_of(table.points), (Values{{0.5, 0, 2}, {0, -10, 0}, {0, 0, 0}, {1, 0, 0}}));
  EXPECT_EQ(names_of(table.labels), (std::vector<std::string>{"+1", "-1", "+1", "2.5"}));
  EXPECT_EQ(table.rules.table_columns, 3U);
}

TEST(LibsvmReader, LinesWithoutLabelsHaveNone) {
  const Table table = read("1:1\n2:2\n");
  EXPECT_EQ(values_of(table.points), (Values{{1, 0}, {0, 2}}));
  EXPECT_TRUE(table.labels.empty());
}

TEST(LibsvmReader, AMillionColumnsStaySparse) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("1 {}:1 1000000:2\n", i + 1);
  const auto source = open_bytes(text, FileFormat::libsvm, {}, Keep::points);
  EXPECT_EQ(source->cols(), 1'000'000U);
  EXPECT_EQ(source->rows(), 1000U);
  std::size_t rows = 0;
  while (const auto block = source->next(300)) {
    const auto& sparse = std::get<SparseRows>(block->values);
    EXPECT_EQ(sparse.cols, 1'000'000U);
    EXPECT_EQ(sparse.value.size(), 2 * sparse.rows());
    EXPECT_EQ(sparse.column[0], rows);
    rows += sparse.rows();
  }
  EXPECT_EQ(rows, 1000U);
  EXPECT_EQ(message_of<MemoryLimitError>([&] { read(text, {.memory_limit_bytes = 1 << 30}); }),
            "'test' takes at least 7.5 GiB in memory (1000 x 1000000 numbers), more than the limit "
            "of 1.0 GiB: raise the limit, leave out columns, or read the file block by block");
}

TEST(LibsvmReader, StreamsInBlocksOfAnySizeAndAgain) {
  const std::string text = "1 1:1\n1 2:2\n1 3:3\n1 4:4\n1 5:5\n";
  const Values expected = values_of(read(text).points);
  const auto source = open_bytes(text, FileFormat::libsvm, {}, Keep::points);
  EXPECT_EQ(source->cols(), 5U);
  EXPECT_EQ(source->rules().table_columns, 5U);
  for (const std::size_t rows_at_once : {1, 2, 5, 100}) {
    EXPECT_EQ(values_of(*source, rows_at_once), expected);
    source->rewind();
  }
}

TEST(LibsvmReader, RulesGiveTheWidth) {
  ColumnRules rules;
  rules.table_columns = 5;
  rules.left_out = {4};  // the label of the table that the rules come from
  const Table table = read("1 2:3\n", {.rules = rules});
  EXPECT_EQ(values_of(table.points), (Values{{0, 3, 0, 0}}));
  EXPECT_EQ(message_of<DataError>([&] { read("1 5:3\n", {.rules = rules}); }),
            "'test', line 1: there is a column 5, but only 4 are expected");
  rules.one_hot = {{.column = 0, .categories = {"a"}}};
  EXPECT_THROW(read("1 2:3\n", {.rules = rules}), InvalidArgument);
}

TEST(LibsvmReader, PipesCanBeReadAsAWholeOrWithRules) {
  EXPECT_EQ(values_of(testing::read_piped_bytes_as(FileFormat::libsvm, "1 2:3\n1 1:1\n").points),
            (Values{{0, 3}, {1, 0}}));
  const auto piped = [](const TableOptions& options) {
    return open_table(std::make_unique<testing::PipedBytes>("1 2:3\n"), FileFormat::libsvm, "test",
                      options, Keep::points);
  };
  EXPECT_THROW(piped({}), FileError);
  ColumnRules rules;
  rules.table_columns = 2;
  EXPECT_EQ(values_of(*piped({.rules = rules}), 10), (Values{{0, 3}}));
}

TEST(LibsvmReader, NamesTheLineOfBadEntries) {
  EXPECT_EQ(data_error("1 1:1\n1 0:1\n"),
            "'test', line 2: there is a column 0, but columns of LIBSVM files count from 1");
  EXPECT_EQ(data_error("1 2:1 2:2\n"),
            "'test', line 1: column 2 comes after column 2; they must increase");
  EXPECT_EQ(data_error("1 3:1 2:2\n"),
            "'test', line 1: column 2 comes after column 3; they must increase");
  EXPECT_EQ(data_error("1 x\n"), "'test', line 1: 'x' is not of the form index:value");
  EXPECT_EQ(data_error("1 -1:2\n"), "'test', line 1: '-1:2' is not of the form index:value");
  EXPECT_EQ(data_error("1 1:\n"), "'test', line 1: column 1: '' is not a number");
  EXPECT_EQ(data_error("1 1:2x\n"), "'test', line 1: column 1: '2x' is not a number");
  EXPECT_EQ(data_error("1 1:1\n\n1 1:nan\n"),
            "'test', line 3: column 1: 'nan' is not a finite number");
  EXPECT_EQ(data_error("1 1:1e999\n"), "'test', line 1: column 1: '1e999' is not a finite number");
  EXPECT_EQ(data_error("1 99999999999999:1\n"), "'test', line 1: there is a column 99999999999999");
  EXPECT_THROW(read("1 99999999999999999999999:1\n"), DataError);
}

TEST(LibsvmReader, LabelsAreOnAllLinesOrNone) {
  EXPECT_EQ(data_error("1 1:1\n2:1\n"),
            "'test', line 2: the line does not begin with a label, as those before do");
  EXPECT_EQ(data_error("1:1\n5 2:1\n"),
            "'test', line 2: the line begins with a label, but those before do not");
}

TEST(LibsvmReader, RefusesFilesWithoutRowsOrColumns) {
  EXPECT_EQ(message_of<FileError>([] { read(""); }), "'test' is empty");
  EXPECT_EQ(message_of<FileError>([] { read("# nothing\n"); }), "'test' is empty");
  EXPECT_EQ(data_error("1\n-1\n"), "'test' has no columns");
}

TEST(LibsvmReader, RefusesRolesOfColumns) {
  EXPECT_EQ(read("1 1:1\n", {.label = ColumnName::parse("first")}).labels.names,
            (std::vector<std::string>{"1"}));
  EXPECT_THROW(read("1 1:1\n", {.label = ColumnName::parse("2")}), InvalidArgument);
  EXPECT_THROW(read("1 1:1\n", {.ignore = parse_columns("1")}), InvalidArgument);
  EXPECT_THROW(read("1 1:1\n", {.one_hot = parse_columns("1")}), InvalidArgument);
  EXPECT_THROW(read("1 1:1\n", {.weight = ColumnName::parse("1"), .rules = {.table_columns = 1}}),
               InvalidArgument);
}

RC_GTEST_PROP(LibsvmReader, WhatIsWrittenIsRead, ()) {
  const auto cols = *rc::gen::inRange<std::size_t>(1, 8);
  const auto values =
      *rc::gen::nonEmpty(rc::gen::container<Values>(rc::gen::container<std::vector<double>>(
          cols, rc::gen::map(rc::gen::inRange(-3, 4), [](int i) { return 0.25 * i; }))));
  std::string text;
  std::size_t widest = 0;
  for (const auto& row : values) {
    text += "0";
    for (std::size_t j = 0; j < cols; ++j) {
      if (row[j] == 0) continue;
      text += fmt::format(" {}:{}", j + 1, row[j]);
      widest = std::max(widest, j + 1);
    }
    text += "\n";
  }
  RC_PRE(widest == cols);
  RC_ASSERT(values_of(read(text).points) == values);
}

}  // namespace
}  // namespace mercer::data
