#include "cli/training_data.h"

#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/platform.h>

#include "cli/interrupt.h"

namespace mercer::cli {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// NPY and IDX that are not compressed, by their first bytes.
bool is_plain_array(const std::filesystem::path& path) {
  std::error_code ignored;  // reading the file will tell
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 6> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view beginning(bytes.data(), bytes.size());
  // No text begins with two zero bytes; whether it really is IDX, its reader finds out.
  return beginning == "\x93NUMPY" || beginning.starts_with(std::string_view("\0\0", 2));
}

/// A pipe cannot be read a second time.
bool is_rereadable(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ||
         std::filesystem::is_directory(path, ignored);
}

/// The table, or nothing when it takes more than so many bytes.
std::optional<Table> read_if_it_fits(const std::filesystem::path& path,
                                     const TableOptions& options) {
  try {
    return read_table(path, options);
  } catch (const MemoryLimitError&) {
    return std::nullopt;
  }
}

}  // namespace

TrainingData::TrainingData(const std::filesystem::path& path, const TableFlags& flags,
                           const ReadingOptions& options)
    : path_(path), labels_file_(flags.labels_file) {
  const std::size_t limit = options.run.memory_limit_bytes != 0
                                ? options.run.memory_limit_bytes
                                : static_cast<std::size_t>(default_memory_limit_bytes());
  const auto start = std::chrono::steady_clock::now();
  std::optional<Table> table;
  if (options.in_memory || !is_rereadable(path)) {
    table = read_table(path, flags.options(limit));
  } else if (options.want_labels || !is_plain_array(path)) {
    table = read_if_it_fits(path, flags.options(limit / 2));
  }
  if (table) {
    keep(std::move(*table), flags, options.run);
  } else {
    open_file(flags, limit, options.run);
  }
  if (!labels_file_.empty()) table_.labels = read_labels(labels_file_);
  if (const auto count = rows_->rows()) check_labels(*count);
  phases_.push_back({in_memory() ? "read" : "open", seconds_since(start)});
  throw_if_interrupted();
}

void TrainingData::keep(Table table, const TableFlags& flags, const RunOptions& run) {
  table_ = std::move(table);
  input_ = flags.maps(table_.rules, table_.points, run);
  input_.columns.validate();
  table_.points = input_.apply(std::move(table_.points), run);
  rows_ = rows_in_memory(table_.points, table_.weights);
}

void TrainingData::open_file(const TableFlags& flags, std::size_t memory_limit_bytes,
                             const RunOptions& run) {
  file_ = open_rows(path_, flags.options(memory_limit_bytes));
  input_ = flags.maps(file_->rules(), *file_, run);
  input_.columns.validate();
  rows_ = mapped_rows(*file_, input_, run);
  rows_->rewind();
}

void TrainingData::check_labels(std::size_t row_count) const {
  if (labels_file_.empty() || table_.labels.code.size() == row_count) return;
  throw DataError(fmt::format("{} has {} labels, but {} has {} rows", labels_file_,
                              table_.labels.code.size(), path_.string(), row_count));
}

}  // namespace mercer::cli
