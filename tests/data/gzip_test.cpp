#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "data/byte_source.h"
#include "data/compress.h"
#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::gzip;
using testing::message_of;
using testing::OwnedBytes;
using testing::PipedBytes;

std::unique_ptr<ByteSource> inflated(const std::string& bytes) {
  return inflate_if_compressed(std::make_unique<OwnedBytes>(bytes), "test");
}

std::string read_rest(ByteSource& bytes) {
  std::string text;
  std::array<char, 1000> buffer{};
  while (const std::size_t count = bytes.read(buffer)) text.append(buffer.data(), count);
  return text;
}

RC_GTEST_PROP(Gzip, InflatesToWhatWasCompressed, (const std::string& text)) {
  RC_ASSERT(read_rest(*inflated(gzip(text))) == text);
}

TEST(Gzip, InflatesLargeFilesAndRewinds) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const auto bytes = inflated(gzip(text));
  EXPECT_EQ(read_rest(*bytes), text);
  bytes->rewind();
  EXPECT_EQ(read_rest(*bytes), text);
}

TEST(Gzip, JoinsMembersAndPassesOverZeroPadding) {
  const auto bytes = inflated(gzip("one ") + gzip("") + gzip("two") + std::string(1000, '\0'));
  EXPECT_EQ(read_rest(*bytes), "one two");
}

TEST(Gzip, WorksFromAPipe) {
  const auto bytes = inflate_if_compressed(std::make_unique<PipedBytes>(gzip("text")), "test");
  EXPECT_EQ(bytes->most_bytes(), std::nullopt);
  EXPECT_EQ(read_rest(*bytes), "text");
}

TEST(Gzip, LeavesOtherBytesAlone) {
  EXPECT_EQ(read_rest(*inflated("plain")), "plain");
  EXPECT_EQ(read_rest(*inflated("")), "");
  EXPECT_EQ(read_rest(*inflated("\x1f")), "\x1f");
}

TEST(Gzip, BoundsWhatCanComeOut) {
  const std::string text(5'000'000, 'a');  // the most compressible text there is
  const auto bytes = inflated(gzip(text));
  ASSERT_TRUE(bytes->most_bytes().has_value());
  EXPECT_GE(*bytes->most_bytes(), text.size());
  EXPECT_LE(*bytes->most_bytes(), 2 * text.size());
}

TEST(Gzip, EveryTruncationIsAnError) {
  const std::string whole = gzip("some text that is long enough to be cut in pieces, pieces");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_EQ(message_of<FileError>([&] { read_rest(*inflated(whole.substr(0, size))); }),
              "cannot read 'test': the gzip file ends in the middle of its compressed data");
  }
}

TEST(Gzip, DamageIsAnError) {
  const std::string whole = gzip("some text that is long enough to be damaged in the middle");
  for (std::size_t i = 10; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    EXPECT_THROW(read_rest(*inflated(damaged)), FileError) << "byte " << i;
  }
  EXPECT_THROW(read_rest(*inflated(whole + "surplus")), FileError);
}

}  // namespace
}  // namespace mercer::data
