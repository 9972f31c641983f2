#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/data.h>
#include <mercer/input.h>
#include <mercer/rows.h>

#include "cli/program.h"

namespace mercer::cli {

/// The options that say what the columns of a table are and how they are scaled.
struct TableFlags {
  std::string label_column = "none";
  std::string labels_file;
  std::string ignore_columns;
  std::string one_hot;
  std::string weight_column = "none";
  std::string scale = "none";
  bool standardize = false;
  std::optional<double> shift;
  std::optional<double> multiply;

  void add(Arguments& arguments);
  TableOptions options(std::size_t memory_limit_bytes) const;
  /// The map that was asked for, fitted to the points: the same bits from memory and from a source.
  ColumnScaling scaling(MatrixView<const double> points) const;
  ColumnScaling scaling(RowSource& rows) const;
  /// The options on columns and scaling that were given.
  std::vector<const char*> given_rules() const;

 private:
  ColumnScaling fixed(std::size_t columns) const;
};

}  // namespace mercer::cli
