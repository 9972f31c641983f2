#include "bindings/rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include <pybind11/stl.h>

#include <mercer/error.h>

namespace py = pybind11;

namespace mercer::python {

namespace {

template <class T>
bool is_array_of(const py::object& points) {
  return py::isinstance<py::array_t<T>>(points);
}

bool can_be_looked_at(const py::array& array) {
  const py::ssize_t size = array.itemsize();
  const bool is_aligned = (array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0;
  return is_aligned && array.strides(1) == size && array.strides(0) >= array.shape(1) * size &&
         array.strides(0) % size == 0;
}

/// The array, or a copy of it in rows where its columns are not side by side or not aligned.
template <class T>
py::array_t<T> in_rows(const py::object& points) {
  auto array = py::reinterpret_borrow<py::array_t<T>>(points);
  if (array.ndim() != 2) {
    throw py::value_error("Expected 2D array, got " + std::to_string(array.ndim()) +
                          "D array instead");
  }
  if (array.size() == 0 || can_be_looked_at(array)) return array;
  return py::array_t < T, py::array::c_style | py::array::forcecast > ::ensure(array);
}

template <class T>
MatrixView<const T> view_of(const py::array_t<T>& array) {
  const auto rows = static_cast<std::size_t>(array.shape(0));
  const auto cols = static_cast<std::size_t>(array.shape(1));
  const std::size_t stride =
      rows > 1 ? static_cast<std::size_t>(array.strides(0)) / sizeof(T) : cols;
  return {array.data(), rows, cols, stride};
}

template <class T>
std::span<const T> span_of(const py::array_t<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Whether every place that the rows name is there: SciPy does not look.
bool is_sound(std::span<const std::int64_t> row_begin, std::span<const std::int64_t> columns,
              std::size_t values, std::size_t rows, std::size_t cols) {
  if (row_begin.size() != rows + 1 || row_begin.front() != 0 ||
      !std::ranges::is_sorted(row_begin)) {
    return false;
  }
  const auto entries = static_cast<std::size_t>(row_begin.back());
  return entries <= std::min(values, columns.size()) &&
         std::ranges::all_of(columns.first(entries), [cols](std::int64_t column) {
           return column >= 0 && static_cast<std::size_t>(column) < cols;
         });
}

}  // namespace

Rows::Rows(py::object points) : owner_(std::move(points)) {
  if (is_array_of<double>(owner_)) {
    const auto array = in_rows<double>(owner_);
    doubles_ = view_of(array);
    owner_ = array;
  } else if (is_array_of<float>(owner_)) {
    const auto array = in_rows<float>(owner_);
    floats_ = view_of(array);
    owner_ = array;
    kind_ = Kind::floats;
  } else if (py::hasattr(owner_, "tocsr")) {
    kind_ = Kind::sparse;
    read_sparse();
  } else {
    const auto array = Doubles::ensure(owner_);
    if (!array) throw py::type_error("points must be an array of numbers or a CSR matrix");
    owner_ = in_rows<double>(array);
    doubles_ = view_of(py::reinterpret_borrow<py::array_t<double>>(owner_));
  }
}

void Rows::read_sparse() {
  owner_ = owner_.attr("tocsr")();
  look_at_sparse();
  // SciPy would follow broken places, so this comes second.
  if (!owner_.attr("has_canonical_format").cast<bool>()) {
    owner_ = owner_.attr("copy")();
    owner_.attr("sum_duplicates")();
    look_at_sparse();
  }
}

void Rows::look_at_sparse() {
  const auto numbers = [&](const char* name, const char* type) {
    return owner_.attr(name).attr("astype")(type, py::arg("copy") = false);
  };
  values_ = numbers("data", "float64");
  columns_ = numbers("indices", "int64");
  row_begin_ = numbers("indptr", "int64");
  value_span_ = span_of(values_);
  column_span_ = span_of(columns_);
  row_begin_span_ = span_of(row_begin_);
  const auto [rows, cols] = owner_.attr("shape").cast<std::pair<std::size_t, std::size_t>>();
  sparse_cols_ = cols;
  if (!is_sound(row_begin_span_, column_span_, value_span_.size(), rows, cols)) {
    throw py::value_error("the sparse matrix is broken: indptr or indices do not fit its shape");
  }
}

std::size_t Rows::count() const {
  if (kind_ == Kind::sparse) return row_begin_span_.size() - 1;
  return is_float() ? floats_.rows() : doubles_.rows();
}

std::size_t Rows::cols() const {
  if (kind_ == Kind::sparse) return sparse_cols_;
  return is_float() ? floats_.cols() : doubles_.cols();
}

MatrixView<const double> Rows::doubles() {
  if (is_double()) return doubles_;
  if (copy_.empty() && count() > 0) {
    copy_ = Matrix<double>(count(), cols());
    constexpr std::size_t kBlockRows = 4096;
    for (std::size_t first = 0; first < count(); first += kBlockRows) {
      const std::size_t size = std::min(kBlockRows, count() - first);
      const Matrix<double> dense = block(first, size).dense();
      std::copy_n(dense.data(), dense.size(), copy_.row(first).data());
    }
  }
  return copy_;
}

MatrixView<const float> Rows::floats() const {
  return floats_;
}

SparseRows Rows::sparse_block(std::size_t first, std::size_t size) const {
  SparseRows rows;
  rows.cols = sparse_cols_;
  const auto begin = row_begin_span_[first];
  for (std::size_t i = first; i < first + size; ++i) {
    rows.row_begin.push_back(static_cast<std::uint64_t>(row_begin_span_[i + 1] - begin));
  }
  const auto entries = static_cast<std::size_t>(row_begin_span_[first + size] - begin);
  const auto from = static_cast<std::size_t>(begin);
  const auto columns = column_span_.subspan(from, entries);
  const auto values = value_span_.subspan(from, entries);
  rows.column.assign(columns.begin(), columns.end());
  rows.value.assign(values.begin(), values.end());
  return rows;
}

RowBlock Rows::block(std::size_t first, std::size_t size) const {
  RowBlock block{.first_row = first, .values = Matrix<double>{}};
  switch (kind_) {
    case Kind::doubles:
      block.values = Matrix<double>(doubles_.rows_from(first, size));
      break;
    case Kind::floats:
      block.values = Matrix<float>(floats_.rows_from(first, size));
      break;
    case Kind::sparse:
      block.values = sparse_block(first, size);
      break;
  }
  return block;
}

std::unique_ptr<RowSource> Rows::source(const std::vector<double>& weights) const {
  if (!weights.empty() && weights.size() != count()) {
    throw InvalidArgument("there are " + std::to_string(weights.size()) + " weights for " +
                          std::to_string(count()) + " rows");
  }
  if (is_double()) return rows_in_memory(doubles_, weights);
  auto place = std::make_shared<std::size_t>(0);
  RowCallbacks callbacks;
  callbacks.cols = cols();
  callbacks.rows = count();
  callbacks.next = [this, &weights, place](std::size_t most) -> std::optional<RowBlock> {
    const std::size_t size = std::min(most, count() - *place);
    if (size == 0) return std::nullopt;
    RowBlock next = block(*place, size);
    if (!weights.empty()) {
      const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(*place);
      next.weights.assign(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    *place += size;
    return next;
  };
  callbacks.rewind = [place] { *place = 0; };
  return rows_from_callbacks(std::move(callbacks));
}

std::vector<double> read_weights(const py::object& weights) {
  if (weights.is_none()) return {};
  const auto array = py::array_t < double,
             py::array::c_style | py::array::forcecast > ::ensure(weights);
  if (!array || array.ndim() != 1)
    throw py::value_error("Sample weights must be 1D array or scalar");
  return {array.data(), array.data() + array.size()};
}

}  // namespace mercer::python
