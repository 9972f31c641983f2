#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <mercer/matrix.h>

namespace mercer::data {

/// Rows of which nobody knows how many will come. Room is made for what has come, not for what was
/// asked for, so that asking for "all" of a small file costs little.
class GrowingRows {
 public:
  GrowingRows(std::size_t cols, std::size_t most_rows) : cols_(cols), most_rows_(most_rows) {}

  std::size_t rows() const { return rows_; }

  /// A further row, to be filled.
  std::span<double> append() {
    if (rows_ == storage_.rows()) grow();
    return storage_.row(rows_++);
  }

  Matrix<double> take() {
    if (rows_ == storage_.rows()) return std::move(storage_);
    return Matrix<double>(std::as_const(storage_).view().rows_from(0, rows_));
  }

 private:
  void grow() {
    constexpr std::size_t kFirstValues = std::size_t{1} << 17;
    const std::size_t first =
        std::max<std::size_t>(kFirstValues / std::max<std::size_t>(cols_, 1), 1);
    const std::size_t capacity = std::min(std::max(2 * rows_, first), most_rows_);
    Matrix<double> larger = Matrix<double>::uninitialized(capacity, cols_);
    std::copy_n(storage_.data(), rows_ * cols_, larger.data());
    storage_ = std::move(larger);
  }

  std::size_t cols_;
  std::size_t most_rows_;
  std::size_t rows_ = 0;
  Matrix<double> storage_;
};

}  // namespace mercer::data
