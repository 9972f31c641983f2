#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/array_bytes.h"
#include "data/array_layout.h"
#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::message_of;
using testing::npy;
using testing::npy_dictionary;
using testing::OwnedBytes;

ArrayLayout header_of(const std::string& bytes) {
  OwnedBytes source(bytes);
  return read_npy_header(source, "test");
}

TEST(NpyHeader, ReadsEveryVersion) {
  for (const char version : {1, 2, 3}) {
    const ArrayLayout layout = header_of(npy(npy_dictionary("<f4", "(3, 4)"), "", version));
    EXPECT_EQ(layout.element, Element::f4);
    EXPECT_FALSE(layout.column_major);
    EXPECT_EQ(layout.rows, 3U);
    EXPECT_EQ(layout.cols, 4U);
    EXPECT_EQ(layout.offset, npy(npy_dictionary("<f4", "(3, 4)"), "", version).size());
  }
}

TEST(NpyHeader, FlattensDimensionsBehindTheFirst) {
  const ArrayLayout cube = header_of(npy(npy_dictionary("|u1", "(5, 32, 31)"), ""));
  EXPECT_EQ(cube.rows, 5U);
  EXPECT_EQ(cube.cols, 32U * 31U);
  const ArrayLayout line = header_of(npy(npy_dictionary("<f8", "(7,)"), ""));
  EXPECT_EQ(line.rows, 7U);
  EXPECT_EQ(line.cols, 1U);
}

TEST(NpyHeader, UnderstandsOtherWriters) {
  const ArrayLayout layout =
      header_of(npy(R"({"shape":(2L,3),"fortran_order":True,"descr":"<i8"}   )", ""));
  EXPECT_EQ(layout.element, Element::i8);
  EXPECT_TRUE(layout.column_major);
  EXPECT_EQ(layout.rows, 2U);
}

TEST(NpyHeader, RefusesTypesThatItCannotRead) {
  EXPECT_EQ(message_of<FileError>([] { header_of(npy(npy_dictionary(">f8", "(1,)"), "")); }),
            "'test' holds numbers of type '>f8', which cannot be read; convert them to "
            "little-endian float64, for example with astype('<f8')");
  for (const std::string type : {"<f2", "<c16", "|O", "<U3", "|f8", "", "f8", "<M8[ns]"}) {
    EXPECT_THROW(header_of(npy(npy_dictionary(type, "(1,)"), "")), FileError) << type;
  }
  EXPECT_THROW(
      header_of(npy("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,), }", "")),
      FileError);
}

TEST(NpyHeader, RefusesWhatIsNoHeader) {
  const std::string good = npy(npy_dictionary("<f8", "(3, 4)"), "");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(header_of(good.substr(0, size)), FileError) << size;
  }
  for (const std::string bad :
       {"", "{", "{}", "{'descr': '<f8', 'fortran_order': False}", "[]",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 1, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}"}) {
    EXPECT_THROW(header_of(npy(bad, "")), FileError) << bad;
  }
  std::string version = good;
  version[6] = 9;
  EXPECT_THROW(header_of(version), FileError);
  EXPECT_THROW(header_of("\x93NUMPY\x02" + std::string("\0\xff\xff\xff\xff", 5)), FileError);
}

TEST(NpyHeader, RefusesShapesWithoutNumbersOrWithTooMany) {
  EXPECT_THROW(header_of(npy(npy_dictionary("<f8", "()"), "")), FileError);
  EXPECT_THROW(header_of(npy(npy_dictionary("<f8", "(0, 3)"), "")), DataError);
  EXPECT_THROW(header_of(npy(npy_dictionary("<f8", "(3, 0)"), "")), DataError);
  const std::string huge = "(2, 4294967296, 4294967296)";
  EXPECT_THROW(header_of(npy(npy_dictionary("<f8", huge), "")), FileError);
}

}  // namespace
}  // namespace mercer::data
