#include "data/text_dialect.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/message_text.h"
#include "data/number_parser.h"
#include "data/text_record.h"

namespace mercer::data {

namespace {

NumberStatus number_status(std::string_view field) {
  const char* const end = field.data() + field.size();
  const ParsedNumber number = parse_number(field.data(), end);
  return number.end == end ? number.status : NumberStatus::not_a_number;
}

/// Also true for "nan" and "inf", which are bad numbers and not words.
bool is_number(std::string_view field) {
  return number_status(field) != NumberStatus::not_a_number;
}

/// Something that could be the name of a column, and not the mark of a missing value.
bool is_word(std::string_view field) {
  constexpr std::array<std::string_view, 8> kMissing = {"",    "?",    "-",    "NA",
                                                        "N/A", "null", "NULL", "None"};
  return !is_number(field) && std::ranges::find(kMissing, field) == kMissing.end();
}

/// Old tables mix tabs and blanks freely: "1 2<tab>3" holds three numbers.
bool blanks_separate_too(std::string_view record, std::size_t fields_between_tabs) {
  const std::vector<std::string> fields = split(record, kBlanks);
  return fields.size() > fields_between_tabs && std::ranges::all_of(fields, is_number);
}

char detect_delimiter(std::string_view first, std::optional<std::string_view> second) {
  // Where a comma stands for the decimal point, tabs or semicolons separate; so it comes last.
  constexpr std::array kCandidates = {'\t', ';', ','};
  std::optional<char> inconsistent;
  for (const char candidate : kCandidates) {
    const std::size_t count = split(first, candidate).size();
    if (count == 1) continue;
    if (candidate == '\t' && blanks_separate_too(first, count)) continue;
    if (!second || split(*second, candidate).size() == count) return candidate;
    if (!inconsistent) inconsistent = candidate;
  }
  return inconsistent.value_or(kBlanks);
}

char checked_delimiter(char delimiter) {
  const auto byte = static_cast<unsigned char>(delimiter);
  const bool part_of_fields = std::isalnum(byte) != 0 || byte >= 0x80;
  if (part_of_fields ||
      std::string_view("+-.\"\n\r\0", 7).find(delimiter) != std::string_view::npos) {
    throw InvalidArgument(
        fmt::format("the delimiter cannot be {}: use a character that is not part of numbers, "
                    "quotes or line breaks",
                    in_quotes(std::string_view(&delimiter, 1))));
  }
  return delimiter;
}

bool names_columns(const TableOptions& options) {
  const auto by_name = [](const ColumnName& column) {
    return column.kind == ColumnName::Kind::name;
  };
  return options.rules.empty() && (by_name(options.label) || by_name(options.weight) ||
                                   std::ranges::any_of(options.ignore, by_name) ||
                                   std::ranges::any_of(options.one_hot, by_name));
}

bool detect_header(std::string_view first, std::optional<std::string_view> second, char delimiter,
                   const TableOptions& options) {
  if (names_columns(options)) return true;
  const std::vector<std::string> top = split(first, delimiter);
  if (!options.rules.names.empty() && top == options.rules.names) return true;
  if (!second) return std::ranges::all_of(top, is_word);
  const std::vector<std::string> below = split(*second, delimiter);
  bool has_word = false;
  for (std::size_t j = 0; j < std::min(top.size(), below.size()); ++j) {
    if (number_status(below[j]) != NumberStatus::finite) continue;
    if (is_number(top[j])) return false;  // a row whose text happens to be a number below
    has_word = has_word || is_word(top[j]);
  }
  return has_word;
}

}  // namespace

TextDialect detect_dialect(std::string_view first, std::optional<std::string_view> second,
                           const TableOptions& options) {
  TextDialect dialect;
  dialect.delimiter =
      options.delimiter ? checked_delimiter(*options.delimiter) : detect_delimiter(first, second);
  dialect.header =
      options.header ? *options.header : detect_header(first, second, dialect.delimiter, options);
  return dialect;
}

}  // namespace mercer::data
