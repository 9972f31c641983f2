#pragma once

#include <filesystem>
#include <string>

namespace mercer::cli {

/// Chromium or Google Chrome: what MERCER_BROWSER names, else the first one in PATH. Throws
/// FileError when there is none, and says what to install.
std::filesystem::path find_browser();

/// A PNG file of the whole page, drawn by a browser without a window that has a profile of its own
/// for the time. The page says its height in pixels as `data-height` of its root. Throws FileError
/// when the browser fails or takes more than a minute, Cancelled when a signal comes.
std::string picture_of_page(const std::string& html, const std::filesystem::path& browser);

}  // namespace mercer::cli
