#pragma once

#include <cstddef>
#include <cstdint>

namespace mercer::engine {

/// A block S of a sparse symmetric matrix, times v on both sides of the diagonal: with `rows` for
/// the rows of S and `cols` for its columns, y_rows += S v_cols and y_cols += S^T v_rows. For a
/// block on the diagonal the two are the same rows, and S is strictly lower triangular.
struct SparseProductArgs {
  std::size_t row_count = 0;
  const std::uint32_t* starts = nullptr;  ///< where each row begins; row_count + 1 of them
  /// Columns within the block, below 2^15. Without values the highest bit chooses the level.
  const std::uint16_t* columns = nullptr;
  const double* values = nullptr;  ///< null: `levels` hold them
  double levels[2] = {0, 0};
  std::size_t p = 0;  ///< columns of v and y, a multiple of kProductColumns
  std::size_t v_stride = 0;
  std::size_t y_stride = 0;
  const double* v_rows = nullptr;
  const double* v_cols = nullptr;
  double* y_rows = nullptr;
  double* y_cols = nullptr;
};

/// Two multiply-adds of kProductColumns numbers an entry, in the order of the entries.
void add_sparse_product(const SparseProductArgs& args);

}  // namespace mercer::engine
