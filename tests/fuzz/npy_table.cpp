// NPY arrays.

#include <cstdint>

#include "fuzz/fuzz_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mercer::fuzz::read_table_both_ways(mercer::fuzz::text_of(data, size), mercer::FileFormat::npy,
                                     {});
  return 0;
}
