#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mercer/randomized.h>

#include "cli/component_flags.h"
#include "cli/program.h"

namespace mercer::cli {

/// Kernel matrices of which most entries are left out or rounded to one bit.
struct RandomizedFlags {
  std::optional<double> sparsify;
  std::optional<std::string> quantize;
  std::optional<std::string> control;
  bool rayleigh = false;

  void add(Arguments& arguments);
  /// The options of these that were given.
  std::vector<const char*> given() const;

  /// What the method is told but for the solver, not yet checked. Throws UsageError on a control
  /// that is none.
  RandomizedOptions options(const ComponentFlags& components) const;
};

}  // namespace mercer::cli
