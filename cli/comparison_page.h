#pragma once

#include <string>

#include <mercer/compare.h>
#include <mercer/data.h>

namespace mercer::cli {

/// One HTML file with the charts and the table of a comparison, and everything they need: it asks
/// no network for anything, and its policy lets no script run but its own.
std::string comparison_page(const std::string& title, const Comparison& comparison,
                            const Labels& labels);

}  // namespace mercer::cli
