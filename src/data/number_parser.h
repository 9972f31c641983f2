#pragma once

#include <array>
#include <cstdint>

namespace mercer::data {

enum class NumberStatus {
  finite,
  not_finite,    ///< nan, inf or infinity, in any case and with any sign
  overflow,      ///< larger than any double
  not_a_number,  ///< text, or nothing at all
};

struct ParsedNumber {
  double value = 0;
  const char* end = nullptr;  ///< first character that is not part of the number
  NumberStatus status = NumberStatus::not_a_number;
};

/// A decimal number as spelled in data files: sign, digits, point, exponent. The value is the
/// double nearest to the decimal, as from strtod, whatever the locale; numbers too small become
/// zero.
ParsedNumber parse_number_slowly(const char* begin, const char* end);

/// The same for the common case without a call: when the digits make an integer of at most 2^53, it
/// and the power of ten are doubles without error, and their quotient is rounded only once, which
/// makes it the nearest double (Clinger, PLDI 1990, where powers up to 10^22 serve).
inline ParsedNumber parse_number(const char* begin, const char* end) {
  constexpr std::array<double, 20> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                   1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                   1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
  constexpr std::uint64_t kExactIntegers = std::uint64_t{1} << 53;
  constexpr long kDigitsWithoutOverflow = 19;

  const char* p = begin;
  const bool negative = p != end && *p == '-';
  if (p != end && (*p == '-' || *p == '+')) ++p;
  std::uint64_t digits = 0;
  const auto accumulate = [&] {
    const char* const first = p;
    for (; p != end; ++p) {
      const unsigned digit = static_cast<unsigned char>(*p) - static_cast<unsigned>('0');
      if (digit > 9) break;
      digits = digits * 10 + digit;
    }
    return p - first;
  };
  long count = accumulate();
  long fraction = 0;
  if (p != end && *p == '.') {
    ++p;
    fraction = accumulate();
    count += fraction;
  }
  const bool has_exponent = p != end && (*p | 0x20) == 'e';
  if (count == 0 || count > kDigitsWithoutOverflow || digits > kExactIntegers || has_exponent) {
    return parse_number_slowly(begin, end);
  }
  const double magnitude = static_cast<double>(digits) / kPowersOfTen[fraction];
  return {negative ? -magnitude : magnitude, p, NumberStatus::finite};
}

}  // namespace mercer::data
