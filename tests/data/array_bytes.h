#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mercer::testing {

/// Numbers as they lie in a file.
template <class E>
std::string bytes_of(const std::vector<E>& values, bool big_endian = false) {
  std::string bytes;
  for (const E value : values) {
    std::string one(sizeof(E), '\0');
    std::memcpy(one.data(), &value, sizeof(E));
    if (big_endian) std::ranges::reverse(one);
    bytes += one;
  }
  return bytes;
}

/// An NPY file of version 1, 2 or 3 with this dictionary.
inline std::string npy(const std::string& dictionary, const std::string& numbers,
                       char version = 1) {
  std::string header = dictionary + "\n";
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const auto length = static_cast<std::uint32_t>(header.size());
  bytes += bytes_of<std::uint32_t>({length}).substr(0, version == 1 ? 2 : 4);
  return bytes + header + numbers;
}

inline std::string npy_dictionary(const std::string& type, const std::string& shape,
                                  bool fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

inline std::string idx(char type, const std::vector<std::uint32_t>& shape,
                       const std::string& numbers) {
  return std::string{'\0', '\0', type, static_cast<char>(shape.size())} + bytes_of(shape, true) +
         numbers;
}

}  // namespace mercer::testing
