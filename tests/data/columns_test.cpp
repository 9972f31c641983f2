#include "data/columns.h"

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::Values;
using testing::values_of;

Table read(const std::string& text, const TableOptions& options = {}) {
  return testing::read_bytes_as(FileFormat::text, text, options);
}

/// A table with a label, an ignored column and categories, and the rules that it leaves.
ColumnRules training_rules() {
  return read("y,id,sex,len\na,17,M,1\nb,18,F,2\n", {.label = ColumnName::parse("y"),
                                                     .ignore = parse_columns("id"),
                                                     .one_hot = parse_columns("sex")})
      .rules;
}

TEST(Columns, RulesDescribeTheTable) {
  const ColumnRules rules = training_rules();
  EXPECT_EQ(rules.table_columns, 4U);
  EXPECT_EQ(rules.left_out, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(rules.names, (std::vector<std::string>{"y", "id", "sex", "len"}));
  ASSERT_EQ(rules.one_hot.size(), 1U);
  EXPECT_EQ(rules.one_hot[0].column, 2U);
  EXPECT_EQ(rules.one_hot[0].categories, (std::vector<std::string>{"F", "M"}));
}

TEST(Columns, RulesReadAnotherTableAlike) {
  const TableOptions options{.rules = training_rules()};
  const Values expected{{1, 0, 5}, {0, 1, 6}};
  EXPECT_EQ(values_of(read("y,id,sex,len\nz,1,F,5\n,?,M,6\n", options).points), expected);
  EXPECT_EQ(values_of(read("z,1,F,5\nz,1,M,6\n", options).points), expected);
  EXPECT_TRUE(read("z,1,F,5\n", options).labels.empty());
  EXPECT_EQ(read("z,1,F,5\n", options).rules.names, training_rules().names);
}

TEST(Columns, RulesAcceptATableWithoutTheLeftOutColumns) {
  const TableOptions options{.rules = training_rules()};
  EXPECT_EQ(values_of(read("sex,len\nF,5\nM,6\n", options).points), (Values{{1, 0, 5}, {0, 1, 6}}));
  EXPECT_EQ(values_of(read("F,5\nM,6\n", options).points), (Values{{1, 0, 5}, {0, 1, 6}}));
}

TEST(Columns, RulesAlsoServeStreams) {
  const auto source = testing::open_bytes("F,5\nM,6\n", FileFormat::text,
                                          {.rules = training_rules()}, Keep::points);
  EXPECT_EQ(source->cols(), 3U);
  EXPECT_EQ(values_of(*source, 1), (Values{{1, 0, 5}, {0, 1, 6}}));
}

TEST(Columns, RulesReplaceTheOptions) {
  const TableOptions options{.label = ColumnName::parse("last"), .rules = training_rules()};
  EXPECT_EQ(read("z,1,F,5\n", options).points.cols(), 3U);
}

TEST(Columns, AWeightIsFoundAmongTheColumnsThatRulesLeaveOut) {
  const TableOptions by_name{.weight = ColumnName::parse("id"), .rules = training_rules()};
  const Table table = read("y,id,sex,len\nz,0.5,F,5\nz,2,M,6\n", by_name);
  EXPECT_EQ(table.weights, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(values_of(table.points), (Values{{1, 0, 5}, {0, 1, 6}}));
  EXPECT_EQ(table.rules.left_out, training_rules().left_out);
  const TableOptions used{.weight = ColumnName::parse("len"), .rules = training_rules()};
  EXPECT_NE(message_of<InvalidArgument>([&] {
              read("y,id,sex,len\nz,1,F,5\n", used);
            }).find("cannot be the weight: the points are made of it"),
            std::string::npos);
  EXPECT_THROW(read("sex,len\nF,5\n", by_name), InvalidArgument) << "it is not in this table";
}

TEST(Columns, RulesRefuseOtherWidths) {
  const TableOptions options{.rules = training_rules()};
  EXPECT_EQ(message_of<DataError>([&] { read("1,2,3\n", options); }),
            "'test' has 3 columns, but 4 are expected, or 2 without those left out");
  EXPECT_EQ(message_of<DataError>([&] { read("1,2,3\n", {.rules = read("1,2\n").rules}); }),
            "'test' has 3 columns, but 2 are expected");
}

TEST(Columns, RulesRefuseUnknownCategories) {
  EXPECT_EQ(message_of<DataError>([&] { read("a,1,F,5\na,1,X,6\n", {.rules = training_rules()}); }),
            "'test', line 2, column 3: the category 'X' is unknown");
}

TEST(Columns, RulesNoticeSwappedColumns) {
  const TableOptions options{.rules = training_rules()};
  EXPECT_EQ(message_of<DataError>([&] { read("y,id,len,sex\na,1,5,F\n", options); }),
            "column 3 of 'test' is named 'len', but 'sex' is expected there");
  EXPECT_EQ(message_of<DataError>([&] { read("len,sex\n5,F\n", options); }),
            "column 1 of 'test' is named 'len', but 'sex' is expected there");
  // Names of columns that are left out do not matter.
  EXPECT_EQ(read("label,key,sex,len\na,1,F,5\n", options).points.rows(), 1U);
}

TEST(Columns, BadRulesAreRefused) {
  ColumnRules rules;
  rules.table_columns = 2;
  rules.left_out = {5};
  EXPECT_THROW(read("1,2\n", {.rules = rules}), InvalidArgument);
  rules.left_out = {1, 1};
  EXPECT_THROW(read("1,2\n", {.rules = rules}), InvalidArgument);
  rules.left_out = {1};
  rules.one_hot = {{.column = 1, .categories = {"a"}}};
  EXPECT_THROW(read("1,2\n", {.rules = rules}), InvalidArgument);
  rules.one_hot = {{.column = 0, .categories = {"a", "a"}}};
  EXPECT_THROW(read("a,2\n", {.rules = rules}), InvalidArgument);
  rules.one_hot.clear();
  rules.names = {"one"};
  EXPECT_THROW(read("1,2\n", {.rules = rules}), InvalidArgument);
  rules.table_columns = SIZE_MAX;
  EXPECT_THROW(read("1,2\n", {.rules = rules}), DataError);
}

TEST(Columns, UnknownColumnsAreRefused) {
  EXPECT_EQ(message_of<InvalidArgument>([] { read("1,2\n", {.label = ColumnName::parse("3")}); }),
            "there is no column 3 in 'test', which has 2");
  EXPECT_EQ(
      message_of<InvalidArgument>([] { read("a,b\n1,2\n", {.label = ColumnName::parse("c")}); }),
      "there is no column named 'c' in 'test'; the first is 'a'");
  EXPECT_EQ(
      message_of<InvalidArgument>([] { read("a,a\n1,2\n", {.label = ColumnName::parse("a")}); }),
      "'test' has more than one column named 'a': give its number");
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { read("1,2\n3,4\n", {.label = ColumnName::parse("a"), .header = false}); }),
            "there is no column named 'a' in 'test', which has no header");
}

TEST(Columns, AColumnHasOneRole) {
  EXPECT_EQ(message_of<InvalidArgument>([] {
              read("1,2\n", {.label = ColumnName::parse("last"), .ignore = parse_columns("2")});
            }),
            "column 2 of 'test' cannot be both the label and ignored");
  EXPECT_EQ(read("1,2\n", {.ignore = parse_columns("2,2,last")}).points.cols(), 1U);
}

TEST(Columns, SomeColumnMustBeLeft) {
  EXPECT_EQ(message_of<DataError>([] {
              read("a,2\n", {.label = ColumnName::parse("1"), .ignore = parse_columns("2")});
            }),
            "no column of 'test' is left for the points: all 2 are left out");
}

}  // namespace
}  // namespace mercer::data
