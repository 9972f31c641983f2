#include "data/text_record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::OwnedBytes;
using Fields = std::vector<std::string>;

std::vector<std::string> records_of(const std::string& text, std::optional<char> delimiter) {
  RecordReader reader(std::make_unique<OwnedBytes>(text), "test");
  if (delimiter) reader.set_delimiter(*delimiter);
  std::vector<std::string> records;
  std::string_view record;
  while (reader.next(record)) records.emplace_back(record);
  return records;
}

TEST(Split, CutsAtTheDelimiterAndTrimsBlanks) {
  EXPECT_EQ(split("1,2,3", ','), (Fields{"1", "2", "3"}));
  EXPECT_EQ(split(" 1 ,\t2, 3 ", ','), (Fields{"1", "2", "3"}));
  EXPECT_EQ(split("a b;c", ';'), (Fields{"a b", "c"}));
  EXPECT_EQ(split("", ','), (Fields{""}));
  EXPECT_EQ(split(",", ','), (Fields{"", ""}));
  EXPECT_EQ(split("1,,3,", ','), (Fields{"1", "", "3", ""}));
}

TEST(Split, TabsCountOneByOneAndBlanksTogether) {
  EXPECT_EQ(split("1\t\t 3", '\t'), (Fields{"1", "", "3"}));
  EXPECT_EQ(split("  1 \t 2  3 ", kBlanks), (Fields{"1", "2", "3"}));
  EXPECT_EQ(split("1", kBlanks), (Fields{"1"}));
}

TEST(Split, QuotesProtectDelimitersAndDoubledQuotes) {
  EXPECT_EQ(split(R"("a,b",c)", ','), (Fields{"a,b", "c"}));
  EXPECT_EQ(split(R"( "say ""hi""" , 2)", ','), (Fields{"say \"hi\"", "2"}));
  EXPECT_EQ(split(R"("")", ','), (Fields{""}));
  EXPECT_EQ(split(R"("a b" c)", kBlanks), (Fields{"a b", "c"}));
  EXPECT_EQ(split(R"(5" pipe,2)", ','), (Fields{"5\" pipe", "2"}));
  EXPECT_EQ(split("\" padded \",2", ','), (Fields{" padded ", "2"}));
}

TEST(FieldCursor, RefusesTextBehindAClosingQuote) {
  EXPECT_EQ(FieldCursor(R"("a"b,c)", ',').take(), std::nullopt);
  EXPECT_EQ(FieldCursor(R"("a"b c)", kBlanks).take(), std::nullopt);
  EXPECT_EQ(FieldCursor(R"("a)", ',').take(), std::nullopt);
}

TEST(RecordReader, PassesOverBlankLinesAndComments) {
  EXPECT_EQ(records_of("\n# note\n1,2\n   \n\t\n  # more\n3,4\n", ','), (Fields{"1,2", "3,4"}));
  EXPECT_EQ(records_of("\"# no comment\",1\n", ','), (Fields{"\"# no comment\",1"}));
  EXPECT_EQ(records_of("#1#2\n", '#'), (Fields{"#1#2"}));
}

TEST(RecordReader, ALineOfTabsIsARecordOfEmptyFieldsWhenTabsAreTheDelimiter) {
  EXPECT_EQ(records_of("1\t2\n\t\n", '\t'), (Fields{"1\t2", "\t"}));
  EXPECT_EQ(records_of("1\t2\n\t\n", kBlanks), (Fields{"1\t2"}));
}

TEST(RecordReader, QuotedFieldsMayContainLineBreaks) {
  EXPECT_EQ(records_of("\"a\nb\",1\n2,\"c\n\n\"\"d\"\n3,4", ','),
            (Fields{"\"a\nb\",1", "2,\"c\n\n\"\"d\"", "3,4"}));
  EXPECT_EQ(records_of("x y,5 \"z\n1,2", std::nullopt), (Fields{"x y,5 \"z", "1,2"}));
}

TEST(RecordReader, AnOpenQuoteIsNoticedSoon) {
  EXPECT_EQ(message_of<DataError>([] { records_of("1,2\n3,\"x\n5,6\n", ','); }),
            "'test', line 2: a quoted field is not closed");
  std::string text = "\"x\n";
  for (int i = 0; i < 1'000'000; ++i) text += "1,2\n";
  EXPECT_EQ(message_of<DataError>([&] { records_of(text, ','); }),
            "'test', line 1: a quoted field is not closed");
}

RC_GTEST_PROP(RecordReader, QuotedFieldsComeBackWhateverTheyContain,
              (const std::vector<std::string>& texts)) {
  RC_PRE(!texts.empty());
  std::string record;
  Fields expected;
  for (std::string text : texts) {
    std::erase_if(text, [](char c) { return c == '\0' || c == '\r'; });
    expected.push_back(text);
    std::string doubled;
    for (const char c : text) doubled += c == '"' ? std::string("\"\"") : std::string(1, c);
    record += (record.empty() ? "\"" : ",\"") + doubled + "\"";
  }
  const std::vector<std::string> records = records_of(record + "\n1", ',');
  RC_ASSERT(records.size() == 2U);
  RC_ASSERT(split(records.front(), ',') == expected);
}

}  // namespace
}  // namespace mercer::data
