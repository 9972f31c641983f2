#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
  std::vector<double> weights{};  ///< one positive weight per row; empty means 1 for each

  std::size_t rows() const;
  std::size_t cols() const;
  /// The rows as doubles; only this block is ever spread out. Of a block that is given up
  /// (`std::move(block).dense()`) doubles are handed over without a copy.
  Matrix<double> dense() const&;
  Matrix<double> dense() &&;
};

/// A table that is read block by block, from memory or from disk, as often as needed.
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Numbers of a point, the same for every block and every pass.
  virtual std::size_t cols() const = 0;
  /// The number of rows where it is known: from the beginning, or after one pass over them.
  virtual std::optional<std::size_t> rows() const = 0;
  /// The next `max_rows` rows, fewer only at the end, where nothing follows. Throws DataError or
  /// FileError naming file, line and column; only `rewind` may follow then.
  virtual std::optional<RowBlock> next(std::size_t max_rows) = 0;
  /// Back to the first row. Throws FileError when rows were read that cannot be had again: those of
  /// a pipe, or of callbacks without `rewind`.
  virtual void rewind() = 0;
};

/// Rows that are already in memory. Neither points nor weights are copied; both must outlive the
/// source. Throws InvalidArgument when there are not as many weights as rows or one is not positive
/// and finite.
std::unique_ptr<RowSource> rows_in_memory(MatrixView<const double> points,
                                          std::span<const double> weights = {});

/// Functions of the caller that deliver rows: from a database, a generator, another process.
struct RowCallbacks {
  std::size_t cols = 0;
  std::optional<std::size_t> rows{};  ///< the number of rows if it is known, which is then checked
  /// The following rows, at least one and at most `max_rows`; nothing at the end. Blocks may be
  /// short, and `first_row` need not be set. All have to be of the same form: doubles, floats or
  /// sparse rows.
  std::function<std::optional<RowBlock>(std::size_t max_rows)> next{};
  /// Makes `next` begin with the first row again, which must give the same rows. Without it the
  /// rows can be read only once.
  std::function<void()> rewind{};
};

/// A source over such functions. Throws InvalidArgument without columns or `next`. What `next`
/// returns is checked: DataError names the block, or the row and column, where the width or the
/// number of rows is wrong, a value is not finite, or a weight is not positive and finite.
std::unique_ptr<RowSource> rows_from_callbacks(RowCallbacks callbacks);

}  // namespace mercer
