#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "data/array_layout.h"

namespace mercer::data {

namespace {

std::optional<Element> idx_element(unsigned char code) {
  switch (code) {
    case 0x08:
      return Element::u1;
    case 0x09:
      return Element::i1;
    case 0x0b:
      return Element::i2;
    case 0x0c:
      return Element::i4;
    case 0x0d:
      return Element::f4;
    case 0x0e:
      return Element::f8;
    default:
      return std::nullopt;
  }
}

std::uint64_t big_endian_u32(std::span<const char, 4> bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

}  // namespace

/// The format of the MNIST files: two zero bytes, the type, the number of dimensions, then each
/// dimension in four bytes; everything is big-endian.
ArrayLayout read_idx_header(ByteSource& bytes, const std::string& file) {
  std::array<char, 4> magic{};
  read_exactly(bytes, magic, file);
  const auto element = idx_element(static_cast<unsigned char>(magic[2]));
  if (magic[0] != 0 || magic[1] != 0 || !element) {
    throw FileError(fmt::format("'{}' is not an IDX file: it begins with other bytes", file));
  }
  ArrayLayout layout;
  layout.element = *element;
  layout.big_endian = true;
  std::vector<std::uint64_t> shape(static_cast<unsigned char>(magic[3]));
  for (std::uint64_t& length : shape) {
    std::array<char, 4> dimension{};
    read_exactly(bytes, dimension, file);
    length = big_endian_u32(dimension);
  }
  layout.offset = magic.size() + 4 * shape.size();
  layout.set_shape(shape, file);
  return layout;
}

}  // namespace mercer::data
