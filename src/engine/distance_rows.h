#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mercer/distance.h>
#include <mercer/matrix.h>

#include "engine/distance_sums.h"
#include "engine/kernel_rows.h"

namespace mercer::engine {

/// Rows made ready for distances: padded, and prepared so that a plain sum over coordinates gives
/// the square (roots for Hellinger, unit vectors for the cosine), 64 positions to a word for
/// Hamming and Jaccard. Rows that are fine as they stand are viewed, not copied: the points must
/// stay.
class DistanceRows {
 public:
  /// The points were checked (distance_value.h).
  DistanceRows(const Distance& distance, MatrixView<const double> points);
  /// Other rows, to be compared with those of this set.
  DistanceRows queries(MatrixView<const double> points) const;

  std::size_t size() const { return points_.rows(); }

  /// out[c] = d^2(row `row` of `from`, row columns[c] of this). Bits do not depend on the others.
  /// Throws NumericalError on squares that are not finite or negative.
  void squares(const DistanceRows& from, std::size_t row, std::span<const std::size_t> columns,
               double* out) const;

  static double bytes(std::size_t n, std::size_t d);

 private:
  DistanceRows(const Distance& distance, MatrixView<const double> points,
               std::span<const double> kernel_shift);
  void prepare_numbers();
  const double* numbers() const { return rows_.empty() ? points_.data() : rows_.data(); }
  void prepare_bits(std::optional<double> threshold);
  void kernel_squares(const DistanceRows& from, std::size_t row,
                      std::span<const std::size_t> columns, double* out) const;

  Distance distance_;
  MatrixView<const double> points_;
  std::optional<DistanceForm> form_;
  Matrix<double> rows_;
  Matrix<std::uint64_t> bits_;
  std::vector<double> kernel_shift_;
  std::optional<KernelRows> kernel_rows_;
  std::vector<double> kernel_diagonal_;
};

}  // namespace mercer::engine
