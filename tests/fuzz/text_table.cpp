// Delimited text. The first byte chooses options, so that every role of a column is reached.

#include <cstdint>

#include "fuzz/fuzz_table.h"

namespace {

mercer::TableOptions options_from(unsigned char choice) {
  mercer::TableOptions options;
  if ((choice & 1) != 0) options.label = mercer::ColumnName::parse("last");
  if ((choice & 2) != 0) options.weight = mercer::ColumnName::parse("2");
  if ((choice & 4) != 0) options.ignore = mercer::parse_columns("3");
  if ((choice & 8) != 0) options.one_hot = mercer::parse_columns("1");
  if ((choice & 16) != 0) options.header = (choice & 32) != 0;
  if ((choice & 64) != 0) options.delimiter = (choice & 128) != 0 ? ' ' : '|';
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = mercer::fuzz::text_of(data, size).substr(1);
  mercer::TableOptions options = options_from(data[0]);
  mercer::fuzz::read_table_both_ways(text, mercer::FileFormat::text, options);
  return 0;
}
