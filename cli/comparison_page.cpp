#include "cli/comparison_page.h"

#include <string_view>

#include <fmt/format.h>

#include "cli/page.h"

namespace mercer::cli {

// Files of cli/report, put here by the build.
extern const std::string_view kComparisonBody;
extern const std::string_view kComparisonScript;

std::string comparison_page(const std::string& title, const Comparison& comparison,
                            const Labels& labels) {
  return filled_page({.title = title,
                      .command = "mercer compare",
                      .body = kComparisonBody,
                      .script = kComparisonScript,
                      .data = fmt::format(R"({{"comparison":{},"pictures":{}}})", comparison.json(),
                                          comparison.pictures_json(labels.code, labels.names))});
}

}  // namespace mercer::cli
