// Compressed files: the bytes inflate or there is a FileError.

#include <array>
#include <cstdint>

#include "fuzz/fuzz_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = mercer::fuzz::text_of(data, size);
  try {
    const auto bytes = mercer::data::inflate_if_compressed(
        std::make_unique<mercer::data::MemoryBytes>(text), "fuzz");
    std::array<char, 999> buffer{};
    std::uint64_t total = 0;
    while (const std::size_t count = bytes->read(buffer)) total += count;
    mercer::fuzz::require(total <= bytes->most_bytes().value());
    bytes->rewind();
    std::uint64_t again = 0;
    while (const std::size_t count = bytes->read(buffer)) again += count;
    mercer::fuzz::require(again == total);
  } catch (const mercer::FileError&) {
  }
  return 0;
}
