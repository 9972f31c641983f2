#include "data/array_reader.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "data/array_bytes.h"
#include "data/compress.h"
#include "data/in_memory.h"
#include "model/error_message.h"

namespace mercer::data {
namespace {

using testing::bytes_of;
using testing::gzip;
using testing::idx;
using testing::message_of;
using testing::names_of;
using testing::npy;
using testing::npy_dictionary;
using testing::open_bytes;
using testing::OwnedBytes;
using testing::read_bytes_as;
using testing::Values;
using testing::values_of;

template <class E>
std::string npy_2x3(const std::string& type, const std::vector<E>& values) {
  return npy(npy_dictionary(type, "(2, 3)"), bytes_of(values));
}

TEST(ArrayReader, ReadsEveryTypeOfNpy) {
  const Values expected{{0, 1, 100}, {3, 4, 5}};
  const auto values = [](const std::string& bytes) {
    return values_of(read_bytes_as(FileFormat::npy, bytes).points);
  };
  EXPECT_EQ(values(npy_2x3<std::uint8_t>("|u1", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::int8_t>("|i1", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::uint16_t>("<u2", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::int16_t>("<i2", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::uint32_t>("<u4", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::int32_t>("<i4", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::uint64_t>("<u8", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::int64_t>("<i8", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<float>("<f4", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<double>("<f8", {0, 1, 100, 3, 4, 5})), expected);
  EXPECT_EQ(values(npy_2x3<std::uint8_t>("|b1", {0, 1, 1, 0, 1, 255})),
            (Values{{0, 1, 1}, {0, 1, 1}}));
  EXPECT_EQ(values(npy_2x3<std::int16_t>("<i2", {-1, -2, -3, -32768, 0, 32767})),
            (Values{{-1, -2, -3}, {-32768, 0, 32767}}));
}

TEST(ArrayReader, ReadsEveryTypeOfIdx) {
  const Values expected{{-1, 2}, {3, 100}};
  const auto values = [](char type, const std::string& numbers) {
    return values_of(read_bytes_as(FileFormat::idx, idx(type, {2, 2}, numbers)).points);
  };
  EXPECT_EQ(values(0x09, bytes_of<std::int8_t>({-1, 2, 3, 100}, true)), expected);
  EXPECT_EQ(values(0x0b, bytes_of<std::int16_t>({-1, 2, 3, 100}, true)), expected);
  EXPECT_EQ(values(0x0c, bytes_of<std::int32_t>({-1, 2, 3, 100}, true)), expected);
  EXPECT_EQ(values(0x0d, bytes_of<float>({-1, 2, 3, 100}, true)), expected);
  EXPECT_EQ(values(0x0e, bytes_of<double>({-1, 2, 3, 100}, true)), expected);
  EXPECT_EQ(values(0x08, bytes_of<std::uint8_t>({255, 2, 3, 100}, true)),
            (Values{{255, 2}, {3, 100}}));
}

TEST(ArrayReader, ReadsColumnMajorArrays) {
  const std::string bytes =
      npy(npy_dictionary("<f8", "(2, 3)", true), bytes_of<double>({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values_of(read_bytes_as(FileFormat::npy, bytes).points),
            (Values{{1, 2, 3}, {4, 5, 6}}));
  const auto source = open_bytes(bytes, FileFormat::npy, {}, Keep::points);
  EXPECT_EQ(values_of(*source, 1), (Values{{1, 2, 3}, {4, 5, 6}}));
}

TEST(ArrayReader, ColumnMajorAgreesWithRowMajorBeyondOneBand) {
  const std::size_t rows = 1000;
  const std::size_t cols = 37;
  std::vector<std::int32_t> row_major;
  std::vector<std::int32_t> column_major(rows * cols);
  for (std::size_t i = 0; i < rows * cols; ++i) {
    row_major.push_back(static_cast<std::int32_t>(i * 7919 % 10007));
    column_major[(i % cols) * rows + i / cols] = row_major.back();
  }
  const Table expected =
      read_bytes_as(FileFormat::npy, npy(npy_dictionary("<i4", "(1000, 37)"), bytes_of(row_major)));
  const std::string bytes = npy(npy_dictionary("<i4", "(1000, 37)", true), bytes_of(column_major));
  const auto source = open_bytes(bytes, FileFormat::npy, {}, Keep::points);
  EXPECT_EQ(values_of(*source, 333), values_of(expected.points));
}

TEST(ArrayReader, SingleColumnsAndCubesBecomeTables) {
  EXPECT_EQ(values_of(read_bytes_as(FileFormat::npy,
                                    npy(npy_dictionary("<f8", "(3,)"), bytes_of<double>({1, 2, 3})))
                          .points),
            (Values{{1}, {2}, {3}}));
  EXPECT_EQ(
      values_of(read_bytes_as(FileFormat::idx, idx(8, {2, 2, 2}, std::string("\1\2\3\4\5\6\7\10")))
                    .points),
      (Values{{1, 2, 3, 4}, {5, 6, 7, 8}}));
}

TEST(ArrayReader, KeepsSinglePrecisionInBlocks) {
  const auto source =
      open_bytes(npy_2x3<float>("<f4", {0.1F, 1, 2, 3, 4, 5}), FileFormat::npy, {}, Keep::points);
  EXPECT_EQ(source->rows(), 2U);
  const auto block = source->next(1);
  ASSERT_TRUE(std::holds_alternative<Matrix<float>>(block->values));
  EXPECT_EQ(std::get<Matrix<float>>(block->values)(0, 0), 0.1F);
}

TEST(ArrayReader, StreamsTheSameRowsFromMemoryGzipAndPipes) {
  std::vector<double> values(5000);
  Values expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i) / 8;
    if (i % 5 == 0) expected.emplace_back();
    expected.back().push_back(values[i]);
  }
  const std::string bytes = npy(npy_dictionary("<f8", "(1000, 5)"), bytes_of(values));
  for (const std::size_t rows_at_once : {1, 333, 1000, 5000}) {
    const auto plain = open_bytes(bytes, FileFormat::npy, {}, Keep::points);
    const auto packed =
        open_table(inflate_if_compressed(std::make_unique<OwnedBytes>(gzip(bytes)), "test"),
                   FileFormat::npy, "test", {}, Keep::points);
    const auto piped = open_table(std::make_unique<testing::PipedBytes>(bytes, 1000),
                                  FileFormat::npy, "test", {}, Keep::points);
    EXPECT_EQ(values_of(*plain, rows_at_once), expected);
    EXPECT_EQ(values_of(*packed, rows_at_once), expected);
    EXPECT_EQ(values_of(*piped, rows_at_once), expected);
    plain->rewind();
    packed->rewind();
    EXPECT_EQ(values_of(*plain, rows_at_once), expected);
    EXPECT_EQ(values_of(*packed, rows_at_once), expected);
    EXPECT_EQ(piped->rows(), std::nullopt);
  }
  EXPECT_EQ(values_of(testing::read_piped_bytes_as(FileFormat::npy, bytes).points), expected);
}

TEST(ArrayReader, ColumnsHaveTheirRolesHereToo) {
  const std::string bytes =
      npy(npy_dictionary("<f8", "(2, 4)"), bytes_of<double>({1, 0.5, 7, NAN, 2, 1.5, 8, NAN}));
  const Table table = read_bytes_as(FileFormat::npy, bytes,
                                    {.label = ColumnName::parse("3"),
                                     .weight = ColumnName::parse("2"),
                                     .ignore = parse_columns("last")});
  EXPECT_EQ(values_of(table.points), (Values{{1}, {2}}));
  EXPECT_EQ(names_of(table.labels), (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(table.weights, (std::vector<double>{0.5, 1.5}));
  const auto weighted =
      open_bytes(bytes, FileFormat::npy,
                 {.weight = ColumnName::parse("2"), .ignore = parse_columns("3,4")}, Keep::points);
  EXPECT_EQ(testing::weights_of(*weighted, 1), table.weights);
  EXPECT_EQ(weighted->rules().left_out, table.rules.left_out);
  const TableOptions encoding{.ignore = parse_columns("2,4"), .one_hot = parse_columns("3")};
  const Table encoded = read_bytes_as(FileFormat::npy, bytes, encoding);
  EXPECT_EQ(values_of(encoded.points), (Values{{1, 1, 0}, {2, 0, 1}}));
  const auto streamed = open_bytes(bytes, FileFormat::npy, encoding, Keep::points);
  EXPECT_EQ(streamed->cols(), 3U);
  EXPECT_EQ(values_of(*streamed, 1), values_of(encoded.points));
  EXPECT_EQ(message_of<DataError>([&] {
              read_bytes_as(FileFormat::npy, npy_2x3<double>("<f8", {1, 2, 9, 1, 2, 3}),
                            {.rules = {.table_columns = 3,
                                       .left_out = {},
                                       .one_hot = {{.column = 2, .categories = {"9"}}},
                                       .names = {}}});
            }),
            "'test', row 2, column 3: the category 3 is unknown");
}

TEST(ArrayReader, NamesThePlaceOfWhatIsNotFinite) {
  EXPECT_EQ(message_of<DataError>([] {
              read_bytes_as(FileFormat::npy, npy_2x3<double>("<f8", {0, 1, 2, 3, 4, NAN}));
            }),
            "'test', row 2, column 3: nan is not a finite number");
  EXPECT_EQ(message_of<DataError>([] {
              read_bytes_as(FileFormat::npy, npy_2x3<float>("<f4", {0, -INFINITY, 2, 3, 4, 5}));
            }),
            "'test', row 1, column 2: -inf is not a finite number");
  EXPECT_EQ(message_of<DataError>([] {
              read_bytes_as(FileFormat::idx, idx(0x0e, {3}, bytes_of<double>({1, 2, NAN}, true)));
            }),
            "'test', row 3, column 1: nan is not a finite number");
}

TEST(ArrayReader, EveryTruncationIsAnError) {
  const std::string whole = npy_2x3<std::int16_t>("<i2", {1, 2, 3, 4, 5, 6});
  const std::string whole_idx = idx(8, {2, 3}, "abcdef");
  for (std::size_t cut = 1; cut <= 12; ++cut) {
    const std::string bytes = whole.substr(0, whole.size() - cut);
    EXPECT_THROW(read_bytes_as(FileFormat::npy, bytes), FileError) << cut;
    EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::npy, bytes), FileError) << cut;
  }
  for (std::size_t size = 0; size < whole_idx.size(); ++size) {
    EXPECT_THROW(read_bytes_as(FileFormat::idx, whole_idx.substr(0, size)), FileError) << size;
    EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::idx, whole_idx.substr(0, size)),
                 FileError)
        << size;
  }
}

TEST(ArrayReader, SurplusBytesAreAnError) {
  const std::string whole = npy_2x3<std::int16_t>("<i2", {1, 2, 3, 4, 5, 6}) + "x";
  EXPECT_EQ(message_of<FileError>([&] { read_bytes_as(FileFormat::npy, whole); }),
            "'test' has more bytes than its header declares");
  EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::npy, whole), FileError);
}

TEST(ArrayReader, EnormousDeclarationsAllocateNothing) {
  const std::string shapes[] = {"(1000000000000, 3)", "(1, 1000000000000)",
                                "(4294967296, 4294967295)"};
  for (const std::string& shape : shapes) {
    const std::string bytes = npy(npy_dictionary("<f8", shape), std::string(24, '\0'));
    EXPECT_THROW(read_bytes_as(FileFormat::npy, bytes), FileError) << shape;
    EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::npy, bytes), FileError) << shape;
    EXPECT_THROW(
        open_table(inflate_if_compressed(std::make_unique<OwnedBytes>(gzip(bytes)), "test"),
                   FileFormat::npy, "test", {}, Keep::everything),
        FileError)
        << shape;
  }
  EXPECT_THROW(read_bytes_as(FileFormat::idx, idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, "abc")),
               FileError);
  EXPECT_THROW(read_bytes_as(FileFormat::idx, idx(8, {0xffffffff, 0xffffffff}, "abc")), FileError);
}

TEST(ArrayReader, RefusesColumnMajorArraysThatCannotBeMapped) {
  const std::string bytes =
      npy(npy_dictionary("<f8", "(2, 3)", true), bytes_of<double>({1, 4, 2, 5, 3, 6}));
  EXPECT_THROW(testing::read_piped_bytes_as(FileFormat::npy, bytes), FileError);
}

TEST(ArrayReader, ChecksTheMemoryLimitBeforeAllocating) {
  const std::string bytes = npy(npy_dictionary("|u1", "(1000, 100)"), std::string(100'000, 'x'));
  EXPECT_EQ(read_bytes_as(FileFormat::npy, bytes, {.memory_limit_bytes = 800'000}).points.rows(),
            1000U);
  EXPECT_EQ(
      message_of<MemoryLimitError>(
          [&] { read_bytes_as(FileFormat::npy, bytes, {.memory_limit_bytes = 400'000}); }),
      "'test' takes at least 781.2 KiB in memory (1000 x 100 numbers), more than the limit of "
      "390.6 KiB: raise the limit, leave out columns, or read the file block by block");
}

}  // namespace
}  // namespace mercer::data
