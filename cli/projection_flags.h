#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/run.h>
#include <mercer/summary.h>

#include "cli/program.h"

namespace mercer::cli {

/// The options of random projections.
struct ProjectionFlags {
  std::optional<std::size_t> dimensions;
  std::optional<double> error;
  std::optional<std::string> map;

  void add(Arguments& arguments);
  bool is_given() const { return dimensions || error; }
  std::vector<const char*> given() const;
  /// Whether the dimensions follow from the number of rows.
  bool needs_count() const { return error.has_value(); }
  /// Throws UsageError on words that do not go together, InvalidArgument for kernels that do not go
  /// with a projection. To be called before data are read.
  void require_fitting(const Kernel& kernel) const;
  /// Of rows with so many columns; empty when none is asked for. Throws UsageError when it would
  /// not make them shorter, or when it needs the number of rows and that is not known.
  ColumnProjection projection(std::size_t columns, std::optional<std::size_t> rows,
                              const RunOptions& run) const;
  /// What a summary says of it.
  std::optional<Choice> choice(const ColumnProjection& projection) const;
};

}  // namespace mercer::cli
