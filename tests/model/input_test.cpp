#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/input.h>

#include "model/error_message.h"

namespace mercer {
namespace {

using testing::message_of;

TEST(ColumnRules, CountsTheColumnsOfAPoint) {
  ColumnRules rules{.table_columns = 5, .left_out = {0, 4}, .one_hot = {{2, {"a", "b", "c"}}}};
  EXPECT_NO_THROW(rules.validate());
  EXPECT_EQ(rules.point_columns(), 5u);
  EXPECT_TRUE(ColumnRules{}.empty());
}

TEST(ColumnRules, RefusesContradictions) {
  const auto refusal = [](const ColumnRules& rules) {
    return message_of<InvalidArgument>([&] { rules.validate(); });
  };
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {2}}),
            "column rules name column 3 of a table with 2 columns");
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {1, 1}}), "column rules name column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .left_out = {1}, .one_hot = {{1, {"a"}}}}),
            "column rules name column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .one_hot = {{1, {"a", "a"}}}}),
            "column rules list the category 'a' of column 2 twice");
  EXPECT_EQ(refusal({.table_columns = 2, .names = {"x"}}),
            "column rules have 1 names for 2 columns");
  EXPECT_NE(refusal({.table_columns = 1,
                     .names = {"Gr\xf6\xdf"
                               "e"}})
                .find("is not UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace mercer
