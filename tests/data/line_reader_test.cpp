#include "data/line_reader.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::OwnedBytes;
using testing::PipedBytes;
using NumberedLines = std::vector<std::pair<std::size_t, std::string>>;

LineReader reader_of(const std::string& text) {
  return {std::make_unique<OwnedBytes>(text), "test"};
}

NumberedLines lines_of(LineReader& reader) {
  NumberedLines lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(reader.line_number(), line);
  return lines;
}

NumberedLines lines_of(const std::string& text) {
  LineReader reader = reader_of(text);
  return lines_of(reader);
}

TEST(LineReader, CutsAtEveryKindOfLineBreak) {
  EXPECT_EQ(lines_of("a\nb\n"), (NumberedLines{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(lines_of("a\r\nb\r\n"), (NumberedLines{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(lines_of("a\n\nb"), (NumberedLines{{1, "a"}, {2, ""}, {3, "b"}}));
  EXPECT_EQ(lines_of("a\r"), (NumberedLines{{1, "a"}}));
  EXPECT_EQ(lines_of(""), NumberedLines{});
  EXPECT_EQ(lines_of("\n"), (NumberedLines{{1, ""}}));
}

TEST(LineReader, PassesOverAUtf8Mark) {
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\nb"),
            (NumberedLines{{1, "a"}, {2, "b"}}));
  EXPECT_EQ(lines_of("\xef\xbb\xbf"), NumberedLines{});
}

TEST(LineReader, LinesLongerThanTheBufferStayWhole) {
  for (const std::size_t length : {262'140, 262'143, 262'144, 262'145, 1'000'000}) {
    const std::string line(length, 'x');
    EXPECT_EQ(lines_of(fmt::format("a\n{0}\nb\n{0}", line)),
              (NumberedLines{{1, "a"}, {2, line}, {3, "b"}, {4, line}}));
  }
}

TEST(LineReader, ReadsTheSameFromPiecesAndAfterRewinding) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  LineReader piped(std::make_unique<PipedBytes>(text, 1000), "test");
  LineReader whole = reader_of(text);
  const NumberedLines expected = lines_of(whole);
  EXPECT_EQ(expected.size(), 100'000U);
  EXPECT_EQ(expected.back(), std::pair(std::size_t{100'000}, std::string("99999")));
  EXPECT_EQ(lines_of(piped), expected);
  whole.rewind();
  EXPECT_EQ(lines_of(whole), expected);
}

TEST(LineReader, ExtendsARecordOverLines) {
  LineReader reader = reader_of("a\nb\r\nc\nd");
  std::string_view record;
  ASSERT_TRUE(reader.next(record));
  ASSERT_TRUE(reader.extend(record));
  ASSERT_TRUE(reader.extend(record));
  EXPECT_EQ(record, "a\nb\r\nc");
  EXPECT_EQ(reader.line_number(), 1U);
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record, "d");
  EXPECT_EQ(reader.line_number(), 4U);
  EXPECT_FALSE(reader.extend(record));
}

TEST(LineReader, RefusesWhatIsNotText) {
  EXPECT_EQ(message_of<FileError>([] {
              reader_of(
                  "\xff\xfe"
                  "a");
            }),
            "'test' is UTF-16 text, which cannot be read: convert it to UTF-8");
  EXPECT_THROW(reader_of(std::string("a\0b", 3)), FileError);
}

/// A short line, then one that never ends.
class EndlessLine final : public ByteSource {
 public:
  std::optional<std::uint64_t> most_bytes() const override { return std::nullopt; }

 protected:
  std::size_t read_some(std::span<char> buffer) override {
    std::ranges::fill(buffer, 'x');
    if (!begun_) buffer[5] = '\n';
    begun_ = true;
    return buffer.size();
  }
  void restart() override { begun_ = false; }

 private:
  bool begun_ = false;
};

TEST(LineReader, RefusesEndlessLines) {
  LineReader reader(std::make_unique<EndlessLine>(), "test");
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "xxxxx");
  EXPECT_EQ(message_of<FileError>([&] { reader.next(line); }),
            "'test', line 2: more than 256 MiB in one line; is it a table?");
}

}  // namespace
}  // namespace mercer::data
