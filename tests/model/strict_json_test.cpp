#include "model/strict_json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/error_message.h"

namespace mercer::model {
namespace {

using testing::message_of;

std::string refusal(const std::string& text) {
  return message_of<FileError>([&] { parse_strict_json(text, "file"); });
}

TEST(StrictJson, KeepsTheOrderOfMembers) {
  const auto json = parse_strict_json(R"({"z": 1, "a": 2.5, "m": 3})", "file");
  const auto numbers = ObjectReader(json, "file").all_numbers();
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0].first, "z");
  EXPECT_EQ(numbers[1], (std::pair<std::string, double>("a", 2.5)));
  EXPECT_EQ(numbers[2].first, "m");
}

TEST(StrictJson, RefusesRepeatedKeysAtEveryLevel) {
  EXPECT_EQ(refusal(R"({"a":1,"a":2})"), "file: the key 'a' appears twice");
  EXPECT_EQ(refusal(R"({"x":{"b":1,"c":2,"b":3}})"), "file: the key 'b' appears twice");
  EXPECT_EQ(refusal(R"({"a":{"a":1},"b":{"a":2}})"), "no error");
}

TEST(StrictJson, RefusesDeepNestingWithoutUsingTheStack) {
  const std::size_t levels = 1'000'000;
  EXPECT_NE(refusal(std::string(levels, '[')).find("nested more than"), std::string::npos);
  std::string objects;
  for (std::size_t i = 0; i < 10'000; ++i) objects += "{\"a\":";
  EXPECT_NE(refusal(objects).find("nested more than"), std::string::npos);
  EXPECT_EQ(refusal("[[[[[[[[]]]]]]]]"), "no error");
}

TEST(StrictJson, RefusesObjectsWithVeryManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 300; ++i) text += "\"key" + std::to_string(i) + "\":0,";
  text.back() = '}';
  EXPECT_NE(refusal(text).find("more than 256 members"), std::string::npos);
}

TEST(StrictJson, RefusesWhatIsNotJsonWithoutLibraryTags) {
  for (const std::string text :
       {"", "{", "nul", "{\"a\":1,}", "{\"a\":NaN}", "{\"a\":1e999}", "{} {}", "{\"a\":\"\xff\"}",
        "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\\ud800\"}"}) {
    const std::string message = refusal(text);
    EXPECT_EQ(message.rfind("file: not valid JSON: ", 0), 0u) << text << " -> " << message;
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
  }
}

TEST(StrictJson, ReaderNamesWhatIsMissingOrOfAnotherType) {
  const auto json = parse_strict_json(
      R"({"text":"t","negative":-1,"half":0.5,"list":[1,"x"],"object":{"inner":[]}})", "file");
  const ObjectReader reader(json, "file");
  const auto failing = [](auto call) { return message_of<FileError>(call); };
  EXPECT_EQ(failing([&] { reader.number("absent"); }),
            "file: 'absent' must be present and a number");
  EXPECT_EQ(failing([&] { reader.number("text"); }), "file: 'text' must be a number");
  EXPECT_EQ(failing([&] { reader.count("negative"); }),
            "file: 'negative' must be a non-negative integer");
  EXPECT_EQ(failing([&] { reader.count("half"); }), "file: 'half' must be a non-negative integer");
  EXPECT_EQ(failing([&] { reader.numbers("list"); }), "file: 'list' must be an array of numbers");
  EXPECT_EQ(failing([&] { reader.object("object").flag("inner"); }),
            "file: 'object': 'inner' must be true or false");
  EXPECT_EQ(failing([&] { reader.objects("list"); }),
            "file: 'list', entry 1: must be a JSON object");
  EXPECT_EQ(failing([&] { ObjectReader(json.at("list"), "list"); }), "list: must be a JSON object");
}

}  // namespace
}  // namespace mercer::model
