#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mercer::data {

/// The bytes of a file, a pipe, a compressed file or a piece of memory, from first to last.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills the buffer as far as the bytes reach: fewer than asked only at the end.
  std::size_t read(std::span<char> buffer);
  /// The next at most `count` bytes, which `read` delivers again.
  std::string_view peek(std::size_t count);
  /// Back to the first byte. Throws FileError for a pipe whose bytes are gone.
  void rewind();

  /// No more bytes than this can come; nothing is known of pipes. Declared sizes are checked
  /// against it before anything is allocated for them.
  virtual std::optional<std::uint64_t> most_bytes() const = 0;
  /// Whether going through the bytes once more costs next to nothing.
  virtual bool cheap_to_reread() const { return false; }
  /// Everything at once, where it is in memory or can be mapped into it.
  virtual std::optional<std::string_view> map() { return std::nullopt; }
  /// Mapped bytes that will not be looked at soon: they no longer count as memory of the process.
  /// They stay readable, at the price of a page fault.
  virtual void release(std::size_t /*begin*/, std::size_t /*size*/) {}

 protected:
  /// Delivers at least one byte unless at the end.
  virtual std::size_t read_some(std::span<char> buffer) = 0;
  virtual void restart() = 0;

 private:
  std::string ahead_;  ///< peeked and not yet delivered
  bool started_ = false;
};

/// Bytes that are already in memory and outlive the source.
class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> most_bytes() const override { return bytes_.size(); }
  bool cheap_to_reread() const override { return true; }
  std::optional<std::string_view> map() override { return bytes_; }

 protected:
  std::size_t read_some(std::span<char> buffer) override;
  void restart() override { position_ = 0; }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

/// Opens a file, a pipe or a device. Throws FileError with the system's reason.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path);

/// `source` itself, or what it inflates to when it begins as gzip does. `name` is for messages.
std::unique_ptr<ByteSource> inflate_if_compressed(std::unique_ptr<ByteSource> source,
                                                  std::string name);

}  // namespace mercer::data
