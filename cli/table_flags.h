#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/data.h>
#include <mercer/input.h>
#include <mercer/rows.h>
#include <mercer/run.h>

#include "cli/program.h"
#include "cli/projection_flags.h"

namespace mercer::cli {

/// The options that say what the columns of a table are and how they become points.
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
  ProjectionFlags projection;

  void add(Arguments& arguments);
  TableOptions options(std::size_t memory_limit_bytes) const;
  /// The maps that were asked for, fitted to the rows: the same bits from memory and from a source.
  InputMaps maps(ColumnRules rules, MatrixView<const double> rows, const RunOptions& run) const;
  InputMaps maps(ColumnRules rules, RowSource& rows, const RunOptions& run) const;
  /// For rows that others follow, so that their number is not known.
  InputMaps maps_of_part(ColumnRules rules, RowSource& rows, const RunOptions& run) const;
  /// The options on columns, scaling and projection that were given.
  std::vector<const char*> given_rules() const;

 private:
  ColumnScaling scaling(MatrixView<const double> points) const;
  ColumnScaling scaling(RowSource& rows) const;
  ColumnScaling fixed(std::size_t columns) const;
};

}  // namespace mercer::cli
