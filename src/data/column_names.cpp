#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "data/message_text.h"

namespace mercer {

namespace {

/// The 1-based column number that the text is, or nothing when it is not all digits.
std::optional<std::size_t> column_number(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::size_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc{} || number == 0) {
    throw InvalidArgument(
        fmt::format("{} is not a column number: columns count from 1", data::in_quotes(text)));
  }
  return number;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// "7-9" as both of its ends; a name may contain a hyphen too.
std::optional<std::pair<std::size_t, std::size_t>> column_range(std::string_view text) {
  const std::size_t hyphen = text.find('-');
  if (hyphen == std::string_view::npos) return std::nullopt;
  const auto first = column_number(text.substr(0, hyphen));
  const auto last = column_number(text.substr(hyphen + 1));
  if (!first || !last) return std::nullopt;
  constexpr std::size_t kMostColumns = 1'000'000;  // a mistyped range must not eat the memory
  if (*last < *first || *last - *first >= kMostColumns) {
    throw InvalidArgument(
        fmt::format("the column range {} must go upwards and have at most {} columns",
                    data::in_quotes(text), kMostColumns));
  }
  return std::pair(*first, *last);
}

}  // namespace

ColumnName ColumnName::parse(std::string_view text) {
  text = trimmed(text);
  ColumnName column;
  if (text.empty()) throw InvalidArgument("a column needs a number or a name: none was given");
  if (text == "none") return column;
  if (text == "first" || text == "last") {
    column.kind = text == "first" ? Kind::first : Kind::last;
  } else if (const auto number = column_number(text)) {
    column.kind = Kind::position;
    column.position = *number - 1;
  } else {
    column.kind = Kind::name;
    column.name = text;
  }
  return column;
}

std::vector<ColumnName> parse_columns(std::string_view text) {
  std::vector<ColumnName> columns;
  if (trimmed(text).empty()) return columns;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    if (const auto range = column_range(item)) {
      for (std::size_t number = range->first; number <= range->second; ++number) {
        columns.push_back({.kind = ColumnName::Kind::position, .position = number - 1, .name = {}});
      }
    } else {
      columns.push_back(ColumnName::parse(item));
    }
    if (comma == std::string_view::npos) return columns;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace mercer
