#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace mercer {

/// A rectangle of numbers somewhere in memory: row-major, one sample per row, `stride` elements
/// from one row to the next. Copying a view copies no numbers. `MatrixView<const double>` is
/// read-only.
template <class T>
class MatrixView {
 public:
  using value_type = std::remove_const_t<T>;

  constexpr MatrixView() = default;
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols)
      : MatrixView(data, rows, cols, cols) {}
  /// A view that may write also serves as one that only reads.
  template <class U>
    requires std::is_same_v<const U, T>
  constexpr MatrixView(const MatrixView<U>& other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  constexpr T* data() const { return data_; }
  constexpr std::size_t rows() const { return rows_; }
  constexpr std::size_t cols() const { return cols_; }
  constexpr std::size_t stride() const { return stride_; }
  constexpr bool empty() const { return rows_ == 0 || cols_ == 0; }

  constexpr T& operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }
  constexpr std::span<T> row(std::size_t i) const { return {data_ + i * stride_, cols_}; }

  /// Rows [first, first + count).
  constexpr MatrixView rows_from(std::size_t first, std::size_t count) const {
    return {data_ + first * stride_, count, cols_, stride_};
  }
  /// Columns [first, first + count).
  constexpr MatrixView cols_from(std::size_t first, std::size_t count) const {
    return {data_ + first, rows_, count, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// An owned row-major matrix without padding between rows, its first element on a 64-byte boundary.
template <class T>
class Matrix {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Matrix() = default;
  /// Zeros. Throws std::bad_alloc when it does not fit, also when rows * cols overflows.
  Matrix(std::size_t rows, std::size_t cols) : Matrix(uninitialized(rows, cols)) {
    std::fill_n(data(), size(), T{});
  }
  /// A copy of what the view shows.
  explicit Matrix(MatrixView<const T> view) : Matrix(uninitialized(view.rows(), view.cols())) {
    for (std::size_t i = 0; i < rows_; ++i) std::ranges::copy(view.row(i), row(i).begin());
  }
  Matrix(const Matrix& other) : Matrix(other.view()) {}
  Matrix& operator=(const Matrix& other) {
    if (this != &other) *this = Matrix(other);
    return *this;
  }
  Matrix(Matrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)),
        cols_(std::exchange(other.cols_, 0)),
        data_(std::move(other.data_)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    data_ = std::move(other.data_);
    return *this;
  }
  ~Matrix() = default;

  /// For results that are written in full before they are read.
  static Matrix uninitialized(std::size_t rows, std::size_t cols) {
    constexpr std::size_t kMaxElements = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
    if (cols != 0 && rows > kMaxElements / cols) throw std::bad_alloc();
    Matrix m;
    m.data_.reset(static_cast<T*>(::operator new(rows * cols * sizeof(T), kAlignment)));
    m.rows_ = rows;
    m.cols_ = cols;
    return m;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  bool empty() const { return size() == 0; }

  T& operator()(std::size_t i, std::size_t j) { return data()[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data()[i * cols_ + j]; }
  std::span<T> row(std::size_t i) { return {data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {data() + i * cols_, cols_}; }

  MatrixView<T> view() { return {data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }              // NOLINT(google-explicit-constructor)
  operator MatrixView<const T>() const { return view(); }  // NOLINT(google-explicit-constructor)

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, kAlignment); }
  };

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace mercer
