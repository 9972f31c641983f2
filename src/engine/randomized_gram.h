#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/bit_symmetric.h"
#include "engine/entry_rounding.h"
#include "engine/gram.h"
#include "engine/parallel.h"
#include "engine/random.h"
#include "engine/sparse_symmetric.h"

namespace mercer::engine {

/// The symmetric matrix left right^T, n x n, known beforehand: what is left of the kernel matrix
/// without it is smaller, and so is the noise of rounding that.
struct LowRank {
  Matrix<double> left;   ///< n x r; empty: zero
  Matrix<double> right;  ///< n x r; empty: the same as left

  const Matrix<double>& other() const { return right.empty() ? left : right; }
  double entry(std::size_t i, std::size_t j) const;
};

/// A random kernel matrix whose mean is the true one: K0 + rounded(K - K0), K0 of low rank. The
/// diagonal is exact, entries (i, j) and (j, i) are drawn once. Rounded to two levels without
/// sparsity it is kept in bits (n^2 / 16 bytes, from all kernel values), otherwise sparse (5 n^2 /
/// s bytes, or n^2 / s with levels, from n^2 / (2 s) values).
class RandomizedGram final : public KernelOperator {
 public:
  /// `points` must stay while this is made. Not for precomputed kernels.
  RandomizedGram(const Kernel& kernel, MatrixView<const double> points, LowRank control,
                 const EntryRounding& rounding, const RandomStream& stream, Workers& workers);

  void multiply(MatrixView<const double> v, MatrixView<double> y, Workers& workers) override;
  Matrix<double> dense(Workers& workers) override;

  const EntryRounding& rounding() const { return rounding_; }
  const LowRank& control() const { return control_; }
  const EntryNoise& noise() const { return sparse_ ? sparse_->noise() : bits_->noise(); }
  /// Entries of one triangle that are kept.
  std::uint64_t kept() const;

  /// Of the matrix itself and, for a while, of what it is made from.
  static double bytes(std::size_t n, const EntryRounding& rounding);
  static double making_bytes(std::size_t n, std::size_t d, std::size_t control_rank);

 private:
  LowRank control_;
  EntryRounding rounding_;
  std::vector<double> rest_;  ///< what the diagonal has beside the control and the low level
  double everywhere_ = 0;     ///< the low level of bits
  std::optional<SparseSymmetric> sparse_;
  std::optional<BitSymmetric> bits_;
};

/// Smallest and largest entry of K - K0 off the diagonal: all kernel values.
EntryRange residual_range(const Kernel& kernel, MatrixView<const double> points,
                          const LowRank& control, Workers& workers);

/// What a rounding of K - K0 does, from all kernel values.
EntryNoise residual_noise(const Kernel& kernel, MatrixView<const double> points,
                          const LowRank& control, const EntryRounding& rounding, Workers& workers);

}  // namespace mercer::engine
