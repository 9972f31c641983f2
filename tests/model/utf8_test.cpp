#include "model/utf8.h"

#include <string_view>

#include <gtest/gtest.h>

namespace mercer::model {
namespace {

TEST(Utf8, AcceptsTextOfEveryLength) {
  for (const std::string_view text :
       {"", "plain",
        "Gr\xc3\xb6\xc3\x9f"
        "e",
        "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"})
    EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(Utf8, RefusesMalformedSequences) {
  const std::string_view latin1 =
      "Gr\xf6\xdf"
      "e";
  const std::string_view cut_short = "\xe2\x82";
  const std::string_view lone_continuation = "\x80";
  const std::string_view overlong_slash = "\xc0\xaf";
  const std::string_view overlong_three = "\xe0\x9f\xbf";
  const std::string_view overlong_four = "\xf0\x8f\xbf\xbf";
  const std::string_view surrogate = "\xed\xa0\x80";
  const std::string_view beyond_unicode = "\xf4\x90\x80\x80";
  for (const std::string_view text : {latin1, cut_short, lone_continuation, overlong_slash,
                                      overlong_three, overlong_four, surrogate, beyond_unicode})
    EXPECT_FALSE(is_utf8(text));
}

}  // namespace
}  // namespace mercer::model
