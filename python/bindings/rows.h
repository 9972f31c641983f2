#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <mercer/matrix.h>
#include <mercer/rows.h>

namespace mercer::python {

/// Rows that Python handed over: a NumPy array of doubles or floats, or a SciPy matrix of
/// compressed sparse rows; whatever else NumPy makes an array of becomes doubles. Looked at where
/// they stand whenever their numbers lie side by side in each row; read-only and memory-mapped
/// arrays too.
class Rows {
 public:
  /// Throws pybind11::type_error for anything else.
  explicit Rows(pybind11::object points);

  std::size_t count() const;
  std::size_t cols() const;
  bool is_double() const { return kind_ == Kind::doubles; }
  bool is_float() const { return kind_ == Kind::floats; }

  /// All rows as doubles: theirs, or else a copy that is made once. Needs no interpreter lock, like
  /// all that follows.
  MatrixView<const double> doubles();
  MatrixView<const float> floats() const;
  /// Block by block, in the form they have; floats and sparse rows are never spread out as a whole.
  std::unique_ptr<RowSource> source(const std::vector<double>& weights) const;

 private:
  enum class Kind { doubles, floats, sparse };
  void read_sparse();
  void look_at_sparse();
  RowBlock block(std::size_t first, std::size_t size) const;
  SparseRows sparse_block(std::size_t first, std::size_t size) const;

  pybind11::object owner_;  // of the numbers looked at
  Kind kind_ = Kind::doubles;
  MatrixView<const double> doubles_;
  MatrixView<const float> floats_;
  Matrix<double> copy_;
  pybind11::array_t<double> values_;
  pybind11::array_t<std::int64_t> columns_;
  pybind11::array_t<std::int64_t> row_begin_;
  std::span<const double> value_span_;
  std::span<const std::int64_t> column_span_;
  std::span<const std::int64_t> row_begin_span_;
  std::size_t sparse_cols_ = 0;
};

/// Positive weights of rows as the library wants them; None: none.
std::vector<double> read_weights(const pybind11::object& weights);

}  // namespace mercer::python
