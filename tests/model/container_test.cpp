#include "model/container.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <zlib.h>

#include <mercer/error.h>

#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer::model {
namespace {

using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

const std::vector<double> kSix = {1, -2.5, 3e300, 4e-310, 0.1, -0.0};
const std::vector<double> kTwo = {7, 8};

void write_example(const std::filesystem::path& path) {
  write_container(path, "model", {{"note", "line\nbreak \"quoted\" \xc3\xb6"}},
                  {{.name = "six", .shape = {2, 3}, .values = kSix},
                   {.name = "none", .shape = {2, 0}, .values = {}},
                   {.name = "two", .shape = {2}, .values = kTwo}});
}

Container parse(const std::string& bytes) {
  return parse_container(std::as_bytes(std::span(bytes)), "file");
}

std::string refusal(const std::string& bytes) {
  return message_of<FileError>([&] { parse(bytes); });
}

/// A file around any header and data, its checksum (where the header has a blank one) made right,
/// so that only what the test is about is wrong.
std::string file_of(std::string header, const std::string& data) {
  const auto length = std::bit_cast<std::array<char, 8>>(std::uint64_t{header.size()});
  std::string bytes(length.begin(), length.end());
  bytes += header + data;
  const std::size_t digits = bytes.find("\"checksum\":\"00000000\"");
  if (digits == std::string::npos) return bytes;
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return bytes.replace(digits + 12, 8, fmt::format("{:08x}", crc));
}

std::string header_with(const std::string& tensors) {
  return R"({"__metadata__":{"format_version":"1","kind":"model","checksum":"00000000"})" +
         (tensors.empty() ? "" : "," + tensors) + "}";
}

std::string doubles(std::vector<double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

TEST(Container, RoundTripKeepsEveryBit) {
  const TemporaryFolder folder;
  write_example(folder / "a.mercer");
  const Container container = read_container(folder / "a.mercer");
  EXPECT_EQ(container.kind, "model");
  EXPECT_EQ(container.metadata,
            (std::map<std::string, std::string>{{"note", "line\nbreak \"quoted\" \xc3\xb6"}}));
  ASSERT_EQ(container.tensors.size(), 3u);
  const Tensor& six = container.tensors.at("six");
  EXPECT_EQ(six.shape, (std::vector<std::size_t>{2, 3}));
  ASSERT_EQ(six.values.rows(), 2u);
  for (std::size_t i = 0; i < kSix.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(six.values.data()[i]),
              std::bit_cast<std::uint64_t>(kSix[i]));
  EXPECT_EQ(container.tensors.at("none").shape, (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(container.tensors.at("two").values(1, 0), 8);
}

RC_GTEST_PROP(ContainerProperties, AnyNumbersAndTextsComeBack,
              (const std::vector<std::int64_t>& integers, const std::string& text)) {
  const TemporaryFolder folder;
  std::vector<double> values;
  for (const std::int64_t integer : integers)
    if (const auto value = std::bit_cast<double>(integer); std::isfinite(value))
      values.push_back(value);
  std::string ascii;
  for (const char c : text) ascii += static_cast<char>(c & 0x7f);
  write_container(folder / "a", "cover", {{"text", ascii}},
                  {{.name = "values", .shape = {values.size()}, .values = values}});
  const Container container = read_container(folder / "a");
  RC_ASSERT(container.metadata.at("text") == ascii);
  const auto& read = container.tensors.at("values").values;
  RC_ASSERT(std::vector<double>(read.data(), read.data() + read.size()) == values);
}

TEST(Container, TensorsAreAlignedAndContiguous) {
  const TemporaryFolder folder;
  write_example(folder / "a.mercer");
  const std::string bytes = read_bytes(folder / "a.mercer");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ((8 + length) % 64, 0u);
  EXPECT_EQ(bytes.size(), 8 + length + 8 * (kSix.size() + kTwo.size()));
  EXPECT_EQ(std::memcmp(bytes.data() + 8 + length, kSix.data(), 48), 0);
}

TEST(Container, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  write_example(folder / "a.mercer");
  std::string bytes = read_bytes(folder / "a.mercer");
  ASSERT_EQ(refusal(bytes), "no error");
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      EXPECT_NE(refusal(bytes), "no error") << "byte " << i << ", bit " << bit;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
    }
}

TEST(Container, EveryByteReplacedByEachOtherValueIsNoticed) {
  const TemporaryFolder folder;
  write_container(folder / "a", "model", {}, {{.name = "t", .shape = {2}, .values = kTwo}});
  std::string bytes = read_bytes(folder / "a");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char original = bytes[i];
    for (int value = 0; value < 256; ++value) {
      bytes[i] = static_cast<char>(value);
      if (bytes[i] == original) continue;
      EXPECT_NE(refusal(bytes), "no error") << "byte " << i << " as " << value;
    }
    bytes[i] = original;
  }
}

TEST(Container, EveryTruncationAndExtensionIsNoticed) {
  const TemporaryFolder folder;
  write_example(folder / "a.mercer");
  const std::string bytes = read_bytes(folder / "a.mercer");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusal(bytes.substr(0, size)), "no error") << size;
  EXPECT_NE(refusal(bytes + '\0').find("too long"), std::string::npos);
  EXPECT_NE(refusal(bytes.substr(0, bytes.size() - 8)).find("cut short"), std::string::npos);
}

TEST(Container, DamageIsSaidToBeDamage) {
  const TemporaryFolder folder;
  write_example(folder / "a.mercer");
  std::string bytes = read_bytes(folder / "a.mercer");
  bytes.back() ^= 1;
  EXPECT_NE(refusal(bytes).find("file: damaged: its checksum is"), std::string::npos);
}

TEST(Container, HugeHeaderLengthIsRefusedBeforeAllocation) {
  std::string bytes(200, ' ');
  for (const std::uint64_t length :
       {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 63, std::uint64_t{193}}) {
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_EQ(refusal(bytes),
              "file: not a mercer file: it does not begin with the length of a header");
  }
}

TEST(Container, AcceptsAMinimalFileOfAnotherWriter) {
  const std::string header =
      R"({ "t": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}, "__metadata__":)"
      R"({"kind": "model", "checksum":"00000000", "format_version": "1"} })";
  EXPECT_EQ(parse(file_of(header, doubles({5}))).tensors.at("t").values(0, 0), 5);
}

TEST(Container, NewerVersionsAreRefusedByName) {
  for (const std::string version : {"2", "17", "99999999999999999999999"}) {
    const std::string header =
        R"({"__metadata__":{"format_version":")" + version + R"("},"t":{"dtype":"NEW"}})";
    const std::string message = refusal(file_of(header, ""));
    EXPECT_NE(message.find("format version " + version + ","), std::string::npos) << message;
    EXPECT_NE(message.find("reads versions up to 1"), std::string::npos) << message;
  }
}

TEST(Container, OddVersionsAreNotVersions) {
  for (const std::string version : {"", "0", "01", "1.5", "-1", " 1", "one"}) {
    const std::string header = R"({"__metadata__":{"format_version":")" + version + R"("}})";
    EXPECT_NE(refusal(file_of(header, "")).find("is not a format version"), std::string::npos)
        << version;
  }
}

TEST(Container, OtherSafetensorsFilesAreToldApart) {
  EXPECT_NE(refusal(file_of("{}", "")).find("not one of mercer's"), std::string::npos);
  EXPECT_NE(refusal(file_of(R"({"__metadata__":{"format":"pt"}})", "")).find("not one of mercer's"),
            std::string::npos);
}

TEST(Container, MalformedHeadersAreRefusedWithTheReason) {
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& offsets) {
    return header_with(
        fmt::format(R"("t":{{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets));
  };
  const std::string data(16, '\0');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {tensor("F16", "[8]", "[0,16]"), "its type is F16"},
      {tensor("F64", "[3]", "[0,16]"), "do not fit its shape [3]"},
      {tensor("F64", "[2]", "[16,0]"), "do not fit its shape"},
      {tensor("F64", "[1]", "[0,8]"), "too long"},
      {tensor("F64", "[1]", "[8,16]"), "begins at byte 8 instead of 0"},
      {tensor("F64", "[4]", "[0,32]"), "cut short"},
      {tensor("F64", "[4294967296,536870914]", "[0,16]"), "larger than any file"},
      {tensor("F64", "[2305843009213693953,2]", "[0,16]"), "larger than any file"},
      {tensor("F64", "[-2]", "[0,16]"), "non-negative integers"},
      {tensor("F64", "[2.0]", "[0,16]"), "non-negative integers"},
      {tensor("F64", "[1e400]", "[0,16]"), "not valid JSON"},
      {tensor("F64", "[36893488147419103233]", "[0,16]"), "non-negative integers"},
      {tensor("F64", "[]", "[0,8]"), "0 dimensions"},
      {tensor("F64", "[1,1,2]", "[0,16]"), "3 dimensions"},
      {tensor("F64", "[2]", "[0]"), "two numbers"},
      {tensor("F64", "2", "[0,16]"), "'shape' must be an array"},
      {header_with(R"("t":5)"), "must be a JSON object"},
      {header_with(R"("t":{"dtype":"F64"})"), "'shape' must be present"},
      {header_with(R"("t":{"dtype":"F64","dtype":"F64"})"), "the key 'dtype' appears twice"},
      {R"({"__metadata__":{"format_version":"1","checksum":"00000000"}})", "too long"},
      {R"({"__metadata__":{"format_version":"1"}})", "'checksum' must be present"},
      {R"({"__metadata__":{"format_version":"1","checksum":"0000"}})", "eight hexadecimal digits"},
      {R"({"__metadata__":{"format_version":"1","checksum": "00000000"}})",
       "eight hexadecimal digits"},
      {R"({"__metadata__":{"format_version":"1","checksum":"0000000G"}})",
       "eight hexadecimal digits"},
      {R"({"__metadata__":{"format_version":"1","checksum":"00000000","x":[]}})",
       "'x' must be a string"},
      {R"({"__metadata__":[]})", "must be an object"},
      {"[1,2]", "must be a JSON object"},
      {"not json", "not valid JSON"},
  };
  for (const auto& [header, reason] : cases)
    EXPECT_NE(refusal(file_of(header, data)).find(reason), std::string::npos)
        << header << "\n -> " << refusal(file_of(header, data));
}

TEST(Container, MissingKindIsRefused) {
  EXPECT_EQ(
      refusal(file_of(R"({"__metadata__":{"format_version":"1","checksum":"00000000"}})", "")),
      "file: the metadata have no 'kind'");
}

TEST(Container, OverlappingTensorsAreRefused) {
  const std::string header =
      header_with(R"("a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]},)"
                  R"("b":{"dtype":"F64","shape":[2],"data_offsets":[8,24]})");
  EXPECT_NE(refusal(file_of(header, std::string(24, '\0'))).find("begins at byte 8 instead of 16"),
            std::string::npos);
}

TEST(Container, NonFiniteNumbersAreRefused) {
  const std::string header =
      header_with(R"("t":{"dtype":"F64","shape":[3,1],"data_offsets":[0,24]})");
  EXPECT_EQ(refusal(file_of(header, doubles({1, 2, 3}))), "no error");
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
    EXPECT_NE(refusal(file_of(header, doubles({1, 2, bad}))).find("tensor 't' holds"),
              std::string::npos);
}

TEST(Container, TextsThatAreNotUtf8AreNotWritten) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_container(folder / "a", "model", {{"note", "\xff"}}, {}), InvalidArgument);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Container, HeadersThatNoReaderTakesAreNotWritten) {
  const TemporaryFolder folder;
  const std::string large(17u << 20, 'x');
  EXPECT_THROW(write_container(folder / "a", "model", {{"note", large}}, {}), InvalidArgument);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Container, UnreadablePathsSayWhy) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<FileError>([&] { read_container("/nowhere/a.mercer"); }),
            "cannot read '/nowhere/a.mercer': No such file or directory");
  EXPECT_NE(message_of<FileError>([&] { read_container(folder.path()); }).find("Is a directory"),
            std::string::npos);
  EXPECT_NE(message_of<FileError>([&] { read_container("/dev/null"); }).find("not a regular file"),
            std::string::npos);
  write_bytes(folder / "empty", "");
  EXPECT_NE(message_of<FileError>([&] { read_container(folder / "empty"); }).find("only 0 bytes"),
            std::string::npos);
}

TEST(Container, AFailedWriteLeavesTheOldFile) {
  EXPECT_THROW(write_container("/nowhere/a", "model", {}, {}), FileError);
  EXPECT_THROW(write_container("/dev/full", "model", {}, {}), FileError);
}

}  // namespace
}  // namespace mercer::model
