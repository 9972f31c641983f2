#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace mercer::data {

inline bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The text itself when it is UTF-8; otherwise it is taken for Latin-1, which every text can be.
/// Names and categories go into model files, and those hold UTF-8 only.
std::string to_utf8(std::string_view text);

}  // namespace mercer::data
