#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::model {

/// How many rows to add at a time, so that a block stays in the cache. It depends on the width
/// alone: blocks, and with them the rounding of sums, are the same for every source.
std::size_t rows_per_block(std::size_t cols);

/// Smallest and largest value of each column, in one pass.
class ColumnRanges {
 public:
  explicit ColumnRanges(std::size_t cols);

  /// Throws DataError naming row and column of a value that is not finite, or the column that by
  /// now spans more than the largest double.
  void add(MatrixView<const double> rows);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return low_.size(); }
  double low(std::size_t j) const { return low_[j]; }
  double high(std::size_t j) const { return high_[j]; }

 private:
  void check_span() const;

  std::size_t rows_ = 0;
  std::vector<double> low_;
  std::vector<double> high_;
};

/// Mean and standard deviation (division by n) of each column, in one pass. Blocks are summed in
/// two passes of their own and merged as in Chan, Golub, LeVeque, "Updating formulae and a pairwise
/// algorithm for computing sample variances" (1979).
///
/// Sums are of y = (x - origin) / unit: the origin is the value in the first row, so that a large
/// common offset costs no digits, and the unit is the power of two below the largest |x - origin|,
/// so that neither y nor its square leaves the range of doubles.
class ColumnMoments {
 public:
  explicit ColumnMoments(std::size_t cols);

  /// Throws as `ColumnRanges::add`.
  void add(MatrixView<const double> rows);

  std::size_t rows() const { return ranges_.rows(); }
  std::size_t cols() const { return ranges_.cols(); }
  bool constant(std::size_t j) const { return ranges_.low(j) == ranges_.high(j); }
  double mean(std::size_t j) const;
  double deviation(std::size_t j) const;

 private:
  void widen_units();
  void sum_block(MatrixView<const double> rows);
  void merge_block(std::size_t block_rows);

  ColumnRanges ranges_;
  std::vector<double> origin_;
  std::vector<int> exponent_;     ///< the unit is 2^exponent
  std::vector<double> per_unit_;  ///< 1 / unit
  std::vector<double> mean_;      ///< of y
  std::vector<double> scatter_;   ///< sum of (y - mean)^2

  // Of the block that is being added.
  std::vector<double> block_mean_;
  std::vector<double>
      deviations_;               ///< sum of y - block mean: 0 but for rounding, which it corrects
  std::vector<double> squares_;  ///< sum of (y - block mean)^2
};

}  // namespace mercer::model
