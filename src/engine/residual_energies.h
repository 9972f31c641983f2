#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/gram.h"
#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"

namespace mercer::engine {

/// The energies r_j = sum_t w_t (k_jt - G_j G_t^T)^2 of all columns of what a partial Cholesky
/// factor leaves of the kernel matrix, kept up to date while the factor grows.
///
/// A new column g takes one product h = (K - G G^T) W g with the columns G before it:
///     r_j <- r_j - 2 g_j h_j + g_j^2 (g^T W g)
/// which is n^2 flops in place of the 2 n^2 rank of computing them anew. But every ten-fold drop of
/// the energies costs a digit, and energies that are wrong choose tiny pivots that destroy the
/// factor. So they must be refreshed: when their sum has fallen to 1e-6 of what it was after the
/// last refresh, and whenever a score r_j / d_j exceeds the sum of w d, which it cannot
/// (Cauchy-Schwarz).
class ResidualEnergies {
 public:
  /// `stored`: the kernel matrix is kept (4 n^2 bytes), otherwise recomputed with each column.
  /// Points, factor and weights (which may be empty) must stay. Computes the energies.
  ResidualEnergies(const Kernel& kernel, MatrixView<const double> points, PartialCholesky& factor,
                   std::span<const double> weights, bool stored, Workers& workers);

  std::span<const double> values() const { return energies_; }
  /// Whether downdates have used up the digits.
  bool worn() const;
  /// What the last column of the factor took away.
  void downdate();
  /// Energies, and the residuals of the factor, anew from kernel tiles. n^2 (d + rank) flops, O(n)
  /// memory.
  void refresh();

  std::uint64_t kernel_evaluations() const;
  std::size_t refreshes() const { return refreshes_; }

 private:
  double weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }

  PartialCholesky& factor_;
  std::span<const double> weights_;
  Workers& workers_;
  KernelPoints<double> packed_;
  std::unique_ptr<GramOperator> gram_;
  std::vector<double> energies_;
  double sum_at_refresh_ = 0;
  std::uint64_t evaluations_ = 0;
  std::size_t refreshes_ = 0;
};

}  // namespace mercer::engine
