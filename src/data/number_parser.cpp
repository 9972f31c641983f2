#include "data/number_parser.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace mercer::data {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool starts_with_ignoring_case(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, [](char c) { return c | 0x20; });
}

/// Of a number that is not a double: is it too small rather than too large? Its first significant
/// digit stands hundreds of places from the point, so places need no exact count.
bool is_tiny(std::string_view number) {
  long long places = 0;  // of the first significant digit before (+) or behind (-) the point
  bool significant = false;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < number.size() && (is_digit(number[i]) || number[i] == '.'); ++i) {
    if (number[i] == '.') {
      fraction = true;
    } else if (!significant && number[i] == '0') {
      if (fraction) --places;
    } else {
      significant = true;
      if (!fraction) ++places;
    }
  }
  if (i < number.size()) ++i;  // the letter e
  if (i < number.size() && number[i] == '+') ++i;
  long long exponent = 0;
  const auto [end, error] =
      std::from_chars(number.data() + i, number.data() + number.size(), exponent);
  if (error == std::errc::result_out_of_range) return number[i] == '-';
  return places + exponent < 0;
}

}  // namespace

ParsedNumber parse_number_slowly(const char* begin, const char* end) {
  const bool negative = begin != end && *begin == '-';
  const char* p = begin != end && (*begin == '-' || *begin == '+') ? begin + 1 : begin;
  const std::string_view rest(p, static_cast<std::size_t>(end - p));
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    if (starts_with_ignoring_case(rest, word)) {
      return {0, p + word.size(), NumberStatus::not_finite};
    }
  }
  // from_chars would accept a second sign here, and it knows no plus.
  if (rest.empty() || !(is_digit(rest.front()) || rest.front() == '.')) return {0, begin};
  double magnitude = 0;
  const auto [stop, error] = std::from_chars(p, end, magnitude);
  if (error == std::errc::invalid_argument) return {0, begin};
  if (error == std::errc::result_out_of_range) {
    if (!is_tiny({p, static_cast<std::size_t>(stop - p)})) return {0, stop, NumberStatus::overflow};
    magnitude = 0;
  }
  return {negative ? -magnitude : magnitude, stop, NumberStatus::finite};
}

}  // namespace mercer::data
