#include "data/number_parser.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mercer::data {
namespace {

ParsedNumber parse(const std::string& text) {
  return parse_number(text.data(), text.data() + text.size());
}

/// The whole text is the number that strtod (which rounds correctly) takes it for, to the bit.
void expect_like_strtod(const std::string& text) {
  const ParsedNumber parsed = parse(text);
  RC_ASSERT(parsed.end == text.data() + text.size());
  const double expected = std::strtod(text.c_str(), nullptr);
  if (std::isinf(expected)) {
    RC_ASSERT(parsed.status == NumberStatus::overflow);
    return;
  }
  RC_ASSERT(parsed.status == NumberStatus::finite);
  RC_ASSERT(std::bit_cast<std::uint64_t>(parsed.value) == std::bit_cast<std::uint64_t>(expected));
}

rc::Gen<std::string> digits(int least, int most) {
  return rc::gen::mapcat(rc::gen::inRange(least, most + 1), [](int count) {
    return rc::gen::container<std::string>(static_cast<std::size_t>(count),
                                           rc::gen::inRange<char>('0', '9' + 1));
  });
}

rc::Gen<std::string> sign() {
  return rc::gen::element<std::string>("", "-", "+");
}

RC_GTEST_PROP(NumberParser, DecimalsAreRoundedAsByStrtod, ()) {
  const std::string text = *sign() + *digits(1, 22) + "." + *digits(0, 25);
  expect_like_strtod(text);
}

RC_GTEST_PROP(NumberParser, ExponentsAreRoundedAsByStrtod, ()) {
  const std::string text = *sign() + *digits(1, 20) + "." + *digits(0, 20) +
                           *rc::gen::element<std::string>("e", "E") + *sign() + *digits(1, 3);
  expect_like_strtod(text);
}

RC_GTEST_PROP(NumberParser, IntegersAreRoundedAsByStrtod, ()) {
  expect_like_strtod(*sign() + *digits(1, 25));
}

RC_GTEST_PROP(NumberParser, EveryDoubleReadsBackAsItself, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  const ParsedNumber parsed = parse(fmt::format("{}", value));
  RC_ASSERT(std::bit_cast<std::uint64_t>(parsed.value) == bits);
  expect_like_strtod(fmt::format("{:.17g}", value));
  expect_like_strtod(fmt::format("{:.6f}", std::fmod(value, 1e9)));
}

TEST(NumberParser, HalfwayCasesRoundToEven) {
  // 2^53 + 1 lies between two doubles; more digits behind it decide.
  EXPECT_EQ(parse("9007199254740993").value, 9007199254740992.0);
  EXPECT_EQ(parse("9007199254740993.0000000001").value, 9007199254740994.0);
  EXPECT_EQ(parse("9007199254740992").value, 9007199254740992.0);
  EXPECT_EQ(parse("0.1").value, 0.1);
  EXPECT_EQ(parse("123456789012345678.5").value, 123456789012345678.5);
}

TEST(NumberParser, TinyNumbersBecomeZeroAndHugeOnesOverflow) {
  for (const std::string text : {"1e-400", "0.0e99999999999999999999", "1e-99999999999999999999",
                                 "0.0000000001e-399", "2e-324"}) {
    EXPECT_EQ(parse(text).status, NumberStatus::finite) << text;
    EXPECT_EQ(parse(text).value, 0) << text;
  }
  EXPECT_TRUE(std::signbit(parse("-1e-400").value));
  EXPECT_EQ(parse("4.9e-324").value, std::numeric_limits<double>::denorm_min());
  const std::string zeros(400, '0');
  EXPECT_EQ(parse("0." + zeros + "1").value, 0);
  EXPECT_EQ(parse("0." + zeros + "1e401").value, 1);
  EXPECT_EQ(parse("1" + zeros + "e-400").value, 1);
  for (const std::string& text :
       {std::string("1e999"), std::string("-1e309"), std::string("1e99999999999999999999"),
        "1" + zeros, std::string("0.0001e+400"), std::string("1e+999")}) {
    EXPECT_EQ(parse(text).status, NumberStatus::overflow) << text;
  }
}

TEST(NumberParser, NonFiniteWordsAreToldApartFromText) {
  for (const std::string text : {"nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "infinity"}) {
    EXPECT_EQ(parse(text).status, NumberStatus::not_finite) << text;
    EXPECT_EQ(parse(text).end, text.data() + text.size()) << text;
  }
  for (const std::string text :
       {"", "-", "+", ".", "e5", "abc", "--1", "+-1", "-+1", "?", "NA", " 1", "-.", "in"}) {
    EXPECT_EQ(parse(text).status, NumberStatus::not_a_number) << text;
  }
}

TEST(NumberParser, StopsBehindTheNumber) {
  const auto length = [](const std::string& text) { return parse(text).end - text.data(); };
  EXPECT_EQ(length("12,3"), 2);
  EXPECT_EQ(length("1.5.2"), 3);
  EXPECT_EQ(length("1e"), 1);
  EXPECT_EQ(length("1e+"), 1);
  EXPECT_EQ(length("1e5x"), 3);
  EXPECT_EQ(length("0x10"), 1);
  EXPECT_EQ(length("5."), 2);
  EXPECT_EQ(length(".5"), 2);
  EXPECT_EQ(length("1 2"), 1);
}

TEST(NumberParser, LooksNowhereBehindTheEnd) {
  const std::string text = "12345";
  EXPECT_EQ(parse_number(text.data(), text.data() + 2).value, 12);
  EXPECT_EQ(parse_number(text.data(), text.data()).status, NumberStatus::not_a_number);
}

}  // namespace
}  // namespace mercer::data
