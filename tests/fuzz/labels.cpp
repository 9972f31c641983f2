// Files of labels, of whatever format their first bytes say.

#include "data/labels.h"

#include <cstdint>

#include "fuzz/fuzz_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto bytes = std::make_unique<mercer::data::MemoryBytes>(mercer::fuzz::text_of(data, size));
  try {
    const mercer::FileFormat format = mercer::data::recognise_format(*bytes, "fuzz");
    const mercer::Labels labels = mercer::data::read_labels(std::move(bytes), format, "fuzz");
    mercer::fuzz::require(!labels.empty());
    for (const std::size_t code : labels.code) mercer::fuzz::require(code < labels.names.size());
  } catch (const mercer::Error&) {
  }
  return 0;
}
