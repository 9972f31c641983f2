#pragma once

#include <optional>
#include <string>
#include <vector>

#include <mercer/kernel.h>

#include "cli/program.h"

namespace mercer::cli {

/// --kernel and the parameters of all kernels.
struct KernelFlags {
  std::string name = "gaussian";
  std::optional<double> gamma;
  std::optional<double> sigma;
  std::optional<double> length;
  std::optional<double> alpha;
  std::optional<double> degree;
  std::optional<double> coef0;

  void add(Arguments& arguments);
  /// Throws UsageError when a parameter is none of this kernel's.
  Kernel kernel() const;
  /// The options that say something else than the default.
  std::vector<const char*> given() const;
};

}  // namespace mercer::cli
