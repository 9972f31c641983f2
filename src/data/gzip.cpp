#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <mercer/error.h>

#include "data/byte_source.h"

namespace mercer::data {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";

/// Inflates one or more gzip members, as the gzip tool writes and concatenates them.
class GzipBytes final : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(kInputBytes) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  /// Deflate spends at least two bits on every 258 bytes, so it expands at most 1032-fold.
  std::optional<std::uint64_t> most_bytes() const override {
    const std::optional<std::uint64_t> bytes = compressed_->most_bytes();
    constexpr std::uint64_t kMostExpansion = 1032;
    if (!bytes || *bytes > UINT64_MAX / kMostExpansion) return std::nullopt;
    return *bytes * kMostExpansion;
  }

 protected:
  std::size_t read_some(std::span<char> buffer) override {
    constexpr std::size_t kMostAtOnce = 1U << 30;  // zlib counts in 32 bits
    const std::size_t wanted = std::min(buffer.size(), kMostAtOnce);
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out == wanted && !finished_) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0) fail("ends in the middle of its compressed data");
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        next_member();
      } else if (status == Z_MEM_ERROR) {
        throw std::bad_alloc();
      } else if (status != Z_OK) {
        fail(fmt::format("is damaged: {}", stream_.msg != nullptr ? stream_.msg : "not gzip data"));
      }
    }
    return wanted - stream_.avail_out;
  }

  void restart() override {
    compressed_->rewind();
    inflateReset(&stream_);
    stream_.avail_in = 0;
    finished_ = false;
  }

 private:
  static constexpr std::size_t kInputBytes = 1U << 16;

  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(compressed_->read(input_));
  }

  /// After the end of a member: another one, the end, or the zeros that tapes pad with.
  void next_member() {
    while (true) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0) {
        finished_ = true;
        return;
      }
      if (*stream_.next_in != 0) break;
      ++stream_.next_in;
      --stream_.avail_in;
    }
    inflateReset(&stream_);
  }

  [[noreturn]] void fail(std::string_view problem) const {
    throw FileError(fmt::format("cannot read '{}': the gzip file {}", name_, problem));
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_{};
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> inflate_if_compressed(std::unique_ptr<ByteSource> source,
                                                  std::string name) {
  if (source->peek(kGzipMagic.size()) != kGzipMagic) return source;
  return std::make_unique<GzipBytes>(std::move(source), std::move(name));
}

}  // namespace mercer::data
