#include "cli/randomized_flags.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "cli/named_values.h"

namespace mercer::cli {
namespace {

constexpr Names<EntryLevels, 4> kLevels{{{"none", EntryLevels::none},
                                         {"sign", EntryLevels::sign},
                                         {"zero_one", EntryLevels::zero_one},
                                         {"min_max", EntryLevels::min_max}}};
constexpr Names<ControlVariate, 4> kControls{{{"none", ControlVariate::none},
                                              {"mean", ControlVariate::mean},
                                              {"rowcol", ControlVariate::row_columns},
                                              {"nystrom", ControlVariate::nystrom}}};

/// "nystrom:50" has a number of landmarks, "nystrom" the default.
void apply_control(const std::string& text, RandomizedOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto names = all_names(kControls);
  const auto refuse = [&] {
    throw UsageError(
        fmt::format("--control {}: it is one of none, mean, rowcol, nystrom and nystrom:Q with a "
                    "number Q of landmarks, e.g. nystrom:50",
                    text));
  };
  if (std::ranges::find(names, name) == names.end()) refuse();
  ControlVariate control = ControlVariate::none;
  assign_named(name, kControls, control);
  options.control = control;
  if (colon == std::string::npos) return;
  const std::string_view number = std::string_view(text).substr(colon + 1);
  std::size_t landmarks = 0;
  const auto [end, error] = std::from_chars(number.begin(), number.end(), landmarks);
  if (control != ControlVariate::nystrom || error != std::errc() || end != number.end() ||
      landmarks == 0)
    refuse();
  options.control_landmarks = landmarks;
}

}  // namespace

void RandomizedFlags::add(Arguments& arguments) {
  arguments.group("Randomised kernel matrix");
  arguments.option("--sparsify", "S", sparsify,
                   "Compute and keep one kernel value in S (default 10; 1 with --quantize)");
  arguments
      .option("--quantize", "LEVELS", quantize,
              "Round kernel values to one bit each: none (default), min_max (least noise), "
              "zero_one (no negative values), sign")
      .one_of(all_names(kLevels));
  arguments.option("--control", "NAME", control,
                   "What is known of the kernel matrix without rounding: nystrom:Q (default, Q = "
                   "100 landmarks), rowcol (means of rows and columns), mean, none");
  arguments.flag("--rayleigh", rayleigh,
                 "The best components in the span of those found, by all kernel values once more");
}

std::vector<const char*> RandomizedFlags::given() const {
  std::vector<const char*> list;
  if (sparsify) list.push_back("--sparsify");
  if (quantize) list.push_back("--quantize");
  if (control) list.push_back("--control");
  if (rayleigh) list.push_back("--rayleigh");
  return list;
}

RandomizedOptions RandomizedFlags::options(const ComponentFlags& components) const {
  RandomizedOptions options;
  components.apply(options);
  options.sparsify = sparsify;
  assign_named(quantize, kLevels, options.quantize);
  if (control) apply_control(*control, options);
  options.rayleigh = rayleigh;
  return options;
}

}  // namespace mercer::cli
