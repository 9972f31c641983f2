#pragma once

#include <functional>
#include <memory>
#include <string>

#include <mercer/data.h>
#include <mercer/rows.h>

#include "data/byte_source.h"
#include "data/columns.h"

namespace mercer::data {

/// An opened table. Every format is read through this one interface, whether block by block or as a
/// whole.
class TableSource : public FileRows {
 public:
  explicit TableSource(const TableOptions& options) : cancelled_(options.cancelled) {}

  std::optional<RowBlock> next(std::size_t max_rows) final;

  /// The points and labels of all the rows that `next` delivered. Only for sources that were opened
  /// to keep everything, after one pass over the rows.
  virtual Table complete(Matrix<double> rows) = 0;
  /// An upper bound for the number of rows, most often exact, for those who keep them all.
  virtual std::optional<std::size_t> most_rows() const { return rows(); }
  /// Whether the blocks are sparse. Their number of columns is then final only after the last row.
  virtual bool sparse() const { return false; }

 protected:
  /// What `next` promises.
  virtual std::optional<RowBlock> read_rows(std::size_t max_rows) = 0;

 private:
  std::function<bool()> cancelled_;
};

/// Throws MemoryLimitError when rows x cols doubles exceed the limit (0: half of the memory).
void check_memory(const std::string& file, double rows, double cols,
                  std::size_t memory_limit_bytes);

/// Reads a table once, for the categories that its columns collect, and goes back.
void learn_categories(TableSource& source, Columns& columns, const std::string& file,
                      std::size_t memory_limit_bytes);

/// The points and labels that `Columns` and the rows read through them make.
Table complete_table(Columns& columns, Matrix<double> rows, const std::string& file,
                     std::size_t memory_limit_bytes);

/// The format that the first bytes, or else the ending of the name, stand for.
FileFormat recognise_format(ByteSource& bytes, const std::filesystem::path& path);

/// Opens bytes as a table of a format other than `automatic` and `images`. `file` is for messages.
std::unique_ptr<TableSource> open_table(std::unique_ptr<ByteSource> bytes, FileFormat format,
                                        const std::string& file, const TableOptions& options,
                                        Keep keep);

/// Reads every row of an opened table.
Table read_all(TableSource& source, const std::string& file, const TableOptions& options);

}  // namespace mercer::data
