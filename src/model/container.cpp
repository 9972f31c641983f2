#include "model/container.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

#include <mercer/error.h>

#include "model/container_header.h"
#include "system/atomic_file.h"

namespace mercer::model {
namespace {

static_assert(std::endian::native == std::endian::little,
              "tensors are written as they lie in memory");

class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // zlib takes a null pointer as the wish to start over
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  std::string digits() const { return fmt::format("{:08x}", crc_); }

 private:
  uLong crc_ = crc32_z(0, nullptr, 0);
};

/// The bytes of a container, wherever they lie, in order.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `bytes`; never asked for more than `size` in all.
  virtual void read(std::span<std::byte> bytes) = 0;
};

class MemoryReader final : public ByteReader {
 public:
  explicit MemoryReader(std::span<const std::byte> bytes) : bytes_(bytes), left_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::span<std::byte> bytes) override {
    if (bytes.empty()) return;
    std::memcpy(bytes.data(), left_.data(), bytes.size());
    left_ = left_.subspan(bytes.size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::span<const std::byte> left_;
};

class FileReader final : public ByteReader {
 public:
  explicit FileReader(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status))
      error = std::make_error_code(std::errc::is_a_directory);
    if (error) fail(error.message());
    if (!std::filesystem::is_regular_file(status))
      fail("it is not a regular file, and a model is not read from a pipe or device");
    size_ = std::filesystem::file_size(path, error);
    if (error) fail(error.message());
    errno = 0;
    file_.open(path, std::ios::binary);
    if (!file_) fail(std::generic_category().message(errno));
  }
  std::uint64_t size() const override { return size_; }
  void read(std::span<std::byte> bytes) override {
    file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file_) fail("it ended early or could not be read");
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw FileError(fmt::format("cannot read '{}': {}", name_, reason));
  }

  std::string name_;
  std::uint64_t size_ = 0;
  std::ifstream file_;
};

std::array<std::byte, kLengthBytes> length_bytes(std::uint64_t length) {
  return std::bit_cast<std::array<std::byte, kLengthBytes>>(length);
}

std::string read_header_text(ByteReader& reader, Checksum& checksum, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    throw FileError(fmt::format("{}: not a mercer file: {}", name, why));
  };
  if (reader.size() <= kLengthBytes) refuse(fmt::format("it has only {} bytes", reader.size()));
  std::array<std::byte, kLengthBytes> start;
  reader.read(start);
  checksum.add(start);
  const auto length = std::bit_cast<std::uint64_t>(start);
  if (length > reader.size() - kLengthBytes || length > kMaxHeaderBytes)
    refuse("it does not begin with the length of a header");
  std::string text(length, '\0');
  reader.read(std::as_writable_bytes(std::span(text)));
  return text;
}

Tensor read_tensor(const TensorEntry& entry, ByteReader& reader, Checksum& checksum) {
  const std::size_t columns = entry.shape.size() == 2 ? entry.shape[1] : 1;
  Tensor tensor{.shape = entry.shape,
                .values = Matrix<double>::uninitialized(entry.shape[0], columns)};
  const std::span<double> values(tensor.values.data(), tensor.values.size());
  reader.read(std::as_writable_bytes(values));
  checksum.add(std::as_bytes(values));
  return tensor;
}

void require_finite(const Tensor& tensor, const std::string& tensor_name, const std::string& name) {
  for (std::size_t i = 0; i < tensor.values.rows(); ++i)
    for (const double value : tensor.values.row(i))
      if (!std::isfinite(value))
        throw FileError(
            fmt::format("{}: tensor '{}' holds {} in row {}", name, tensor_name, value, i + 1));
}

std::string take_kind(std::map<std::string, std::string>& metadata, const std::string& name) {
  auto kind = metadata.extract("kind");
  if (kind.empty()) throw FileError(fmt::format("{}: the metadata have no 'kind'", name));
  return std::move(kind.mapped());
}

Container read_all(ByteReader& reader, const std::string& name) {
  Checksum checksum;
  std::string text = read_header_text(reader, checksum, name);
  Header header = parse_header(text, reader.size() - kLengthBytes - text.size(), name);
  text.replace(header.checksum_position, kBlankChecksum.size(), kBlankChecksum);
  checksum.add(text);

  Container container;
  for (const TensorEntry& entry : header.tensors)
    container.tensors.emplace(entry.name, read_tensor(entry, reader, checksum));
  if (checksum.digits() != header.checksum)
    throw FileError(
        fmt::format("{}: damaged: its checksum is {}, but the header says {}; restore it from a "
                    "copy or fit again",
                    name, checksum.digits(), header.checksum));
  for (const auto& [key, tensor] : container.tensors) require_finite(tensor, key, name);

  container.metadata = std::move(header.metadata);
  container.kind = take_kind(container.metadata, name);
  return container;
}

}  // namespace

void write_container(const std::filesystem::path& path, const std::string& kind,
                     const std::map<std::string, std::string>& metadata,
                     const std::vector<TensorView>& tensors) {
  std::vector<TensorEntry> entries;
  std::uint64_t position = 0;
  for (const TensorView& tensor : tensors) {
    const std::uint64_t end = position + tensor.values.size_bytes();
    entries.push_back({.name = tensor.name, .shape = tensor.shape, .begin = position, .end = end});
    position = end;
  }
  auto texts = metadata;
  texts["kind"] = kind;
  std::string header = format_header(texts, entries);
  const auto length = length_bytes(header.size());

  Checksum checksum;
  checksum.add(length);
  checksum.add(header);
  for (const TensorView& tensor : tensors) checksum.add(std::as_bytes(tensor.values));
  header.replace(find_checksum(header, kBlankChecksum), kBlankChecksum.size(), checksum.digits());

  system::AtomicFile file(path);
  file.write(length);
  file.write(header);
  for (const TensorView& tensor : tensors) file.write(std::as_bytes(tensor.values));
  file.commit();
}

Container read_container(const std::filesystem::path& path) {
  FileReader reader(path);
  return read_all(reader, path.string());
}

FileHead read_head(const std::filesystem::path& path) {
  FileReader reader(path);
  Checksum ignored;
  const std::string name = path.string();
  const std::string text = read_header_text(reader, ignored, name);
  Header header = parse_header(text, reader.size() - kLengthBytes - text.size(), name);
  std::string kind = take_kind(header.metadata, name);
  return {.kind = std::move(kind), .metadata = std::move(header.metadata)};
}

Container parse_container(std::span<const std::byte> bytes, const std::string& name) {
  MemoryReader reader(bytes);
  return read_all(reader, name);
}

}  // namespace mercer::model
