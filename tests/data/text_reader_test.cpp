#include "data/text_reader.h"

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
using testing::PipedBytes;
using testing::Values;
using testing::values_of;

Table read(const std::string& text, const TableOptions& options = {}) {
  return testing::read_bytes_as(FileFormat::text, text, options);
}

std::string data_error(const std::string& text, const TableOptions& options = {}) {
  return message_of<DataError>([&] { read(text, options); });
}

TEST(TextReader, ReadsPlainNumbers) {
  const Table table = read("1,2.5\n-3,4e2\n");
  EXPECT_EQ(values_of(table.points), (Values{{1, 2.5}, {-3, 400}}));
  EXPECT_TRUE(table.labels.empty());
  EXPECT_TRUE(table.weights.empty());
  EXPECT_EQ(table.rules.table_columns, 2U);
  EXPECT_TRUE(table.rules.left_out.empty());
  EXPECT_TRUE(table.rules.names.empty());
}

TEST(TextReader, ReadsEverySpellingOfTheSameTable) {
  const Values expected{{1, 2}, {3, 4}};
  for (const std::string text : {
           "1,2\n3,4",
           "1;2\r\n3;4\r\n",
           "1\t2\n3\t4\n",
           "  1   2\n\t3 4  \n",
           "# comment\n\n1, 2\n \n+3 ,4.0\n\n",
           "\"1\",\"2\"\n\"3\" , \" 4 \"\n",
           "a,b\n1,2\n3,4\n",
           "\"first, one\",\"se\"\"cond\"\n1,2\n3,4\n",
       }) {
    EXPECT_EQ(values_of(read(text).points), expected) << text;
  }
  const std::string utf8_mark = "\xef\xbb\xbf";
  EXPECT_EQ(values_of(read(utf8_mark + "1,2\n3,4\n").points), expected);
  EXPECT_EQ(values_of(read("1|2\n3|4\n", {.delimiter = '|'}).points), expected);
  EXPECT_EQ(values_of(read("9,9\n1,2\n3,4\n", {.header = true}).points), expected);
}

TEST(TextReader, KeepsTheNamesOfAHeader) {
  const Table table = read("\"a, x\",b\n1,2\n");
  EXPECT_EQ(table.rules.names, (std::vector<std::string>{"a, x", "b"}));
}

TEST(TextReader, SetsLabelsAndWeightsApart) {
  const Table table = read("y,x1,w,x2\ncat,1,0.5,2\ndog,3,1.5,4\ncat,5,2,6\n",
                           {.label = ColumnName::parse("y"), .weight = ColumnName::parse("3")});
  EXPECT_EQ(values_of(table.points), (Values{{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(names_of(table.labels), (std::vector<std::string>{"cat", "dog", "cat"}));
  EXPECT_EQ(table.labels.names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(table.weights, (std::vector<double>{0.5, 1.5, 2}));
  EXPECT_EQ(table.rules.left_out, (std::vector<std::size_t>{0, 2}));
}

TEST(TextReader, IgnoredColumnsMayHoldAnything) {
  const Table table = read("1,abc,2,\n3,nan,4,\n", {.ignore = parse_columns("2,4")});
  EXPECT_EQ(values_of(table.points), (Values{{1, 2}, {3, 4}}));
}

TEST(TextReader, OneHotEncodesInSortedOrder) {
  const Table table = read("7,M,1\n8,F,10\n9,I,1\n7,F,9\n", {.one_hot = parse_columns("2,3")});
  EXPECT_EQ(values_of(table.points), (Values{{7, 0, 0, 1, 1, 0, 0},
                                             {8, 1, 0, 0, 0, 1, 0},
                                             {9, 0, 1, 0, 1, 0, 0},
                                             {7, 1, 0, 0, 0, 0, 1}}));
  ASSERT_EQ(table.rules.one_hot.size(), 2U);
  EXPECT_EQ(table.rules.one_hot[0].categories, (std::vector<std::string>{"F", "I", "M"}));
  EXPECT_EQ(table.rules.one_hot[1].categories, (std::vector<std::string>{"1", "10", "9"}));
}

TEST(TextReader, NamesTheColumnOfTextThatNothingWasSaidAbout) {
  EXPECT_EQ(data_error("1,2\n3,abc\n"),
            "'test', line 2, column 2: 'abc' is not a number; leave the column out or one-hot "
            "encode it if it is text");
  EXPECT_EQ(
      data_error("sex,len\nM,0.4\n"),
      "'test', line 2, column 1 ('sex'): 'M' is not a number; leave the column out or one-hot "
      "encode it if it is text");
  EXPECT_EQ(data_error("1,2\n3,1.5.2\n"),
            "'test', line 2, column 2: '1.5.2' is not a number; leave the column out or one-hot "
            "encode it if it is text");
}

TEST(TextReader, NamesThePlaceOfWhatIsNotFinite) {
  EXPECT_EQ(data_error("1,2\n\n3,NaN\n"), "'test', line 3, column 2: 'NaN' is not a finite number");
  EXPECT_EQ(data_error("1 2\n-inf 4\n"), "'test', line 2, column 1: '-inf' is not a finite number");
  EXPECT_EQ(data_error("1,2\n3,1e999\n"),
            "'test', line 2, column 2: '1e999' is not a finite number");
  EXPECT_EQ(data_error("1,2\n3,\n"), "'test', line 2, column 2: the value is missing");
}

TEST(TextReader, NamesTheLineOfRaggedRows) {
  EXPECT_EQ(data_error("a,b\n1,2\n3\n"), "'test', line 3: 1 columns, but line 1 has 2");
  EXPECT_EQ(data_error("1,2\n# x\n1,2,3\n"), "'test', line 3: 3 columns, but line 1 has 2");
  EXPECT_EQ(data_error("1 2\n1 2 3\n"), "'test', line 2: 3 columns, but line 1 has 2");
  EXPECT_EQ(data_error("1 2\n1\n"), "'test', line 2: 1 columns, but line 1 has 2");
  EXPECT_EQ(data_error("1,2\n3,4,\n"), "'test', line 2: 3 columns, but line 1 has 2");
}

TEST(TextReader, CountsLinesOfQuotedFields) {
  EXPECT_EQ(data_error("\"a\nb\",1\n\"c\",x\n", {.ignore = parse_columns("1")}),
            "'test', line 3, column 2: 'x' is not a number; leave the column out or one-hot encode "
            "it if it is text");
}

TEST(TextReader, RefusesBadWeightsAndQuotes) {
  EXPECT_EQ(data_error("1,2\n3,-1\n", {.weight = ColumnName::parse("last")}),
            "'test', line 2, column 2: the weight -1 is negative");
  EXPECT_EQ(data_error("1,w\n3,0\n", {.weight = ColumnName::parse("w")}),
            "'test', line 2, column 2 ('w'): the weight is 0; leave the row out");
  EXPECT_EQ(data_error("1,2\n3,inf\n", {.weight = ColumnName::parse("last")}),
            "'test', line 2, column 2: 'inf' is not a finite number");
  EXPECT_EQ(data_error("1,2\n3,\"4\"5\n"),
            "'test', line 2, column 2: there is text behind a closing quote");
}

TEST(TextReader, RefusesFilesWithoutRows) {
  EXPECT_EQ(message_of<FileError>([] { read(""); }), "'test' is empty");
  EXPECT_EQ(message_of<FileError>([] { read("\n# only a comment\n"); }), "'test' is empty");
  EXPECT_EQ(data_error("a,b\n"), "'test' has a header but no rows");
}

TEST(TextReader, StreamsTheSameRowsInBlocksOfAnySize) {
  std::string text = "a,skip,b\n";
  Values expected;
  for (int i = 0; i < 1000; ++i) {
    text += fmt::format("{},text {},{}\n", i, i, 0.5 * i);
    expected.push_back({1.0 * i, 0.5 * i});
  }
  const TableOptions options{.ignore = parse_columns("skip")};
  for (const std::size_t rows_at_once : {1, 7, 1000, 100'000}) {
    const auto source = open_bytes(text, FileFormat::text, options, Keep::points);
    EXPECT_EQ(source->cols(), 2U);
    EXPECT_EQ(values_of(*source, rows_at_once), expected);
    source->rewind();
    EXPECT_EQ(values_of(*source, rows_at_once), expected);
  }
}

TEST(TextReader, ABlockIsFullUnlessItIsTheLast) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "1\n";
  const auto source = open_bytes(text, FileFormat::text, {}, Keep::points);
  EXPECT_EQ(source->next(250'000)->rows(), 250'000U);
  EXPECT_EQ(source->next(SIZE_MAX)->rows(), 50'000U);
  EXPECT_FALSE(source->next(1).has_value());
}

TEST(TextReader, LeavesLabelsOutOfAStream) {
  const auto source = open_bytes("1,a\n2,b\n", FileFormat::text,
                                 {.label = ColumnName::parse("last")}, Keep::points);
  EXPECT_EQ(values_of(*source, 10), (Values{{1}, {2}}));
}

TEST(TextReader, StreamsOneHotColumnsWithWeightsAsTheWholeTableHasThem) {
  const std::string text = "y,sex,w,len\na,M,1,5\nb,F,2,6\na,\"I, x\",3,7\nb,M,4,8\n";
  const TableOptions options{.label = ColumnName::parse("y"),
                             .weight = ColumnName::parse("w"),
                             .one_hot = parse_columns("sex")};
  const Table table = read(text, options);
  const auto source = open_bytes(text, FileFormat::text, options, Keep::points);
  EXPECT_EQ(source->cols(), 4U);
  EXPECT_EQ(source->rows(), 4U);
  EXPECT_EQ(source->rules().left_out, table.rules.left_out);
  EXPECT_EQ(source->rules().names, table.rules.names);
  ASSERT_EQ(source->rules().one_hot.size(), 1U);
  EXPECT_EQ(source->rules().one_hot[0].column, 1U);
  EXPECT_EQ(source->rules().one_hot[0].categories, table.rules.one_hot[0].categories);
  for (const std::size_t rows_at_once : {1, 3, 10}) {
    EXPECT_EQ(testing::weights_of(*source, rows_at_once), table.weights);
    source->rewind();
    EXPECT_EQ(values_of(*source, rows_at_once), values_of(table.points));
    source->rewind();
  }
}

TEST(TextReader, CategoriesOfAPipeCannotBeKnownBeforehand) {
  EXPECT_THROW(open_table(std::make_unique<PipedBytes>("1,a\n2,b\n"), FileFormat::text, "test",
                          {.one_hot = parse_columns("2")}, Keep::points),
               FileError);
}

TEST(TextReader, AStreamKnowsItsRowsAfterOnePass) {
  const auto source = open_bytes("x\n1\n2\n3\n", FileFormat::text, {}, Keep::points);
  EXPECT_EQ(source->rows(), std::nullopt);
  values_of(*source, 3);
  EXPECT_EQ(source->rows(), 3U);
  source->rewind();
  EXPECT_EQ(source->rows(), 3U);
}

TEST(TextReader, RewindsAfterAnErrorInTheFirstBlock) {
  const auto source = open_bytes("1,1\n2,2\n3,-3\n", FileFormat::text,
                                 {.weight = ColumnName::parse("last")}, Keep::points);
  EXPECT_THROW(source->next(10), DataError);
  source->rewind();
  const auto block = source->next(2);
  EXPECT_EQ(values_of(block->dense()), (Values{{1}, {2}}));
  EXPECT_EQ(block->weights, (std::vector<double>{1, 2}));
}

TEST(TextReader, ReadsPipesOnce) {
  EXPECT_EQ(values_of(testing::read_piped_bytes_as(FileFormat::text, "x,y\n1,2\n3,4\n").points),
            (Values{{1, 2}, {3, 4}}));
  const auto source = open_table(std::make_unique<PipedBytes>("1\n2\n3\n"), FileFormat::text,
                                 "test", {}, Keep::points);
  source->rewind();
  EXPECT_EQ(values_of(*source, 2), (Values{{1}, {2}, {3}}));
  EXPECT_THROW(source->rewind(), FileError);
}

TEST(TextReader, StopsAtTheMemoryLimit) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1,2,3\n";
  EXPECT_EQ(read(text, {.memory_limit_bytes = 24'000}).points.rows(), 1000U);
  const TableOptions tight{.memory_limit_bytes = 23'999};
  EXPECT_EQ(message_of<MemoryLimitError>([&] { read(text, tight); }),
            "'test' takes at least 23.4 KiB in memory (1000 x 3 numbers), more than the limit of "
            "23.4 KiB: raise the limit, leave out columns, or read the file block by block");
  EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::text, text, tight), MemoryLimitError);
  // Blank lines do not count.
  EXPECT_EQ(read(text + std::string(5000, '\n'), {.memory_limit_bytes = 24'000}).points.rows(),
            1000U);
}

TEST(TextReader, StopsBeforeOneHotEncodingExplodes) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += fmt::format("id{},1\n", i);
  const TableOptions options{.one_hot = parse_columns("1"), .memory_limit_bytes = 1'000'000};
  EXPECT_THROW(read(text, options), MemoryLimitError);
}

RC_GTEST_PROP(TextReader, WhatIsWrittenIsRead, ()) {
  const auto cols = *rc::gen::inRange<std::size_t>(1, 6);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 30);
  const auto cell = rc::gen::map(rc::gen::arbitrary<std::pair<int, int>>(), [](auto pair) {
    return std::ldexp(pair.first, pair.second % 60);
  });
  const auto values =
      *rc::gen::container<Values>(rows, rc::gen::container<std::vector<double>>(cols, cell));
  const char delimiter = *rc::gen::element(',', ';', '\t', ' ');
  const std::string line_break = *rc::gen::element<std::string>("\n", "\r\n");
  std::string text;
  for (const auto& row : values) {
    for (std::size_t j = 0; j < cols; ++j) {
      if (j > 0) text += delimiter;
      text += fmt::format("{}", row[j]);
    }
    text += line_break;
  }
  RC_ASSERT(values_of(read(text).points) == values);
  RC_ASSERT(values_of(testing::read_piped_bytes_as(FileFormat::text, text).points) == values);
}

}  // namespace
}  // namespace mercer::data
