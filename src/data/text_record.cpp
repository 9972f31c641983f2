#include "data/text_record.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <mercer/error.h>

namespace mercer::data {

bool RecordReader::next(std::string_view& record) {
  do {
    if (!lines_.next(record)) return false;
  } while (is_skipped(record));
  if (record.find('"') != std::string_view::npos) complete_quotes(record);
  return true;
}

bool RecordReader::is_skipped(std::string_view line) const {
  // A line of tabs alone is a record of empty fields when tabs are the delimiter.
  const bool tabs_count = delimiter_ == '\t';
  const auto first =
      std::ranges::find_if(line, [&](char c) { return c != ' ' && (c != '\t' || tabs_count); });
  if (first == line.end()) return true;
  return *first == '#' && delimiter_ != '#';
}

/// The characters that end a field of this record.
std::string_view RecordReader::delimiters(std::string_view record) const {
  constexpr std::string_view kUsual = ",;\t";
  if (!delimiter_ && record.find_first_of(kUsual) != std::string_view::npos) return kUsual;
  if (!delimiter_ || *delimiter_ == kBlanks) return " \t";
  return {&*delimiter_, 1};
}

/// Appends lines until no quoted field is open. Each character is looked at once.
void RecordReader::complete_quotes(std::string_view& record) {
  // One stray quote must not swallow a large file before it is noticed.
  constexpr std::size_t kMostQuotedBytes = std::size_t{1} << 20;
  const std::string_view ends = delimiters(record);
  std::size_t i = 0;
  const auto extend = [&] {
    if (record.size() - i > kMostQuotedBytes || !lines_.extend(record)) {
      throw DataError(
          fmt::format("'{}', line {}: a quoted field is not closed", name(), line_number()));
    }
  };
  while (true) {
    while (i < record.size() && is_blank(record[i])) ++i;
    if (i < record.size() && record[i] == '"') {
      std::size_t searched = i + 1;
      while (true) {
        const std::size_t quote = record.find('"', searched);
        if (quote == std::string_view::npos) {
          searched = record.size();
          extend();
        } else if (quote + 1 < record.size() && record[quote + 1] == '"') {
          searched = quote + 2;
        } else {
          i = quote + 1;
          break;
        }
      }
    }
    i = record.find_first_of(ends, i);
    if (i == std::string_view::npos) return;
    ++i;
  }
}

std::optional<std::string_view> FieldCursor::take() {
  if (p_ != end_ && *p_ == '"') return take_quoted();
  const char* const begin = p_;
  if (delimiter_ == kBlanks) {
    p_ = std::find_if(p_, end_, is_blank);
  } else if (p_ != end_) {
    const void* found = std::memchr(p_, delimiter_, static_cast<std::size_t>(end_ - p_));
    p_ = found != nullptr ? static_cast<const char*>(found) : end_;
  }
  const char* last = p_;
  while (last != begin && is_blank(last[-1])) --last;
  if (delimiter_ == kBlanks) skip_blanks();
  return std::string_view(begin, static_cast<std::size_t>(last - begin));
}

std::optional<std::string_view> FieldCursor::take_quoted() {
  unquoted_.clear();
  const char* p = p_ + 1;
  while (true) {
    const char* const quote = std::find(p, end_, '"');
    unquoted_.append(p, quote);
    if (quote == end_) return std::nullopt;
    p = quote + 1;
    if (p == end_ || *p != '"') break;
    unquoted_ += '"';
    ++p;
  }
  if (!accept(p)) return std::nullopt;
  return unquoted_;
}

std::vector<std::string> split(std::string_view record, char delimiter) {
  std::vector<std::string> fields;
  FieldCursor cursor(record, delimiter);
  do {
    const std::optional<std::string_view> field = cursor.take();
    if (!field) {
      // Where the malformed field ends is anyone's guess; the rest of the record is taken as one.
      fields.emplace_back(cursor.position(), cursor.end());
      return fields;
    }
    fields.emplace_back(*field);
  } while (cursor.advance());
  return fields;
}

}  // namespace mercer::data
