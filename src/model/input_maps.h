#pragma once

#include <cstddef>
#include <string>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::model {

/// Throws InvalidArgument when the maps do not fit together or do not give points of so many
/// columns, or when the kernel does not go with a projection.
void check_input(const InputMaps& input, const Kernel& kernel, std::size_t point_columns);
/// The same for maps that were read: FileError.
void check_input_of_file(const InputMaps& input, const Kernel& kernel, std::size_t point_columns,
                         const std::string& file);

/// Makes points of rows, from several threads at once.
class RowMapper {
 public:
  /// The maps must stay.
  explicit RowMapper(const InputMaps& maps);

  /// `first_row` is for messages. With workers, rows are shared among them.
  Matrix<double> points(Matrix<double> rows, std::size_t first_row) const;
  Matrix<double> points(Matrix<double> rows, std::size_t first_row, engine::Workers& workers) const;

 private:
  void project(MatrixView<const double> rows, MatrixView<double> points) const;
  void scale_and_check(Matrix<double>& rows, std::size_t first_row) const;

  const InputMaps& maps_;
  Matrix<double> padded_;  // the projection, with whole products of columns
};

}  // namespace mercer::model
