#pragma once

#include <cstddef>
#include <string_view>

#include <mercer/matrix.h>
#include <mercer/run.h>

namespace mercer::metrics {

/// Throws DataError when there are no numbers, or NaN or Inf among them, naming row and column.
void check_values(MatrixView<const double> matrix, std::string_view name);

/// Throws InvalidArgument unless the two sizes, each of what its name says, are equal.
void check_equal(std::size_t a, std::string_view a_name, std::size_t b, std::string_view b_name);

/// Throws MemoryLimitError when `bytes` are more than the run allows.
void check_memory(double bytes, std::string_view purpose, const RunOptions& run);

}  // namespace mercer::metrics
