#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::cli {

/// On a command line "-" stands for standard output.
bool is_standard_output(const std::string& path);

/// Writes a text file, or prints it for "-".
void write_or_print(const std::string& path, std::string_view text);

/// Throws FileError when nothing can be written at `path`: better before the work than after it.
void require_writable(const std::filesystem::path& path);

/// Throws UsageError when writing `output` would replace one of the files that are read or that
/// another option names.
void require_other_file(const std::filesystem::path& output,
                        const std::vector<std::filesystem::path>& others);

/// "x1", "x2", ...
std::vector<std::string> numbered_names(std::string_view prefix, std::size_t count);

/// A whole .npy or .csv file; `names` head the columns of CSV.
void write_points(const std::filesystem::path& path, MatrixView<const double> points,
                  std::vector<std::string> names);

/// "1.4 MiB", "0.23 s".
std::string format_bytes(double bytes);
std::string format_seconds(double seconds);

}  // namespace mercer::cli
