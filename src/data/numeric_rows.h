#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/matrix.h>

#include "data/columns.h"
#include "data/finite.h"

namespace mercer::data {

/// Rows of numbers as they stand in a file, turned into points by its columns. `first_row` is the
/// 0-based number of the first of them. Throws DataError naming row and column of NaN and Inf.
template <class T>
Matrix<T> arrange(Matrix<T> table, std::size_t first_row, Columns& columns,
                  const std::string& file) {
  const auto place = [&](std::size_t i, std::size_t j) {
    return fmt::format("'{}', row {}, {}", file, first_row + i + 1, columns.describe(j));
  };
  const auto fail_not_finite = [&](std::size_t i, std::size_t j) {
    throw DataError(fmt::format("{}: {} is not a finite number", place(i, j), table(i, j)));
  };
  if (columns.all_numbers()) {
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (all_finite<T>(table.row(i))) continue;
      for (std::size_t j = 0; j < table.cols(); ++j) {
        if (!std::isfinite(table(i, j))) fail_not_finite(i, j);
      }
    }
    return table;
  }
  Matrix<T> points = Matrix<T>::uninitialized(table.rows(), columns.outputs());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    for (std::size_t j = 0; j < table.cols(); ++j) {
      const Column& column = columns[j];
      const T value = table(i, j);
      if (column.use == Column::Use::ignored) continue;
      if (!std::isfinite(value)) fail_not_finite(i, j);
      if (column.use == Column::Use::number) {
        points(i, column.output) = value;
      } else if (column.use == Column::Use::weight) {
        columns.put_weight(static_cast<double>(value), [&] { return place(i, j); });
      } else if (!columns.put_text(column, fmt::format("{}", value), points.row(i))) {
        throw DataError(fmt::format("{}: the category {} is unknown", place(i, j), value));
      }
    }
  }
  return points;
}

}  // namespace mercer::data
