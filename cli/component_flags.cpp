#include "cli/component_flags.h"

#include <fmt/format.h>

namespace mercer::cli {

void ComponentFlags::add(Arguments& arguments) {
  const Argument count = arguments.option("--components", "K", components,
                                          "How many components (default 10; 2 of a graph)");
  const Argument fraction =
      arguments.option("--retain", "FRACTION", retain,
                       "As many components as explain this fraction of the variance, e.g. 0.95");
  arguments
      .option("--min-eigenvalue", "T", min_eigenvalue,
              "All components with an eigenvalue (of the kernel matrix) of at least T")
      .excludes(count)
      .excludes(fraction);
  fraction.excludes(count);
  arguments.flag("--no-center", no_center, "Do not subtract the mean in feature space");
}

void ComponentFlags::require_count_only(const std::string& method) const {
  const char* wrong = retain           ? "--retain"
                      : min_eigenvalue ? "--min-eigenvalue"
                      : no_center      ? "--no-center"
                                       : nullptr;
  if (wrong != nullptr)
    throw UsageError(
        fmt::format("{} does not go with the method {}: eigenvectors of a graph have neither "
                    "variance nor mean; "
                    "give --components",
                    wrong, method));
}

}  // namespace mercer::cli
