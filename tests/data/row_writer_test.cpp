#include <bit>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/in_memory.h"
#include "engine/random.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::Values;
using testing::values_of;

template <class T>
Matrix<T> matrix(const Values& values) {
  Matrix<T> m(values.size(), values.front().size());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.cols(); ++j) m(i, j) = static_cast<T>(values[i][j]);
  }
  return m;
}

TEST(OutputFormat, IsKnownByTheEnding) {
  EXPECT_EQ(output_format("z.npy"), OutputFormat::npy);
  EXPECT_EQ(output_format("z.CSV"), OutputFormat::csv);
  EXPECT_EQ(output_format("z.txt"), OutputFormat::csv);
  EXPECT_EQ(message_of<InvalidArgument>([] { output_format("z.xlsx"); }),
            "the format of 'z.xlsx' is not known from its ending: use .npy, .csv or .txt");
  EXPECT_THROW(output_format("npy"), InvalidArgument);
}

TEST(RowWriter, WritesNpyThatNumpyReads) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.npy", 2);
  writer.write(matrix<double>({{1, 2}, {3, 4}}));
  writer.write(matrix<double>({{5, 6}}));
  EXPECT_FALSE(std::filesystem::exists(folder / "z.npy"));
  writer.finish();
  const std::string bytes = read_bytes(folder / "z.npy");
  ASSERT_EQ(bytes.size(), 128U + 6 * sizeof(double));
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), } ");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(values_of(read_table(folder / "z.npy").points), (Values{{1, 2}, {3, 4}, {5, 6}}));
}

TEST(RowWriter, KeepsSinglePrecisionWhenAllRowsHaveIt) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.npy", 1);
  writer.write(matrix<float>({{0.1}}));
  writer.finish();
  const auto source = open_rows(folder / "z.npy");
  const auto block = source->next(1);
  EXPECT_EQ(std::get<Matrix<float>>(block->values)(0, 0), 0.1F);
}

TEST(RowWriter, WidensFloatsAmongDoublesButNeverNarrows) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.npy", 1);
  writer.write(matrix<double>({{0.1}}));
  writer.write(matrix<float>({{0.5}}));
  writer.finish();
  EXPECT_EQ(values_of(read_table(folder / "z.npy").points), (Values{{0.1}, {0.5}}));
  RowWriter narrow(folder / "y.npy", 1);
  narrow.write(matrix<float>({{0.5}}));
  EXPECT_THROW(narrow.write(matrix<double>({{0.1}})), InvalidArgument);
}

TEST(RowWriter, WritesCsvWithQuotedNames) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.csv", 3, {"a", "b, c", "say \"d\""});
  writer.write(matrix<double>({{1, 0.1, -1e-300}, {1e22, 123456789, 0.30000000000000004}}));
  writer.finish();
  EXPECT_EQ(read_bytes(folder / "z.csv"),
            "a,\"b, c\",\"say \"\"d\"\"\"\n1,0.1,-1e-300\n1e+22,123456789,0.30000000000000004\n");
  EXPECT_EQ(read_table(folder / "z.csv").rules.names,
            (std::vector<std::string>{"a", "b, c", "say \"d\""}));
}

TEST(RowWriter, DoublesComeBackToTheBit) {
  const engine::RandomStream stream(1);
  Matrix<double> points(10'000, 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto value = std::bit_cast<double>(stream.bits(i));
    if (std::isfinite(value)) points.data()[i] = value;
  }
  const TemporaryFolder folder;
  for (const std::string name : {"z.csv", "z.npy"}) {
    RowWriter writer(folder / name, 3);
    writer.write(points);
    writer.finish();
    const Table table = read_table(folder / name);
    ASSERT_EQ(table.points.rows(), points.rows());
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(table.points.data()[i]),
                std::bit_cast<std::uint64_t>(points.data()[i]));
    }
  }
}

TEST(RowWriter, WritesViewsWithAStride) {
  const TemporaryFolder folder;
  const Matrix<double> points = matrix<double>({{1, 2, 3}, {4, 5, 6}});
  RowWriter writer(folder / "z.npy", 2);
  writer.write(points.view().cols_from(1, 2));
  writer.finish();
  EXPECT_EQ(values_of(read_table(folder / "z.npy").points), (Values{{2, 3}, {5, 6}}));
}

TEST(RowWriter, NoRowsMakeAnEmptyArray) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.npy", 3);
  writer.finish();
  EXPECT_NE(read_bytes(folder / "z.npy").find("'shape': (0, 3)"), std::string::npos);
}

TEST(RowWriter, LeavesNothingBehindWhenAbandoned) {
  const TemporaryFolder folder;
  {
    RowWriter writer(folder / "z.csv", 1);
    writer.write(matrix<double>({{1}}));
    RowWriter moved = std::move(writer);
    moved.write(matrix<double>({{2}}));
    EXPECT_THROW(writer.write(matrix<double>({{2}})), InvalidArgument);  // NOLINT: moved from
  }
  EXPECT_EQ(folder.file_count(), 0U);
}

TEST(RowWriter, WholeNumbersStayWhole) {
  const TemporaryFolder folder;
  const std::int64_t large = (std::int64_t{1} << 53) + 1;  // no double has this value
  Matrix<std::int64_t> rows(1, 2);
  rows(0, 0) = large;
  rows(0, 1) = -7;
  for (const char* name : {"n.npy", "n.csv"}) {
    RowWriter writer(folder / name, 2);
    writer.write(std::as_const(rows).view());
    writer.finish();
  }
  const std::string bytes = read_bytes(folder / "n.npy");
  EXPECT_NE(bytes.find("'descr': '<i8'"), std::string::npos);
  std::int64_t first = 0;
  std::memcpy(&first, bytes.data() + bytes.size() - 16, sizeof(first));
  EXPECT_EQ(first, large);
  EXPECT_EQ(read_bytes(folder / "n.csv"), "9007199254740993,-7\n");
  RowWriter mixed(folder / "m.npy", 1);
  mixed.write(matrix<double>({{1}}));
  const Matrix<std::int64_t> one(1, 1);
  EXPECT_THROW(mixed.write(one.view()), InvalidArgument);
}

TEST(RowWriter, RefusesWrongShapesAndPaths) {
  const TemporaryFolder folder;
  RowWriter writer(folder / "z.csv", 2);
  EXPECT_THROW(writer.write(matrix<double>({{1, 2, 3}})), InvalidArgument);
  EXPECT_THROW(RowWriter(folder / "y.csv", 0), InvalidArgument);
  EXPECT_THROW(RowWriter(folder / "y.csv", 2, {"a"}), InvalidArgument);
  EXPECT_THROW(RowWriter(folder / "y.dat", 2), InvalidArgument);
  EXPECT_THROW(RowWriter(folder / "missing/y.csv", 2), FileError);
  writer.finish();
  EXPECT_THROW(writer.finish(), InvalidArgument);
}

TEST(WriteText, ReplacesTheFile) {
  const TemporaryFolder folder;
  write_text(folder / "t", "one");
  write_text(folder / "t", "two");
  EXPECT_EQ(read_bytes(folder / "t"), "two");
  EXPECT_THROW(write_text(folder / "missing/t", "x"), FileError);
  EXPECT_THROW(write_text("/dev/full", "x"), FileError);
}

}  // namespace
}  // namespace mercer
