#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// How the columns of a table become the numbers of a point. Positions are 0-based columns of the
/// table as it stands in the file. Kept in the model, so that `transform` reads new tables alike.
struct ColumnRules {
  struct OneHot {
    std::size_t column = 0;
    std::vector<std::string> categories{};  ///< in order of the columns they become
  };

  std::size_t table_columns = 0;  ///< width of the table; 0 means no rules: every column is used
  std::vector<std::size_t> left_out{};  ///< label, weight and ignored columns
  std::vector<OneHot> one_hot{};        ///< columns of text that become one 0/1 column per category
  std::vector<std::string> names{};     ///< header names, empty when the table has no header

  bool empty() const { return table_columns == 0; }
  /// Numbers of a point that such a table gives.
  std::size_t point_columns() const;
  /// Throws InvalidArgument when positions are out of the table or repeated, or a text is not UTF-8
  /// (which no model file could hold).
  void validate() const;
};

/// An affine map of each column, (x + shift) * multiply. Empty vectors mean the identity.
struct ColumnScaling {
  std::vector<double> shift{};
  std::vector<double> multiply{};

  bool empty() const { return shift.empty(); }
  /// Maps the rows in place. Throws DataError when the width differs.
  void apply(MatrixView<double> points) const;
};

/// Mean 0 and standard deviation 1 (division by n) in every column; constant columns are only
/// shifted. Weights of the rows do not count. Works over the whole range of doubles: sums are taken
/// relative to a column's own range. Throws DataError on an empty or non-finite table, and on a
/// column that spans more than the largest double.
ColumnScaling standard_scaling(MatrixView<const double> points);
/// The same numbers, bit for bit, in one pass over a source: from its first row, to which it is
/// rewound, to its end, where it is left.
ColumnScaling standard_scaling(RowSource& source);

/// Smallest value to -1, largest to 1; constant columns go to 0. Throws as `standard_scaling`.
ColumnScaling minmax_scaling(MatrixView<const double> points);
ColumnScaling minmax_scaling(RowSource& source);

/// (x + shift) * multiply with the same numbers in every column. Throws InvalidArgument when a
/// number is not finite or `multiply` is 0.
ColumnScaling fixed_scaling(std::size_t columns, double shift, double multiply);

/// First `first`, then `second`. Throws InvalidArgument when the widths differ or the numbers of
/// the combined map overflow.
ColumnScaling compose(const ColumnScaling& first, const ColumnScaling& second);

/// The rows of a source, which must outlive it, mapped on their way; sparse ones and floats become
/// dense doubles. With an empty scaling they pass unchanged. Throws DataError when the width
/// differs.
std::unique_ptr<RowSource> scaled_rows(RowSource& source, ColumnScaling scaling);

/// A linear map to other columns, x -> x P; random ones are in projection.h.
struct ColumnProjection {
  Matrix<double> matrix{};  ///< P, a row for each column before; empty means the identity

  bool empty() const { return matrix.empty(); }
};

/// What happens to a row before the feature map, in this order.
struct InputMaps {
  ColumnRules columns{};  ///< applied by whoever reads the table
  ColumnScaling scaling{};
  ColumnProjection projection{};

  /// Whether the rows of a table, once read, are the points.
  bool leaves_rows() const { return scaling.empty() && projection.empty(); }
  /// Columns of a row where points have so many, and the other way round.
  std::size_t row_columns(std::size_t point_columns) const {
    return projection.empty() ? point_columns : projection.matrix.rows();
  }
  std::size_t point_columns(std::size_t row_columns) const {
    return projection.empty() ? row_columns : projection.matrix.cols();
  }
  /// The points of these rows: scaled and projected, n d s flops. Same bits for any number of
  /// threads and for any way of cutting the rows into calls. Throws DataError when the width
  /// differs or, before a projection, on numbers that are not finite.
  Matrix<double> apply(Matrix<double> rows, const RunOptions& run = {}) const;
};

/// The points of the rows of a source, which must outlive it, as `InputMaps::apply` makes them. Of
/// `run` only the threads count.
std::unique_ptr<RowSource> mapped_rows(RowSource& source, InputMaps maps,
                                       const RunOptions& run = {});

}  // namespace mercer
