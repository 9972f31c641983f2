#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/removed_matrix.h"

namespace mercer::engine {

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

}  // namespace mercer::engine
