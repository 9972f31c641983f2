// PNG and PGM pictures.

#include "data/image.h"

#include <cstdint>
#include <string>

#include <zlib.h>

#include "fuzz/fuzz_table.h"

namespace {

std::uint32_t big_endian_at(const std::string& bytes, std::size_t i) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[i + k]);
  return value;
}

/// Makes the checksums of a PNG right: no mutation would ever guess one.
std::string repaired(std::string bytes) {
  std::size_t chunk = mercer::data::kPngMagic.size();
  while (chunk + 12 <= bytes.size()) {
    const std::size_t length = big_endian_at(bytes, chunk);
    if (length > bytes.size() - chunk - 12) break;
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(&bytes[chunk + 4]), length + 4);
    for (std::size_t k = 0; k < 4; ++k) {
      bytes[chunk + 8 + length + k] = static_cast<char>(crc >> (24 - 8 * k));
    }
    chunk += 12 + length;
  }
  return bytes;
}

void decode(const std::string& bytes) {
  try {
    const mercer::data::GreyImage image = mercer::data::decode_image(bytes, "fuzz");
    mercer::fuzz::require(image.pixels.size() == image.width * image.height);
    for (const double pixel : image.pixels) mercer::fuzz::require(pixel >= 0 && pixel <= 255.0001);
  } catch (const mercer::FileError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  decode(bytes);
  if (bytes.starts_with(mercer::data::kPngMagic)) decode(repaired(bytes));
  return 0;
}
