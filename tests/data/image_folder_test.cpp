#include "data/image_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/in_memory.h"
#include "data/png_bytes.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::encode_png;
using testing::message_of;
using testing::TemporaryFolder;
using testing::Values;
using testing::values_of;
using testing::write_bytes;

TEST(ImageFolder, ReadsPicturesInOrderOfTheirNames) {
  const TemporaryFolder folder;
  write_bytes(folder / "b.pgm", "P2 2 1 255 3 4");
  write_bytes(folder / "a.PNG", encode_png({.width = 2, .height = 1, .samples = {1, 2}}));
  write_bytes(folder / "c.pgm", "P2 2 1 255 5 6");
  write_bytes(folder / "notes.txt", "passed over");
  std::filesystem::create_directory(folder / "d.png");
  const Values expected{{1, 2}, {3, 4}, {5, 6}};
  const Table table = read_table(folder.path());
  EXPECT_EQ(values_of(table.points), expected);
  EXPECT_EQ(table.rules.table_columns, 2U);
  const auto source = open_rows(folder.path());
  EXPECT_EQ(source->rows(), 3U);
  EXPECT_EQ(source->cols(), 2U);
  EXPECT_EQ(values_of(*source, 2), expected);
  source->rewind();
  EXPECT_EQ(values_of(*source, 1), expected);
}

TEST(ImageFolder, PicturesAreOfOneSize) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.pgm", "P2 2 1 255 3 4");
  write_bytes(folder / "b.pgm", "P2 1 2 255 3 4");
  EXPECT_EQ(
      message_of<DataError>([&] { read_table(folder.path()); }),
      fmt::format("'{0}/b.pgm' has 1 x 2 pixels, but '{0}/a.pgm' has 2 x 1: the pictures of a "
                  "folder must be of one size",
                  folder.path().string()));
}

TEST(ImageFolder, NamesTheDamagedPicture) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.pgm", "P2 2 1 255 3 4");
  write_bytes(folder / "b.png", "");
  EXPECT_EQ(message_of<FileError>([&] { read_table(folder.path()); }),
            fmt::format("'{}/b.png' is empty", folder.path().string()));
}

TEST(ImageFolder, NeedsPictures) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<FileError>([&] { read_table(folder.path()); }),
            "there are no .png or .pgm pictures in '" + folder.path().string() + "'");
}

TEST(ImageFolder, ChecksTheMemoryLimit) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.pgm", "P2 2 1 255 3 4");
  EXPECT_THROW(read_table(folder.path(), {.memory_limit_bytes = 15}), MemoryLimitError);
}

}  // namespace
}  // namespace mercer
