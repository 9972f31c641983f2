#include "data/byte_source.h"

#include <fstream>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::PipedBytes;
using testing::TemporaryFolder;
using testing::write_bytes;

std::string read_rest(ByteSource& bytes) {
  std::string text;
  std::array<char, 5> buffer{};
  while (const std::size_t count = bytes.read(buffer)) text.append(buffer.data(), count);
  return text;
}

TEST(ByteSource, PeekedBytesAreReadAgain) {
  PipedBytes bytes("0123456789");
  EXPECT_EQ(bytes.peek(4), "0123");
  EXPECT_EQ(bytes.peek(2), "01");
  EXPECT_EQ(bytes.peek(100), "0123456789");
  EXPECT_EQ(read_rest(bytes), "0123456789");
  EXPECT_EQ(bytes.peek(1), "");
}

TEST(ByteSource, FillsTheBufferFromSmallPieces) {
  PipedBytes bytes("0123456789");
  std::array<char, 8> buffer{};
  EXPECT_EQ(bytes.read(buffer), 8U);
  EXPECT_EQ(bytes.read(buffer), 2U);
  EXPECT_EQ(bytes.read(buffer), 0U);
}

TEST(ByteSource, RewindingBeforeReadingIsFreeEvenForPipes) {
  PipedBytes bytes("0123456789");
  bytes.peek(3);
  bytes.rewind();
  EXPECT_EQ(read_rest(bytes), "0123456789");
  EXPECT_THROW(bytes.rewind(), FileError);
}

TEST(ByteSource, FilesAreReadMappedAndRewound) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "some bytes");
  const auto file = open_file(folder / "file");
  EXPECT_EQ(file->most_bytes(), 10U);
  EXPECT_EQ(file->peek(4), "some");
  EXPECT_EQ(read_rest(*file), "some bytes");
  file->rewind();
  EXPECT_EQ(read_rest(*file), "some bytes");
  EXPECT_EQ(file->map(), "some bytes");
}

TEST(ByteSource, EmptyFilesMapToNothing) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  const auto file = open_file(folder / "file");
  EXPECT_EQ(file->map(), "");
  EXPECT_EQ(read_rest(*file), "");
}

TEST(ByteSource, PipesAreReadOnce) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "through a pipe"; });
  const auto pipe = open_file(path);
  EXPECT_EQ(pipe->most_bytes(), std::nullopt);
  EXPECT_EQ(pipe->map(), std::nullopt);
  EXPECT_EQ(read_rest(*pipe), "through a pipe");
  EXPECT_EQ(message_of<FileError>([&] { pipe->rewind(); }),
            "'" + path + "' is a pipe and can be read only once: save it to a file first");
}

TEST(ByteSource, NamesTheReasonWhenAFileCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<FileError>([&] { open_file(folder / "missing"); }),
            "cannot read '" + (folder / "missing").string() + "': No such file or directory");
  EXPECT_EQ(message_of<FileError>([&] { open_file(folder.path()); }),
            "cannot read '" + folder.path().string() + "': Is a directory");
}

}  // namespace
}  // namespace mercer::data
