#include "data/text_dialect.h"

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/text_record.h"

namespace mercer::data {
namespace {

char delimiter_of(std::string_view first, std::string_view second) {
  return detect_dialect(first, second, {}).delimiter;
}

bool header_of(std::string_view first, std::string_view second, const TableOptions& options = {}) {
  return detect_dialect(first, second, options).header;
}

TEST(TextDialect, FindsTheDelimiter) {
  EXPECT_EQ(delimiter_of("1,2", "3,4"), ',');
  EXPECT_EQ(delimiter_of("1;2", "3;4"), ';');
  EXPECT_EQ(delimiter_of("1\t2", "3\t4"), '\t');
  EXPECT_EQ(delimiter_of("1 2", "3  4"), kBlanks);
  EXPECT_EQ(delimiter_of("1", "2"), kBlanks);
  EXPECT_EQ(delimiter_of(" 47,100, 27", "  0, 89, 27"), ',');
}

TEST(TextDialect, PrefersADelimiterThatOccursEquallyOften) {
  EXPECT_EQ(delimiter_of("name; first;age", "Doe, J.;J.;5"), ';');
  EXPECT_EQ(delimiter_of("a,b", "\"x;y\",2"), ',');
  EXPECT_EQ(delimiter_of("size (m);weight", "1,5;2,5"), ';');
  EXPECT_EQ(delimiter_of("sepal length\tsepal width", "5.1\t3.5"), '\t');
}

TEST(TextDialect, TakesMixedTabsAndBlanksForBlanks) {
  EXPECT_EQ(delimiter_of("1 2\t3", "4\t5 6"), kBlanks);
  EXPECT_EQ(delimiter_of("1\t\t3", "4\t5\t6"), '\t');
}

TEST(TextDialect, AHeaderHasWordsWhereTheNextRecordHasNumbers) {
  EXPECT_TRUE(header_of("x,y", "1,2"));
  EXPECT_TRUE(header_of("name,value", "a,1"));
  EXPECT_FALSE(header_of("1,2", "3,4"));
  EXPECT_FALSE(header_of("M,0.5", "F,0.6"));
  EXPECT_FALSE(header_of("nan,1", "2,3"));
  EXPECT_FALSE(header_of("a,b", "c,d"));
  EXPECT_TRUE(header_of(",x", "0,1"));
}

TEST(TextDialect, ARowOfDataIsNotTakenForAHeader) {
  EXPECT_FALSE(header_of("1,A12,2", "3,17,4"));
  EXPECT_FALSE(header_of("1,abc", "3,nan"));
  EXPECT_FALSE(header_of("NA,?", "1,2"));
  EXPECT_FALSE(header_of(",", "1,2"));
}

TEST(TextDialect, ASingleRecordOfWordsIsAHeader) {
  EXPECT_TRUE(detect_dialect("x,y", std::nullopt, {}).header);
  EXPECT_FALSE(detect_dialect("M,1", std::nullopt, {}).header);
}

TEST(TextDialect, NamesInTheOptionsOrTheRulesAskForAHeader) {
  EXPECT_TRUE(header_of("sex,colour", "M,red", {.one_hot = parse_columns("sex,colour")}));
  ColumnRules rules;
  rules.table_columns = 2;
  rules.names = {"sex", "colour"};
  EXPECT_TRUE(header_of("sex,colour", "M,red", {.rules = rules}));
  EXPECT_FALSE(header_of("M,red", "F,blue", {.rules = rules}));
}

TEST(TextDialect, OptionsDecide) {
  const TextDialect dialect = detect_dialect("x|y", "1|2", {.delimiter = '|', .header = false});
  EXPECT_EQ(dialect.delimiter, '|');
  EXPECT_FALSE(dialect.header);
  for (const char bad : {'"', '\n', '1', 'e', '.', '-', '\0'}) {
    EXPECT_THROW(detect_dialect("1", "2", {.delimiter = bad}), InvalidArgument);
  }
}

}  // namespace
}  // namespace mercer::data
