#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/feature_analysis.h>

#include "cli/component_flags.h"
#include "cli/program.h"

namespace mercer::cli {

/// How many kernel features, and how they are found.
struct FeatureFlags {
  std::optional<std::size_t> features;
  std::optional<double> stop_error;
  std::optional<double> delta;
  bool delta_relative = false;
  std::optional<std::string> projection;
  std::optional<std::size_t> terms;

  void add(Arguments& arguments);

  /// Checked, without weights. `method`: akfa, ackfa or skfa.
  FeatureAnalysisOptions options(const std::string& method, const ComponentFlags& components,
                                 std::optional<std::size_t> candidates) const;
  /// The options that were given, --delta and --delta-relative apart.
  std::vector<const char*> given() const;
  /// Those of the method ackfa alone.
  std::vector<const char*> given_of_cuts() const;
};

}  // namespace mercer::cli
