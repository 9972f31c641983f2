#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/array_bytes.h"
#include "data/array_layout.h"
#include "data/in_memory.h"

namespace mercer::data {
namespace {

using testing::idx;
using testing::OwnedBytes;

ArrayLayout header_of(const std::string& bytes) {
  OwnedBytes source(bytes);
  return read_idx_header(source, "test");
}

TEST(IdxHeader, ReadsTypeAndDimensions) {
  const ArrayLayout layout = header_of(idx(0x0d, {7, 28, 27}, ""));
  EXPECT_EQ(layout.element, Element::f4);
  EXPECT_TRUE(layout.big_endian);
  EXPECT_EQ(layout.rows, 7U);
  EXPECT_EQ(layout.cols, 28U * 27U);
  EXPECT_EQ(layout.offset, 16U);
}

TEST(IdxHeader, RefusesOtherBytes) {
  EXPECT_THROW(header_of(idx(0x0a, {1}, "")), FileError);
  EXPECT_THROW(header_of("text and more"), FileError);
  EXPECT_THROW(header_of(idx(8, {}, "")), FileError);
  EXPECT_THROW(header_of(idx(8, {0, 3}, "")), DataError);
  EXPECT_THROW(header_of(idx(8, {3, 0}, "")), DataError);
}

TEST(IdxHeader, EveryTruncationIsAnError) {
  const std::string whole = idx(8, {2, 3}, "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(header_of(whole.substr(0, size)), FileError) << size;
  }
}

}  // namespace
}  // namespace mercer::data
