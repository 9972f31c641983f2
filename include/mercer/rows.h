#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <mercer/matrix.h>

namespace mercer {

/// Rows of which only the non-zero entries are kept (compressed sparse rows).
struct SparseRows {
  std::size_t cols = 0;
  std::vector<std::uint64_t> row_begin{0};  ///< row i has entries [row_begin[i], row_begin[i + 1])
  std::vector<std::uint64_t> column;
  std::vector<double> value;

  std::size_t rows() const { return row_begin.size() - 1; }
};

/// Consecutive rows of a larger table, in the form the source has them.
struct RowBlock {
  std::size_t first_row = 0;
  std::variant<Matrix<double>, Matrix<float>, SparseRows> values;

  std::size_t rows() const;
  std::size_t cols() const;
  /// The rows as doubles; only this block is ever spread out.
  Matrix<double> dense() const;
};

/// A table that is read block by block, from memory or from disk, as often as needed.
class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual std::size_t cols() const = 0;
  /// The number of rows where it is known without reading them all.
  virtual std::optional<std::size_t> rows() const = 0;
  /// The next `max_rows` rows, fewer only at the end, where nothing follows. Throws DataError or
  /// FileError naming file, line and column.
  virtual std::optional<RowBlock> next(std::size_t max_rows) = 0;
  /// Back to the first row. Throws FileError for a pipe of which rows were read.
  virtual void rewind() = 0;
};

/// Rows that are already in memory. The numbers are not copied and must outlive the source.
std::unique_ptr<RowSource> rows_in_memory(MatrixView<const double> points);

}  // namespace mercer
