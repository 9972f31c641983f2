#include "data/text_encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/data.h>

#include "data/in_memory.h"

namespace mercer::data {
namespace {

TEST(TextEncoding, LeavesUtf8Alone) {
  for (const std::string text : {"", "plain", "Gr\xc3\xb6\xc3\x9f", "\xe2\x82\xac",
                                 "\xf0\x9f\x90\x88", "\xf4\x8f\xbf\xbf", "\xee\x80\x80"}) {
    EXPECT_EQ(to_utf8(text), text);
  }
}

TEST(TextEncoding, TakesOtherBytesForLatin1) {
  EXPECT_EQ(to_utf8("Gr\xf6\xdf"
                    "e"),
            "Gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(to_utf8("\xff"), "\xc3\xbf");
  // Overlong, surrogate, too large, cut off, lone continuation.
  for (const std::string text : {"\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                 "\xe2\x82", "\x80", "\xf8\x88\x80\x80\x80"}) {
    EXPECT_NE(to_utf8(text), text);
  }
}

RC_GTEST_PROP(TextEncoding, AlwaysGivesUtf8, (const std::string& text)) {
  const std::string utf8 = to_utf8(text);
  RC_ASSERT(to_utf8(utf8) == utf8);
}

TEST(TextEncoding, NamesAndCategoriesOfLatin1FilesCompareEqual) {
  const std::string text =
      "Gr\xf6\xdf"
      "e,x\nm\xe4nnlich,1\nweiblich,2\n";
  const Table table =
      testing::read_bytes_as(FileFormat::text, text, {.one_hot = parse_columns("1")});
  EXPECT_EQ(table.rules.names[0],
            "Gr\xc3\xb6\xc3\x9f"
            "e");
  EXPECT_EQ(table.rules.one_hot[0].categories[0], "m\xc3\xa4nnlich");
  const Table again = testing::read_bytes_as(FileFormat::text, text, {.rules = table.rules});
  EXPECT_EQ(testing::values_of(again.points), testing::values_of(table.points));
}

}  // namespace
}  // namespace mercer::data
