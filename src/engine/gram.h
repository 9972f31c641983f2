#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer::engine {

/// Points made ready for blocks of kernel values of one kernel: packed in panels where the kernel
/// has a tile form, otherwise a view of their rows. `T` is the precision of the kernel values.
template <class T>
class KernelPoints {
 public:
  /// `shift` is subtracted before distances are taken by norms, which keeps them accurate for data
  /// far from the origin (error at an offset of 1000 in float: 0.35 without, 8e-7 with). Both sides
  /// of a block must have the same shift: the middle of the training points. Empty: none.
  /// Points of kernels without a tile form are viewed, not copied, and must stay.
  KernelPoints(const Kernel& kernel, MatrixView<const double> points,
               std::span<const double> shift);
  KernelPoints(const Kernel& kernel, MatrixView<const float> points, std::span<const double> shift);

  std::size_t size() const { return size_; }
  std::size_t depth() const { return depth_; }
  std::span<const double> shift() const { return shift_; }
  std::size_t blocks() const { return (size_ + kBlock - 1) / kBlock; }
  /// Points in block b.
  std::size_t block_size(std::size_t b) const { return std::min(kBlock, size_ - b * kBlock); }

  /// Kernel values of the points in this set's block `row_block` with those in block `col_block` of
  /// `cols`, laid out as [row panel][column][row in panel]. Panels stand `panel_columns` columns
  /// apart, and each must have room for the columns of the block rounded up to kProductColumns.
  void block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
             std::size_t panel_columns = kBlock) const;

 private:
  KernelPoints(Kernel kernel, std::size_t size, std::size_t depth, std::span<const double> shift);
  template <class Input>
  bool pack(MatrixView<const Input> points);
  void tile_block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
                  std::size_t panel_columns) const;
  void scalar_block(std::size_t row_block, const KernelPoints& cols, std::size_t col_block, T* out,
                    std::size_t panel_columns) const;

  Kernel kernel_;
  std::vector<double> shift_;
  std::size_t size_ = 0;
  std::size_t depth_ = 0;
  std::size_t width_ = 0;
  TileArgs<T> form_;  // form, degree and alpha only
  Matrix<T> panels_;  // a row each; empty when the kernel has no tile form
  std::vector<T> half_norms_;
  MatrixView<const double> rows_;  // used when it has none
};

/// The middle of each column, from up to 255 rows spread evenly. Not the mean: one far outlier
/// would carry that away from all other points, and their distances would lose the digits.
std::vector<double> column_medians(MatrixView<const double> points);

/// Column medians of the points where the kernel depends on differences only, otherwise empty.
std::vector<double> distance_shift(const Kernel& kernel, MatrixView<const double> points);

/// out (cols x p) += block^T-wise product: for every column j of the block and row i,
/// out[j] += block(i, j) * v[i]. The block holds `rows` x `cols` values in panels of `width`.
void add_block_times(const double* block, std::size_t width, std::size_t rows, std::size_t cols,
                     MatrixView<const double> v, MatrixView<double> out);

/// A symmetric matrix of low rank that is taken off a kernel matrix: M M^T with a row of M for
/// every point, or M J M^T where J makes the last two columns change places, which is how centring
/// enters (a_i + a_j from columns 1 and a).
struct RemovedMatrix {
  MatrixView<const double> rows;
  bool swapped = false;
};

/// The rows M_i of the points in the rows of a block, ready to be taken off it.
class RemovedRows {
 public:
  /// `of_rows`: for these points only. `width` is that of the block's panels.
  RemovedRows(const RemovedMatrix& of_rows, std::size_t width);

  /// Takes M_i J M_j^T off the block; `of_cols` are the M_j of the points in its columns.
  void subtract(double* block, MatrixView<const double> of_cols) const;

 private:
  std::size_t width_;
  std::size_t panels_;
  Matrix<double> negative_;  // -(M_i J)^T, padded with zeros
};

struct GramOptions {
  bool single_precision = false;  ///< of the kernel values; products are in double
  bool stored = true;
};

/// An n x n kernel matrix, or one that stands for it, through its products.
class KernelOperator {
 public:
  virtual ~KernelOperator() = default;

  std::size_t size() const { return diagonal_.size(); }
  std::span<const double> diagonal() const { return diagonal_; }
  std::uint64_t kernel_evaluations() const { return evaluations_; }

  /// y = K v; both n x p, p a multiple of kProductColumns. The same bits for any number of threads.
  virtual void multiply(MatrixView<const double> v, MatrixView<double> y, Workers& workers) = 0;
  /// y = K v for one vector. Bits as above.
  virtual void multiply(std::span<const double> v, std::span<double> y, Workers& workers);
  /// K itself, for dense solvers.
  virtual Matrix<double> dense(Workers& workers) = 0;

 protected:
  explicit KernelOperator(std::vector<double> diagonal) : diagonal_(std::move(diagonal)) {}

  std::vector<double> diagonal_;
  std::uint64_t evaluations_ = 0;
};

/// The kernel matrix of a set of points. Only one triangle is ever computed, and every block of it
/// serves both halves of the product. Stored (n^2 / 2 values) or recomputed in each product (O(n)
/// memory).
class GramOperator : public KernelOperator {
 public:
  virtual GramOptions options() const = 0;

  using KernelOperator::multiply;
  /// One vector takes a quarter of the arithmetic of a block of them.
  void multiply(std::span<const double> v, std::span<double> y, Workers& workers) override = 0;
  /// r_j = sum_t w_t (K - removed)_jt^2. n^2 rank flops, no values kept. Bits as above.
  virtual void energies(const RemovedMatrix& removed, std::span<const double> weights,
                        std::span<double> r, Workers& workers) = 0;

  /// Bytes for a stored matrix of n points, and for the workspace of products with p columns.
  static double stored_bytes(std::size_t n, std::size_t bytes_per_value);
  static double product_bytes(std::size_t n, std::size_t p);

 protected:
  using KernelOperator::KernelOperator;
};

/// Whether storing the kernel matrix of points with d columns costs less than making it again, in
/// single precision, in each of this many products with one vector. By count, so that the answer is
/// always the same.
bool storing_pays(const Kernel& kernel, std::size_t d, std::size_t products);

/// `points` must outlive the operator when the kernel has no tile form (precomputed, custom).
std::unique_ptr<GramOperator> make_gram(const Kernel& kernel, MatrixView<const double> points,
                                        const GramOptions& options, Workers& workers);

/// The mean in feature space as the points see it. Kernel values about it are k_ij - a_i - a_j with
/// a_i = products_i - norm2 / 2.
struct FeatureMean {
  std::vector<double> products;  ///< <phi(x_i), mean>: the means of the rows of K
  double norm2 = 0;              ///< |mean|^2

  std::vector<double> offsets() const;
};
/// By weight; `weights` may be empty. One product.
FeatureMean feature_mean(KernelOperator& gram, std::span<const double> weights, Workers& workers);

/// Kernel values of every row of `a` with every row of `b`, a.rows() x b.rows().
Matrix<double> kernel_matrix(const Kernel& kernel, MatrixView<const double> a,
                             MatrixView<const double> b, Workers& workers);

}  // namespace mercer::engine
