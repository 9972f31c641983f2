#include <gtest/gtest.h>

#include <mercer/data.h>
#include <mercer/error.h>

namespace mercer {
namespace {

TEST(ColumnName, UnderstandsWhatPeopleWrite) {
  using Kind = ColumnName::Kind;
  EXPECT_EQ(ColumnName::parse("none").kind, Kind::none);
  EXPECT_EQ(ColumnName::parse("first").kind, Kind::first);
  EXPECT_EQ(ColumnName::parse("last").kind, Kind::last);
  EXPECT_EQ(ColumnName::parse("7").kind, Kind::position);
  EXPECT_EQ(ColumnName::parse("7").position, 6U);
  EXPECT_EQ(ColumnName::parse(" age ").kind, Kind::name);
  EXPECT_EQ(ColumnName::parse(" age ").name, "age");
  EXPECT_EQ(ColumnName::parse("7b").name, "7b");
}

TEST(ColumnName, RefusesWhatIsNoColumn) {
  EXPECT_THROW(ColumnName::parse("0"), InvalidArgument);
  EXPECT_THROW(ColumnName::parse(""), InvalidArgument);
  EXPECT_THROW(ColumnName::parse("99999999999999999999999"), InvalidArgument);
}

TEST(ParseColumns, ExpandsRanges) {
  const std::vector<ColumnName> columns = parse_columns("2, 7-9,age,x-y,last");
  ASSERT_EQ(columns.size(), 7U);
  EXPECT_EQ(columns[0].position, 1U);
  EXPECT_EQ(columns[1].position, 6U);
  EXPECT_EQ(columns[3].position, 8U);
  EXPECT_EQ(columns[4].name, "age");
  EXPECT_EQ(columns[5].name, "x-y");
  EXPECT_EQ(columns[6].kind, ColumnName::Kind::last);
  EXPECT_TRUE(parse_columns("").empty());
}

TEST(ParseColumns, RefusesBadLists) {
  EXPECT_THROW(parse_columns("1,,2"), InvalidArgument);
  EXPECT_THROW(parse_columns("1,"), InvalidArgument);
  EXPECT_THROW(parse_columns("9-7"), InvalidArgument);
  EXPECT_THROW(parse_columns("0-3"), InvalidArgument);
  EXPECT_THROW(parse_columns("1-99999999999"), InvalidArgument);
}

}  // namespace
}  // namespace mercer
