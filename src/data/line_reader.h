#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_source.h"

namespace mercer::data {

/// Cuts text into lines, without their line breaks (LF or CRLF) and without a UTF-8 byte order
/// mark. Throws FileError for what is not text (UTF-16, other binary files) and for lines of more
/// than `kMostLineBytes`, which no table has.
class LineReader {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{1} << 28;

  LineReader(std::unique_ptr<ByteSource> bytes, std::string name);

  /// The next line, valid until the following call. False at the end.
  bool next(std::string_view& line);
  /// Appends the following line, with the line break between them, to the one that `next` gave: for
  /// quoted fields with line breaks. False at the end.
  bool extend(std::string_view& record);
  /// Back to the first line.
  void rewind();

  /// 1-based number of the line that the last record began on.
  std::size_t line_number() const { return line_number_; }
  const std::string& name() const { return name_; }

 private:
  bool find_line_end(std::size_t from);
  bool refill();
  void check_beginning();
  std::string_view record() const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the record
  std::size_t end_ = 0;    ///< of the record, at its line break
  std::size_t next_ = 0;   ///< of the bytes not yet delivered
  std::size_t filled_ = 0;
  std::size_t line_number_ = 0;
  std::size_t next_line_number_ = 1;
  bool at_end_ = false;  ///< no bytes are left behind `filled_`
};

}  // namespace mercer::data
