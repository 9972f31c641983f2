#include "metrics/arguments.h"

#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "system/memory.h"

namespace mercer::metrics {

void check_values(MatrixView<const double> matrix, std::string_view name) {
  if (matrix.empty()) {
    throw DataError(fmt::format("{}: there are no numbers in a {} x {} matrix", name, matrix.rows(),
                                matrix.cols()));
  }
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      if (!std::isfinite(matrix(i, j))) {
        throw DataError(
            fmt::format("{}: row {}, column {} is {}; every value must be finite, remove or impute "
                        "such rows first",
                        name, i + 1, j + 1, matrix(i, j)));
      }
    }
  }
}

void check_equal(std::size_t a, std::string_view a_name, std::size_t b, std::string_view b_name) {
  if (a == b) return;
  throw InvalidArgument(
      fmt::format("{} {} do not fit {} {}: the numbers must be equal", a, a_name, b, b_name));
}

void check_memory(double bytes, std::string_view purpose, const RunOptions& run) {
  const auto limit = static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
  if (bytes <= limit) return;
  throw MemoryLimitError(fmt::format(
      "{} need {}, but the memory limit is {}; use fewer rows or columns, or raise the limit",
      purpose, system::format_bytes(bytes), system::format_bytes(limit)));
}

}  // namespace mercer::metrics
