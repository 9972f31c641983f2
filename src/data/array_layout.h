#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "data/byte_source.h"

namespace mercer::data {

enum class Element { b1, u1, i1, u2, i2, u4, i4, u8, i8, f4, f8 };

constexpr std::size_t element_bytes(Element element) {
  switch (element) {
    case Element::b1:
    case Element::u1:
    case Element::i1:
      return 1;
    case Element::u2:
    case Element::i2:
      return 2;
    case Element::u4:
    case Element::i4:
    case Element::f4:
      return 4;
    case Element::u8:
    case Element::i8:
    case Element::f8:
      break;
  }
  return 8;
}

/// How an array of fixed-size numbers lies in a file. Dimensions behind the first are flattened.
struct ArrayLayout {
  Element element = Element::f8;
  bool big_endian = false;
  bool column_major = false;
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
  std::uint64_t offset = 0;  ///< of the first number in the file

  /// Sets rows and cols from the dimensions, outermost first. Throws FileError when there are none,
  /// or DataError when there are no numbers.
  void set_shape(std::span<const std::uint64_t> shape, const std::string& file);
  /// Bytes of the whole file. Throws FileError when they cannot be counted.
  std::uint64_t file_bytes(const std::string& file) const;
};

/// Read the header, up to the first number. Throw FileError when there is something wrong with it.
ArrayLayout read_npy_header(ByteSource& bytes, const std::string& file);
ArrayLayout read_idx_header(ByteSource& bytes, const std::string& file);

/// Fills the buffer. Throws FileError when the bytes end before.
void read_exactly(ByteSource& bytes, std::span<char> buffer, const std::string& file);

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

}  // namespace mercer::data
