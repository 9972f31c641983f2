#include "data/labels.h"

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/array_bytes.h"
#include "data/compress.h"
#include "data/in_memory.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::bytes_of;
using testing::gzip;
using testing::names_of;
using testing::npy;
using testing::npy_dictionary;
using testing::TemporaryFolder;
using testing::write_bytes;
using Names = std::vector<std::string>;

Labels labels_in(const std::string& bytes) {
  const TemporaryFolder folder;
  write_bytes(folder / "labels", bytes);
  return read_labels(folder / "labels");
}

TEST(ReadLabels, TextHasOneLabelALine) {
  const Labels labels = labels_in("Iris setosa\r\nb, c\n\n# comment\n\"quoted\"\n Iris setosa \n");
  EXPECT_EQ(names_of(labels), (Names{"Iris setosa", "b, c", "quoted", "Iris setosa"}));
  EXPECT_EQ(labels.names, (Names{"Iris setosa", "b, c", "quoted"}));
}

TEST(ReadLabels, ArraysOfNumbersAreLabelsToo) {
  const Names expected{"3", "-1", "3"};
  EXPECT_EQ(
      names_of(labels_in(npy(npy_dictionary("<i8", "(3,)"), bytes_of<std::int64_t>({3, -1, 3})))),
      expected);
  EXPECT_EQ(names_of(labels_in(npy(npy_dictionary("<f4", "(3, 1)"), bytes_of<float>({3, -1, 3})))),
            expected);
  EXPECT_EQ(names_of(labels_in(npy(npy_dictionary("<f8", "(1, 3)"), bytes_of<double>({3, -1, 3})))),
            expected);
  EXPECT_EQ(names_of(labels_in(gzip(testing::idx(8, {3}, "\3\1\3")))), (Names{"3", "1", "3"}));
}

TEST(ReadLabels, RefusesWhatIsNoListOfLabels) {
  EXPECT_THROW(labels_in(""), FileError);
  EXPECT_THROW(labels_in("\n# only comments\n"), FileError);
  EXPECT_THROW(labels_in("\"a\"b\n"), DataError);
  EXPECT_THROW(labels_in(npy(npy_dictionary("|u1", "(2, 2)"), "abcd")), DataError);
  EXPECT_THROW(read_labels("/nonexistent/labels"), FileError);
}

}  // namespace
}  // namespace mercer
