#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <mercer/data.h>
#include <mercer/input.h>
#include <mercer/rows.h>
#include <mercer/run.h>
#include <mercer/summary.h>

#include "cli/table_flags.h"

namespace mercer::cli {

struct ReadingOptions {
  bool in_memory = true;  ///< the method needs the whole table
  /// Labels of a column are to be had, which only a table in memory has: it is read as a whole
  /// where it fits.
  bool want_labels = false;
  /// Threads and seed of the input maps, and the memory limit (0: half of what is installed).
  RunOptions run{};
};

/// The points of a table: in memory, or read from the file whenever they are needed. Both give
/// the same bits.
///
/// Plain NPY and IDX files are mapped, so reading them again costs next to nothing and they are not
/// copied into memory. Other formats are parsed once, unless the table takes more than half of the
/// memory limit.
class TrainingData {
 public:
  TrainingData(const std::filesystem::path& path, const TableFlags& flags,
               const ReadingOptions& options);

  bool in_memory() const { return file_ == nullptr; }
  /// Only for data in memory.
  MatrixView<const double> points() const { return table_.points; }
  const std::vector<double>& weights() const { return table_.weights; }
  /// All rows, from the beginning after `rewind`.
  RowSource& rows() { return *rows_; }

  const InputMaps& input() const { return input_; }
  /// Empty for a column of labels that was not read because the data are not in memory.
  const Labels& labels() const { return table_.labels; }
  /// What was spent before the fit.
  const std::vector<Phase>& phases() const { return phases_; }

  /// Throws DataError when there are labels, but not as many.
  void check_labels(std::size_t row_count) const;

 private:
  void keep(Table table, const TableFlags& flags, const RunOptions& run);
  void open_file(const TableFlags& flags, std::size_t memory_limit_bytes, const RunOptions& run);

  std::filesystem::path path_;
  std::string labels_file_;
  Table table_;
  std::unique_ptr<FileRows> file_;
  std::unique_ptr<RowSource> rows_;
  InputMaps input_;
  std::vector<Phase> phases_;
};

}  // namespace mercer::cli
