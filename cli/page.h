#pragma once

#include <string>
#include <string_view>

namespace mercer::cli {

/// What one page has and others do not.
struct PageParts {
  std::string title;         ///< plain text
  std::string_view command;  ///< that made it, e.g. "mercer plot"
  std::string_view body;     ///< HTML, of cli/report
  std::string_view script;   ///< of cli/report; the one that all pages share runs before it
  std::string data;          ///< JSON, `pageData` in the scripts
};

/// One HTML file with charts and everything they need: it asks no network for anything, and its
/// policy lets no script run but its own.
std::string filled_page(const PageParts& parts);

}  // namespace mercer::cli
