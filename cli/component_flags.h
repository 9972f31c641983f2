#pragma once

#include <cstddef>
#include <optional>

#include "cli/program.h"

namespace mercer::cli {

/// How many components, and whether they are centred: the same words for every method.
struct ComponentFlags {
  std::size_t components = 10;
  std::optional<double> retain;
  std::optional<double> min_eigenvalue;
  bool no_center = false;

  void add(Arguments& arguments);

  template <class Options>
  void apply(Options& options) const {
    options.components = components;
    options.retain = retain;
    options.min_eigenvalue = min_eigenvalue;
    options.center = !no_center;
  }
};

}  // namespace mercer::cli
