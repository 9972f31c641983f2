#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/compare.h>

#include "cli/program.h"

namespace mercer::cli {

/// Which methods take part in a comparison, and over what ranges they are varied.
struct ContenderFlags {
  std::string methods = "exact,landmarks,shadow";
  std::optional<std::string> baseline;
  std::optional<std::size_t> components;
  bool no_center = false;
  /// Lists of numbers, by the name of the option that has them.
  std::optional<std::string> landmarks;
  std::optional<std::string> ell;
  std::optional<std::string> centers;
  std::optional<std::string> max_library;
  std::optional<std::string> blocks;
  std::optional<std::string> frequencies;
  std::optional<std::string> sparsify;
  std::optional<std::string> delta;

  void add(Arguments& arguments);

  /// A contender for every value of every method, in the order of the list; sizes that exceed
  /// `rows` to fit on are left out. Throws UsageError on names and numbers that are none, and on
  /// ranges of methods that do not take part.
  std::vector<Contender> contenders(std::size_t rows) const;
  /// The place of the baseline among them: --baseline, exact where it takes part, else the first.
  std::size_t baseline_among(const std::vector<Contender>& contenders) const;
};

}  // namespace mercer::cli
