#include "cli/output.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>

#include "cli/program.h"

namespace mercer::cli {

bool is_standard_output(const std::string& path) {
  return path == "-";
}

void write_or_print(const std::string& path, std::string_view text) {
  if (is_standard_output(path)) {
    fmt::print("{}\n", text);
  } else {
    write_text(path, fmt::format("{}\n", text));
  }
}

void require_writable(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  int error = 0;
  if (std::filesystem::is_directory(path, ignored)) {
    error = EISDIR;
  } else if (std::filesystem::exists(path, ignored)) {
    if (access(path.c_str(), W_OK) != 0) error = errno;
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    error = errno;
  }
  if (error != 0)
    throw FileError(fmt::format("cannot write '{}': {}", path.string(),
                                std::generic_category().message(error)));
}

void require_other_file(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& others) {
  for (const std::filesystem::path& other : others) {
    std::error_code ignored;
    if (output == other || std::filesystem::equivalent(output, other, ignored))
      throw UsageError(fmt::format("writing '{}' would replace '{}'; choose another name",
                                   output.string(), other.string()));
  }
}

std::vector<std::string> numbered_names(std::string_view prefix, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < count; ++j) names.push_back(fmt::format("{}{}", prefix, j + 1));
  return names;
}

void write_points(const std::filesystem::path& path, MatrixView<const double> points,
                  std::vector<std::string> names) {
  RowWriter writer(path, points.cols(), std::move(names));
  writer.write(points);
  writer.finish();
}

std::string format_bytes(double bytes) {
  constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string format_seconds(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

}  // namespace mercer::cli
