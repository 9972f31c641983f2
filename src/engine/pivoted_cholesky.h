#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/strips.h"
#include "system/memory.h"

namespace mercer::engine {

/// The partial Cholesky factor G (n x c) of the kernel matrix of points in memory, grown by rows
/// (pivots) that somebody chooses: K ~ G G^T exactly on the pivots, G[pivots] = L lower triangular.
/// Every greedy or random choice of landmarks is this with another rule for the next rows.
///
/// The matrix may be that of centred features, k_ij - a_i - a_j (see FeatureMean).
///
/// Cost of c pivots: n c kernel values, n c^2 flops, 8 n c bytes.
class PartialCholesky {
 public:
  /// `capacity`: most pivots. `offsets`: a, or empty. `points` must stay. Throws NumericalError
  /// when a k(x, x) is not finite, and std::bad_alloc.
  PartialCholesky(const Kernel& kernel, MatrixView<const double> points, std::size_t capacity,
                  Workers& workers, std::vector<double> offsets = {});

  const Kernel& kernel() const { return kernel_; }
  MatrixView<const double> points() const { return points_; }
  /// What distances are shifted by.
  std::span<const double> shift() const { return shift_; }
  std::span<const double> offsets() const { return offsets_; }

  std::size_t size() const { return residuals_.size(); }
  std::size_t rank() const { return pivots_.size(); }
  std::size_t capacity() const { return capacity_; }
  std::span<const std::size_t> pivots() const { return pivots_; }
  /// d_i = k(x_i, x_i) - |G_i|^2, the squared distance of point i from the span of the pivots.
  std::span<const double> residuals() const { return residuals_; }
  /// Of the matrix that is factored.
  std::span<const double> diagonal() const { return diagonal_; }
  /// Residuals at or below this are rounding noise: such rows depend on the pivots.
  double negligible() const { return negligible_; }
  /// G, n x rank.
  MatrixView<const double> factor() const { return {values_, size(), rank(), stride_}; }
  /// L, rank x rank; zeros above the diagonal.
  Matrix<double> pivot_factor() const;
  std::uint64_t kernel_evaluations() const { return evaluations_; }

  /// Whether to take a proposed row: its number in the list, its residual now (given the pivots
  /// taken before it, also in this call) and when the call began.
  using Accept = std::function<bool(std::size_t j, double now, double at_start)>;

  /// Takes rows as pivots in the order given, skipping those that depend on the ones before and
  /// those that `accept` refuses, until `most` are taken. Returns the numbers of the rows taken.
  std::vector<std::size_t> append(std::span<const std::size_t> rows, std::size_t most,
                                  const Accept& accept = {});

  /// r_j = sum_t w_t (k_jt - G_j G_t^T)^2 of these rows, over all t. A column of kernel values and
  /// n rank flops for each row, O(n) memory.
  std::vector<double> energies(std::span<const std::size_t> rows, std::span<const double> weights);

  /// Takes the one of these rows that lowers the sum of the residuals, by weight, most: the largest
  /// r_j / d_j, r_j = sum_t w_t (k_jt - G_j G_t^T)^2, the first on ties. Nothing when all depend on
  /// the pivots. A column of kernel values and n rank flops for each row. `weights` may be empty.
  std::optional<std::size_t> append_best(std::span<const std::size_t> rows,
                                         std::span<const double> weights);
  /// Residuals anew from the factor, without the rounding that subtracting columns one after
  /// another has left in them. n rank flops.
  void refresh_residuals();
  /// The last pivot is given back, with what it took off the residuals. n flops.
  void forget_last();
  /// What the pivots leave of the kernel values of these rows with each other (lower triangle; the
  /// columns are padded). The diagonal holds the residuals themselves: whoever judges by them, and
  /// by these values, judges by the same numbers.
  Matrix<double> residual_matrix(std::span<const std::size_t> rows);

  static double bytes(std::size_t n, std::size_t capacity);
  /// Most pivots for n points in so many bytes; 0 when there is no room for any.
  static std::size_t capacity_within(std::size_t n, double bytes);

 private:
  /// Kernel values of the given rows with each other.
  Matrix<double> proposal_matrix(std::span<const std::size_t> rows) const;
  void append_columns(std::span<const std::size_t> rows, const Matrix<double>& lower);
  /// Rows of the points as columns of the residual K - G G^T are computed from them.
  struct Columns {
    KernelPoints<double> points;
    std::vector<double> offsets;  ///< empty: none
    Strips negative_factor;       ///< -G[rows]^T
  };
  Columns prepare_columns(std::span<const std::size_t> rows, Matrix<double>& picked) const;
  /// The number of the best of these rows from their residual columns, one in each column of
  /// `values`.
  std::optional<std::size_t> best_of(std::span<const std::size_t> rows,
                                     std::span<const double> weights,
                                     MatrixView<const double> values) const;
  /// What is known exactly of `added` new columns keeps L triangular and pivots from being taken
  /// again.
  void set_exact_entries(std::span<const std::size_t> rows, const Matrix<double>& lower);
  /// Residual values of the points in a block with these rows, a row of y per point.
  void residual_block(std::size_t block, const Columns& columns, const RowBlock& y) const;
  RowBlock factor_rows(std::size_t block) const;

  Kernel kernel_;
  MatrixView<const double> points_;
  Workers& workers_;
  std::vector<double> shift_;
  std::vector<double> offsets_;
  KernelPoints<double> packed_;
  std::size_t capacity_;
  std::size_t stride_;
  system::LargeBuffer memory_;  // untouched columns take no memory
  double* values_;
  std::vector<double> diagonal_;
  std::vector<double> residuals_;
  double negligible_ = 0;
  std::vector<std::size_t> pivots_;
  std::vector<std::size_t> open_;  // rows of each block that are not pivots
  std::uint64_t evaluations_ = 0;
};

/// Takes the first `count` rows in their order, as many at a time as pays, skipping those that
/// depend on the ones before.
void append_first(PartialCholesky& factor, std::size_t count);

}  // namespace mercer::engine
