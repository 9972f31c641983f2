#include "data/text_encoding.h"

#include <array>
#include <cstdint>
#include <optional>

namespace mercer::data {

namespace {

/// Takes one character off the front, or returns nothing when the bytes there are not UTF-8.
std::optional<std::uint32_t> take_character(std::string_view& text) {
  // How the leading byte of a sequence of 1 to 4 bytes looks, and the least character that needs
  // it.
  struct Form {
    unsigned mask, mark;
    std::uint32_t least;
  };
  constexpr std::array<Form, 4> kForms = {
      {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}}};
  const unsigned lead = static_cast<unsigned char>(text.front());
  for (std::size_t length = 1; length <= kForms.size(); ++length) {
    const Form& form = kForms[length - 1];
    if ((lead & form.mask) != form.mark) continue;
    if (text.size() < length) return std::nullopt;
    std::uint32_t character = lead & ~form.mask;
    for (std::size_t i = 1; i < length; ++i) {
      const unsigned byte = static_cast<unsigned char>(text[i]);
      if ((byte & 0xc0) != 0x80) return std::nullopt;
      character = character << 6 | (byte & 0x3f);
    }
    const bool surrogate = character >= 0xd800 && character < 0xe000;
    if (character < form.least || character > 0x10ffff || surrogate) return std::nullopt;
    text.remove_prefix(length);
    return character;
  }
  return std::nullopt;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    if (!take_character(text)) return false;
  }
  return true;
}

}  // namespace

std::string to_utf8(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string utf8;
  for (const char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xc0 | byte >> 6);
      utf8 += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return utf8;
}

}  // namespace mercer::data
