// Model files, sums of parts, covers, blocks and distances: whatever the bytes, loading gives one
// of them or a FileError.

#include "model/model_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <fmt/format.h>
#include <zlib.h>

#include <mercer/error.h>

#include "model/block_file.h"
#include "model/container.h"
#include "model/cover_file.h"
#include "model/distance_file.h"
#include "model/part_file.h"

namespace {

/// Makes length and checksum right where the bytes have the places for them, so that the fuzzer is
/// not stopped at the door: no mutation would ever guess a CRC.
std::string repaired(std::string bytes) {
  constexpr std::size_t kLength = 8;
  const std::string member = "\"checksum\":\"";
  const std::size_t place = bytes.find(member);
  if (bytes.size() <= kLength || place == std::string::npos) return bytes;
  const std::size_t digits = place + member.size();
  if (bytes.size() < digits + kLength) return bytes;
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLength);
  length = std::min<std::uint64_t>(length, bytes.size() - kLength);
  std::memcpy(bytes.data(), &length, kLength);
  bytes.replace(digits, kLength, "00000000");
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return bytes.replace(digits, kLength, fmt::format("{:08x}", crc));
}

void load(const std::string& bytes) {
  try {
    auto container = mercer::model::parse_container(std::as_bytes(std::span(bytes)), "fuzz");
    if (container.kind == "accumulator") {
      mercer::model::part_from_container(std::move(container), "fuzz");
    } else if (container.kind == "cover") {
      mercer::model::cover_from_container(std::move(container), "fuzz");
    } else if (container.kind == "block") {
      mercer::model::block_from_container(std::move(container), "fuzz");
    } else if (container.kind == "distance") {
      mercer::model::distance_from_container(std::move(container), "fuzz");
    } else {
      mercer::model::model_from_container(std::move(container), "fuzz");
    }
  } catch (const mercer::FileError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  load(bytes);
  load(repaired(bytes));
  return 0;
}
