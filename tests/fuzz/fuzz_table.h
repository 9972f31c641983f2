#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <mercer/error.h>

#include "data/table_source.h"

namespace mercer::fuzz {

/// Stops the fuzzer when a promise is broken.
inline void require(bool promise) {
  if (!promise) std::abort();
}

/// Reads bytes as a table of this format: whatever they are, there is a table or a typed error, and
/// reading in blocks gives the rows that reading as a whole gives.
inline void read_table_both_ways(std::string_view bytes, FileFormat format, TableOptions options) {
  constexpr std::size_t kMemoryLimitBytes = std::size_t{64} << 20;
  options.memory_limit_bytes = kMemoryLimitBytes;
  const auto open = [&](data::Keep keep) {
    return data::open_table(std::make_unique<data::MemoryBytes>(bytes), format, "fuzz", options,
                            keep);
  };
  Table table;
  try {
    const auto source = open(data::Keep::everything);
    table = data::read_all(*source, "fuzz", options);
  } catch (const Error&) {
    return;
  }
  require(!table.points.empty());
  require(table.labels.empty() || table.labels.code.size() == table.points.rows());
  require(table.weights.empty() || table.weights.size() == table.points.rows());
  options.rules = table.rules;
  const auto source = open(data::Keep::points);
  require(source->cols() == table.points.cols());
  std::size_t rows = 0;
  while (const auto block = source->next(3)) {
    const Matrix<double> values = block->dense();
    require(block->first_row == rows && rows + values.rows() <= table.points.rows());
    for (std::size_t i = 0; i < values.rows(); ++i) {
      for (std::size_t j = 0; j < values.cols(); ++j) {
        require(values(i, j) == table.points(rows + i, j));
      }
    }
    rows += values.rows();
  }
  require(rows == table.points.rows());
}

inline std::string_view text_of(const unsigned char* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace mercer::fuzz
