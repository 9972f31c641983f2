#include <fstream>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/array_bytes.h"
#include "data/compress.h"
#include "data/in_memory.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::gzip;
using testing::idx;
using testing::message_of;
using testing::npy;
using testing::npy_dictionary;
using testing::TemporaryFolder;
using testing::Values;
using testing::values_of;
using testing::write_bytes;

TEST(ReadTable, RecognisesFormatsByContentAndName) {
  const TemporaryFolder folder;
  const std::string array = npy(npy_dictionary("|u1", "(2, 2)"), "\1\2\3\4");
  const std::string digits = idx(8, {2, 2}, "\1\2\3\4");
  const std::string sparse = "0 1:1 2:2\n0 1:3 2:4\n";
  const std::string text = "1,2\n3,4\n";
  const std::pair<std::string, std::string> files[] = {
      {"a.npy", array},
      {"b", array},
      {"c.npy.gz", gzip(array)},
      {"d", gzip(array)},
      {"e-ubyte", digits},
      {"f-ubyte.gz", gzip(digits)},
      {"g.svm", sparse},
      {"h.libsvm", sparse},
      {"i.svmlight.gz", gzip(sparse)},
      {"j.csv", text},
      {"k.data.gz", gzip(text)},
      {"l", text},
  };
  for (const auto& [name, bytes] : files) {
    write_bytes(folder / name, bytes);
    EXPECT_EQ(values_of(read_table(folder / name).points), (Values{{1, 2}, {3, 4}})) << name;
    const auto source = open_rows(folder / name);
    EXPECT_EQ(source->cols(), 2U) << name;
    EXPECT_EQ(values_of(*source, 1), (Values{{1, 2}, {3, 4}})) << name;
  }
}

TEST(ReadTable, OptionsMayNameTheFormat) {
  const TemporaryFolder folder;
  write_bytes(folder / "x.dat", "0 1:1\n");
  EXPECT_EQ(read_table(folder / "x.dat", {.format = FileFormat::libsvm}).points.cols(), 1U);
  EXPECT_THROW(read_table(folder / "x.dat", {.format = FileFormat::npy}), FileError);
  EXPECT_THROW(read_table(folder / "x.dat", {.format = FileFormat::idx}), FileError);
  EXPECT_THROW(read_table(folder / "x.dat", {.format = FileFormat::images}), FileError);
  EXPECT_THROW(read_table(folder.path(), {.format = FileFormat::text}), FileError);
}

TEST(ReadTable, SaysWhatIsWrongWithOtherFiles) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name, const std::string& bytes) {
    write_bytes(folder / name, bytes);
    const std::string text = message_of<FileError>([&] { read_table(folder / name); });
    return text.substr(text.rfind("' ") + 2);
  };
  EXPECT_EQ(message("empty.csv", ""), "is empty");
  EXPECT_EQ(message("empty.npy", ""), "is truncated: 8 bytes are missing");
  EXPECT_EQ(message("text.npy", "this is no array"),
            "is not an NPY file: it begins with other bytes");
  EXPECT_EQ(message("one.pgm", "P2 1 1 255 0"),
            "is one picture; give the folder that holds all of them");
  EXPECT_EQ(message("a.npz", "PK\x03\x04..."),
            "is a zip archive (.npz?); extract it and give the file inside");
  EXPECT_EQ(message("binary", std::string("\x7f"
                                          "ELF\0\0\0",
                                          7)),
            "is neither text nor of another format that can be read: it contains zero bytes");
  EXPECT_THROW(read_table(folder / "missing.csv"), FileError);
}

TEST(ReadTable, ReadsCompressedTextFromAPipe) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << gzip("x,y\n1,2\n3,4\n"); });
  EXPECT_EQ(values_of(read_table(path).points), (Values{{1, 2}, {3, 4}}));
}

TEST(ReadTable, ALargeCompressedTableIsReadWhole) {
  const TemporaryFolder folder;
  std::string text;
  double sum = 0;
  for (int i = 0; i < 200'000; ++i) {
    text += std::to_string(i) + "," + std::to_string(i % 97) + "\n";
    sum += i + i % 97;
  }
  write_bytes(folder / "large.csv.gz", gzip(text));
  const Table table = read_table(folder / "large.csv.gz");
  ASSERT_EQ(table.points.rows(), 200'000U);
  double found = 0;
  for (std::size_t i = 0; i < table.points.size(); ++i) found += table.points.data()[i];
  EXPECT_EQ(found, sum);
  EXPECT_EQ(table.points(199'999, 0), 199'999);
  EXPECT_THROW(read_table(folder / "large.csv.gz", {.memory_limit_bytes = 3'000'000}),
               MemoryLimitError);
}

TEST(ReadTable, CanBeCancelledBetweenBlocks) {
  const std::vector<std::pair<FileFormat, std::string>> files = {
      {FileFormat::text, "1,2\n3,4\n"}, {FileFormat::libsvm, "1 1:2 2:3\n0 1:4\n"}};
  for (const auto& [format, text] : files) {
    TableOptions options;
    int polls = 0;
    options.cancelled = [&] { return ++polls > 1; };  // before the second block, which is the end
    EXPECT_THROW(testing::read_bytes_as(format, text, options), Cancelled);
    EXPECT_THROW(testing::read_piped_bytes_as(format, text, options), Cancelled);
  }
}

TEST(OpenRows, CanBeCancelledBeforeEachBlock) {
  const std::vector<std::tuple<FileFormat, std::string, TableOptions>> files = {
      {FileFormat::text, "1,2\n3,4\n", {}},
      {FileFormat::text, "1,2\n3,4\n", {.one_hot = parse_columns("2")}},
      {FileFormat::libsvm, "1 1:2 2:3\n0 1:4\n", {}},
      {FileFormat::npy, npy(npy_dictionary("|u1", "(2, 2)"), "\1\2\3\4"), {}}};
  for (auto [format, bytes, options] : files) {
    bool cancel = false;
    options.cancelled = [&] { return cancel; };
    const auto source = testing::open_bytes(bytes, format, options, data::Keep::points);
    EXPECT_EQ(source->next(1)->rows(), 1U);
    cancel = true;
    EXPECT_THROW(source->next(1), Cancelled);
    EXPECT_EQ(message_of<Cancelled>([&, f = format, &b = bytes, &o = options] {
                testing::open_bytes(b, f, o, data::Keep::points)->next(1);
              }),
              "cancelled");
  }
}

TEST(OpenRows, RewindsCompressedText) {
  const TemporaryFolder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + ",1\n";
  write_bytes(folder / "x.csv.gz", gzip(text));
  const auto source = open_rows(folder / "x.csv.gz");
  for (int pass = 0; pass < 3; ++pass) {
    std::size_t rows = 0;
    double sum = 0;
    // The second pass ends in the middle.
    while (const auto block = source->next(999)) {
      const Matrix<double> values = block->dense();
      for (std::size_t i = 0; i < values.rows(); ++i) sum += values(i, 0);
      rows += values.rows();
      if (pass == 1 && rows > 20'000) break;
    }
    if (pass != 1) {
      EXPECT_EQ(rows, 50'000U);
      EXPECT_EQ(sum, 50'000.0 * 49'999 / 2);
    }
    source->rewind();
  }
  EXPECT_EQ(source->rules().names, (std::vector<std::string>{"a", "b"}));
}

TEST(OpenRows, APipeCannotBeRewound) {
  const TemporaryFolder folder;
  const std::string path = (folder / "pipe").string();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "1,2\n3,4\n"; });
  const auto source = open_rows(path);
  source->rewind();  // nothing has been read so far
  EXPECT_EQ(values_of(*source, 1), (Values{{1, 2}, {3, 4}}));
  EXPECT_EQ(message_of<FileError>([&] { source->rewind(); }),
            "'" + path + "' is a pipe and can be read only once: save it to a file first");
}

/// Resident pages of this process that belong to files, in bytes.
std::size_t resident_file_bytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    std::size_t kilobytes = 0;
    if (key == "RssFile:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

TEST(OpenRows, AMappedFileIsGivenBackWhileItIsRead) {
  if (resident_file_bytes() == 0) GTEST_SKIP() << "/proc/self/status does not tell RssFile";
  const TemporaryFolder folder;
  std::vector<double> numbers(4'000'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  for (const bool fortran : {false, true}) {
    const auto path = folder / (fortran ? "f.npy" : "c.npy");
    write_bytes(path,
                npy(npy_dictionary("<f8", "(1000000, 4)", fortran), testing::bytes_of(numbers)));
    const auto source = open_rows(path);
    const std::size_t before = resident_file_bytes();
    for (int pass = 0; pass < 2; ++pass) {
      std::size_t most = 0;
      double sum = 0;
      while (const auto block = source->next(8192)) {
        sum += std::get<Matrix<double>>(block->values)(0, 0);
        most = std::max(most, resident_file_bytes());
      }
      EXPECT_GT(sum, 0);
      // The system may map 2 MiB at once, and column by column that is four times.
      EXPECT_LT(most, before + (std::size_t{16} << 20)) << "of 32 MB";
      source->rewind();
    }
  }
}

TEST(ReadTable, ATruncatedCompressedTableIsAnError) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  const std::string whole = gzip(text);
  write_bytes(folder / "cut.csv.gz", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(message_of<FileError>([&] { read_table(folder / "cut.csv.gz"); }),
            "cannot read '" + (folder / "cut.csv.gz").string() +
                "': the gzip file ends in the middle of its compressed data");
}

}  // namespace
}  // namespace mercer
