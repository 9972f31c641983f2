#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/array_layout.h"
#include "data/message_text.h"

namespace mercer::data {

namespace {

constexpr std::array<std::pair<std::string_view, Element>, 11> kElements = {{
    {"b1", Element::b1},
    {"u1", Element::u1},
    {"i1", Element::i1},
    {"u2", Element::u2},
    {"i2", Element::i2},
    {"u4", Element::u4},
    {"i4", Element::i4},
    {"u8", Element::u8},
    {"i8", Element::i8},
    {"f4", Element::f4},
    {"f8", Element::f8},
}};

/// Reads the Python dictionary that describes the array:
///     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  ArrayLayout parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr") {
        element();
      } else if (key == "fortran_order") {
        layout_.column_major = boolean();
      } else if (key == "shape") {
        shape_ = tuple();
      } else {
        fail();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty() || !has_element_ || !shape_) fail();
    layout_.set_shape(*shape_, file_);
    return layout_;
  }

 private:
  void skip_space() {
    const std::size_t count = rest_.find_first_not_of(" \n");
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail();
  }

  std::string_view string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t length = rest_.find(quote);
    if (length == std::string_view::npos) fail();
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return text;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    fail();
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 wrote long integers so
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  void element() {
    skip_space();
    if (rest_.starts_with('[')) {
      throw FileError(fmt::format("'{}' is an array of records; save its numbers alone", file_));
    }
    const std::string_view type = string();
    const char order = type.empty() ? ' ' : type.front();
    const auto known = std::ranges::find(kElements, type.substr(type.empty() ? 0 : 1),
                                         &decltype(kElements)::value_type::first);
    const bool one_byte = known != kElements.end() && element_bytes(known->second) == 1;
    if (known == kElements.end() || !(order == '<' || order == '|' || one_byte) ||
        (order == '|' && !one_byte)) {
      throw FileError(fmt::format(
          "'{}' holds numbers of type {}, which cannot be read; convert them to little-endian "
          "float64, for example with astype('<f8')",
          file_, in_quotes(type)));
    }
    layout_.element = known->second;
    has_element_ = true;
  }

  [[noreturn]] void fail() const {
    throw FileError(fmt::format("'{}' has an NPY header that cannot be understood", file_));
  }

  std::string_view rest_;
  const std::string& file_;
  ArrayLayout layout_;
  bool has_element_ = false;
  std::optional<std::vector<std::uint64_t>> shape_;
};

}  // namespace

/// Magic, version, length of the header in two (version 1) or four bytes, little-endian, header.
ArrayLayout read_npy_header(ByteSource& bytes, const std::string& file) {
  constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{1} << 20;  // even with a long dtype
  std::array<char, 8> start{};
  read_exactly(bytes, start, file);
  if (!std::string_view(start.data(), start.size()).starts_with(kNpyMagic)) {
    throw FileError(fmt::format("'{}' is not an NPY file: it begins with other bytes", file));
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) {
    throw FileError(fmt::format("'{}' is of NPY version {}; only 1 to 3 are known", file, version));
  }
  std::array<char, 4> length_bytes{};
  const std::span<char> length_field(length_bytes.data(), version == 1 ? 2 : 4);
  read_exactly(bytes, length_field, file);
  std::uint64_t length = 0;
  for (std::size_t i = length_field.size(); i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(length_field[i]);
  }
  if (length > kMostHeaderBytes) {
    throw FileError(fmt::format("'{}' declares an NPY header of {} bytes", file, length));
  }
  std::string header(length, '\0');
  read_exactly(bytes, header, file);
  ArrayLayout layout = HeaderParser(header, file).parse();
  layout.offset = start.size() + length_field.size() + length;
  return layout;
}

}  // namespace mercer::data
