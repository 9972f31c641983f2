#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::model {

// The JSON header of a container file, as text and as numbers. No tensor is touched here.

/// Length of the little-endian number that begins the file.
inline constexpr std::uint64_t kLengthBytes = 8;
/// Longest header that is written or read; the safetensors readers stop at 100 MB.
inline constexpr std::uint64_t kMaxHeaderBytes = 16u << 20;
/// Tensors begin at a multiple of this, for SIMD loads from a mapped file.
inline constexpr std::uint64_t kDataAlignment = 64;
/// Stands in the checksum's place while the checksum is computed.
inline constexpr std::string_view kBlankChecksum = "00000000";

struct TensorEntry {
  std::string name;
  std::vector<std::size_t> shape;
  std::uint64_t begin = 0;  ///< bytes from the end of the header
  std::uint64_t end = 0;
};

struct Header {
  std::map<std::string, std::string> metadata;  ///< without the checksum
  std::vector<TensorEntry> tensors;             ///< in the order of their bytes
  std::string checksum;                         ///< 8 hexadecimal digits
  std::size_t checksum_position = 0;            ///< of the digits in the header text
};

/// The padded text with a blank checksum. Throws InvalidArgument (see write_container).
std::string format_header(const std::map<std::string, std::string>& metadata,
                          const std::vector<TensorEntry>& tensors);

/// Where `format_header` left the blank checksum.
std::size_t find_checksum(std::string_view header_text, std::string_view digits);

/// Checks that the tensors are float64, without holes, and exactly `data_bytes` long together.
/// Throws FileError that begins with `name`.
Header parse_header(std::string_view text, std::uint64_t data_bytes, const std::string& name);

}  // namespace mercer::model
