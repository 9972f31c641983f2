#include "data/line_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::data {

namespace {

/// Small enough to stay in the second-level cache between being filled and being parsed, and no
/// larger than it takes to see the end of a small file.
std::size_t buffer_bytes(const ByteSource& bytes) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 18;
  return std::min(kLargest, bytes.most_bytes().value_or(kLargest) + 1);
}

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), buffer_(buffer_bytes(*bytes_)) {
  check_beginning();
}

void LineReader::check_beginning() {
  constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
  refill();
  const std::string_view text(buffer_.data(), filled_);
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    throw FileError(
        fmt::format("'{}' is UTF-16 text, which cannot be read: convert it to UTF-8", name_));
  }
  if (text.find('\0') != std::string_view::npos) {
    throw FileError(fmt::format(
        "'{}' is neither text nor of another format that can be read: it contains zero bytes",
        name_));
  }
  if (text.starts_with(kUtf8Mark)) next_ = kUtf8Mark.size();
}

bool LineReader::next(std::string_view& line) {
  begin_ = next_;
  line_number_ = next_line_number_;
  if (!find_line_end(next_)) return false;
  ++next_line_number_;
  line = record();
  return true;
}

bool LineReader::extend(std::string_view& record_so_far) {
  if (!find_line_end(next_)) return false;
  ++next_line_number_;
  record_so_far = record();
  return true;
}

void LineReader::rewind() {
  bytes_->rewind();
  begin_ = end_ = next_ = filled_ = 0;
  line_number_ = 0;
  next_line_number_ = 1;
  at_end_ = false;
  check_beginning();
}

/// Sets `end_` and `next_` behind `from`; the last line may lack its line break.
bool LineReader::find_line_end(std::size_t from) {
  std::size_t searched = from - begin_;
  while (true) {
    const std::size_t start = begin_ + searched;
    const void* found =
        start < filled_ ? std::memchr(buffer_.data() + start, '\n', filled_ - start) : nullptr;
    if (found != nullptr) {
      end_ = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      next_ = end_ + 1;
      return true;
    }
    searched = filled_ - begin_;
    const std::size_t unread = filled_ - next_;
    if (refill()) continue;
    if (unread == 0) return false;
    end_ = next_ = filled_;
    return true;
  }
}

/// Moves the record to the front of the buffer and reads on behind it. False at the end.
bool LineReader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  end_ -= std::min(begin_, end_);
  next_ -= begin_;
  filled_ -= begin_;
  begin_ = 0;
  if (filled_ == buffer_.size()) {
    if (filled_ >= kMostLineBytes) {
      throw FileError(fmt::format("'{}', line {}: more than {} MiB in one line; is it a table?",
                                  name_, line_number_, kMostLineBytes >> 20));
    }
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t count = bytes_->read(std::span(buffer_).subspan(filled_));
  filled_ += count;
  at_end_ = filled_ < buffer_.size();
  return count > 0;
}

std::string_view LineReader::record() const {
  std::size_t end = end_;
  if (end > begin_ && buffer_[end - 1] == '\r') --end;
  return {buffer_.data() + begin_, end - begin_};
}

}  // namespace mercer::data
