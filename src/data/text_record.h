#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/line_reader.h"

namespace mercer::data {

/// Stands for "any run of blanks and tabs" where a delimiter is asked for.
inline constexpr char kBlanks = ' ';

inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Cuts text into the records of a table. Blank lines and lines that begin with '#' are no records.
/// A quoted field may contain line breaks, so a record may take several lines.
class RecordReader {
 public:
  RecordReader(std::unique_ptr<ByteSource> bytes, std::string name)
      : lines_(std::move(bytes), std::move(name)) {}

  /// Before it is known, a quote after any usual delimiter opens a field.
  void set_delimiter(char delimiter) { delimiter_ = delimiter; }

  /// The next record, valid until the following call. False at the end.
  bool next(std::string_view& record);
  void rewind() { lines_.rewind(); }

  /// 1-based number of the line that the last record began on.
  std::size_t line_number() const { return lines_.line_number(); }
  const std::string& name() const { return lines_.name(); }

 private:
  bool is_skipped(std::string_view line) const;
  std::string_view delimiters(std::string_view record) const;
  void complete_quotes(std::string_view& record);

  LineReader lines_;
  std::optional<char> delimiter_;
};

/// Walks over the fields of one record.
class FieldCursor {
 public:
  FieldCursor(std::string_view record, char delimiter)
      : p_(record.data()), end_(record.data() + record.size()), delimiter_(delimiter) {
    skip_blanks();
  }

  /// The field at the cursor, without blanks around it and without its quotes. Moves to its end.
  /// The view is valid until the next call. Nothing when there is text behind a closing quote.
  std::optional<std::string_view> take();
  /// Moves behind the delimiter to the next field. False at the end of the record.
  bool advance() {
    if (p_ == end_) return false;
    if (delimiter_ != kBlanks) ++p_;
    skip_blanks();
    return true;
  }

  /// For parsing in place: the rest of the record, and a way to say how far that got.
  const char* position() const { return p_; }
  const char* end() const { return end_; }
  /// Accepts a field that ended at `p`, if only blanks follow up to the delimiter.
  bool accept(const char* p) {
    while (p != end_ && is_padding(*p)) ++p;
    if (p != end_ && *p != delimiter_ && !(delimiter_ == kBlanks && p != p_ && is_blank(p[-1]))) {
      return false;
    }
    p_ = p;
    return true;
  }

 private:
  /// Blanks beside a field that are not themselves the delimiter.
  bool is_padding(char c) const { return c == ' ' || (c == '\t' && delimiter_ != '\t'); }
  void skip_blanks() {
    while (p_ != end_ && is_padding(*p_)) ++p_;
  }
  std::optional<std::string_view> take_quoted();

  const char* p_;
  const char* end_;
  char delimiter_;
  std::string unquoted_;
};

/// All fields of a record. Malformed quotes stay as they are: `FieldCursor` reports them where it
/// matters.
std::vector<std::string> split(std::string_view record, char delimiter);

}  // namespace mercer::data
