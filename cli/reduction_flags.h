#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/reduction.h>

#include "cli/program.h"

namespace mercer::cli {

/// How rows are replaced by few weighted centres.
struct ReductionFlags {
  std::optional<double> ell;
  std::optional<double> radius;
  std::optional<std::size_t> centers;
  std::optional<std::string> center_weights;
  bool shuffle = false;

  void add(Arguments& arguments);
  /// --ell and --radius alone.
  void add_radius(Arguments& arguments);
  /// Checked.
  ReductionOptions options(Reduction method) const;
};

/// The reduction of this name, if there is one; `none` is one.
std::optional<Reduction> reduction_named(const std::string& name);
std::vector<std::string> reduction_names();

}  // namespace mercer::cli
