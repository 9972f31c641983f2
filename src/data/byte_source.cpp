#include "data/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::data {

std::size_t ByteSource::read(std::span<char> buffer) {
  std::size_t filled = ahead_.copy(buffer.data(), buffer.size());
  ahead_.erase(0, filled);
  while (filled < buffer.size()) {
    const std::size_t count = read_some(buffer.subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  started_ = started_ || filled > 0;
  return filled;
}

std::string_view ByteSource::peek(std::size_t count) {
  // Room is made for bytes that have come, not for all that are asked for.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (ahead_.size() < count) {
    const std::size_t known = ahead_.size();
    ahead_.resize(known + std::min(count - known, kPiece));
    const std::size_t more = read_some(std::span(ahead_).subspan(known));
    ahead_.resize(known + more);
    if (more == 0) break;
  }
  return std::string_view(ahead_).substr(0, count);
}

void ByteSource::rewind() {
  if (!started_) return;
  restart();
  ahead_.clear();
  started_ = false;
}

std::size_t MemoryBytes::read_some(std::span<char> buffer) {
  const std::size_t count = bytes_.copy(buffer.data(), buffer.size(), position_);
  position_ += count;
  return count;
}

namespace {

class FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path) : name_(path.string()) {
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail();
    struct stat status{};
    const bool known = fstat(descriptor_, &status) == 0;
    if (!known || S_ISDIR(status.st_mode)) {
      if (known) errno = EISDIR;
      const int reason = errno;
      close(descriptor_);
      errno = reason;
      fail();
    }
    if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~FileBytes() override {
    if (mapping_ != nullptr) munmap(mapping_, *size_);
    close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::optional<std::uint64_t> most_bytes() const override { return size_; }
  bool cheap_to_reread() const override { return size_.has_value(); }

  std::optional<std::string_view> map() override {
    if (!size_) return std::nullopt;
    if (*size_ == 0) return std::string_view();
    if (mapping_ == nullptr) {
      void* p = mmap(nullptr, *size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
      if (p == MAP_FAILED) return std::nullopt;  // some file systems cannot; reading still works
      mapping_ = p;
    }
    return std::string_view(static_cast<const char*>(mapping_), *size_);
  }

  void release(std::size_t begin, std::size_t size) override {
    if (mapping_ == nullptr) return;
    // The last page is usually still in use; it goes with the bytes that follow.
    static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t first = begin / page * page;
    const std::size_t end = (begin + size) / page * page;
    if (first >= end) return;
    // Advice: when it is not taken, only the resident size differs.
    madvise(static_cast<char*>(mapping_) + first, end - first, MADV_DONTNEED);
  }

 protected:
  std::size_t read_some(std::span<char> buffer) override {
    while (true) {
      const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) fail();
    }
  }

  void restart() override {
    if (lseek(descriptor_, 0, SEEK_SET) == 0) return;
    throw FileError(
        fmt::format("'{}' is a pipe and can be read only once: save it to a file first", name_));
  }

 private:
  [[noreturn]] void fail() const {
    throw FileError(
        fmt::format("cannot read '{}': {}", name_, std::generic_category().message(errno)));
  }

  std::string name_;
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;  ///< of a regular file
  void* mapping_ = nullptr;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) {
  return std::make_unique<FileBytes>(path);
}

}  // namespace mercer::data
