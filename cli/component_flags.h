#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/program.h"

namespace mercer::cli {

/// How many components, and whether they are centred: the same words for every method.
struct ComponentFlags {
  std::optional<std::size_t> components;
  std::optional<double> retain;
  std::optional<double> min_eigenvalue;
  bool no_center = false;

  void add(Arguments& arguments);

  template <class Options>
  void apply(Options& options) const {
    if (components) options.components = *components;
    options.retain = retain;
    options.min_eigenvalue = min_eigenvalue;
    options.center = !no_center;
  }

  /// For eigenvectors of graphs, which have neither a variance nor a mean. Throws UsageError.
  void require_count_only(const std::string& method) const;
};

}  // namespace mercer::cli
