#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/gram.h"
#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"

namespace mercer::engine {

/// r_j = sum_t w_t (k_jt - G_j G_t^T)^2 for every j of `rows`, t over `terms`, with the first
/// `columns` columns of the factor; `weights` are of the terms, in their order. As many kernel
/// values as rows times terms, none of them kept.
std::vector<double> residual_energies(const PartialCholesky& factor, std::size_t columns,
                                      std::span<const std::size_t> rows,
                                      std::span<const std::size_t> terms,
                                      std::span<const double> weights, Workers& workers);

/// The energies r_j of all columns of what a partial Cholesky factor leaves of its matrix, kept up
/// to date while the factor grows and rows are cut: a row that is cut is no column whose energy is
/// wanted, and no term of the others.
///
/// A new column g takes one product h = (K - G G^T) W g with the columns G before it:
///     r_j <- r_j - 2 g_j h_j + g_j^2 (g^T W g)
/// which is n^2 flops in place of the n^2 rank of computing them anew. But every ten-fold drop of
/// the energies costs a digit, and energies that are wrong choose tiny pivots that destroy the
/// factor. So they must be refreshed: when their sum has fallen to 1e-6 of what it was after the
/// last refresh, and whenever a score r_j / d_j exceeds the sum of w d, which it cannot
/// (Cauchy-Schwarz).
///
/// The kernel values may be in single precision, which is twice as fast where they are computed for
/// each product. Energies then only tell which rows are worth a second look in double (`exact`),
/// which also tells how far they are off. When that is no longer small, double precision takes
/// over.
class ResidualEnergies {
 public:
  /// `gram`: the kernel matrix of the factor's points, stored or not; products with it are what
  /// this costs. Factor and weights (which may be empty) must stay.
  ResidualEnergies(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
                   std::span<const double> weights, Workers& workers);

  /// Rows that are not cut, ascending.
  std::span<const std::size_t> active() const { return active_; }
  /// Cuts the active rows with a residual below this, for good.
  void cut(double least_residual);
  /// Brings the energies of the active rows up to the factor as it is, in the way that takes the
  /// fewest operations.
  void update();
  /// As of the last update; meaningless for rows that are cut.
  std::span<const double> values() const { return energies_; }
  bool single_precision() const { return gram_->options().single_precision; }
  /// What the values may be off by for single precision, as far as is known.
  double error() const { return error_; }
  /// Energies of some active rows in double, from their columns of the matrix. Raises `error()`, or
  /// makes the values double, where they are farther off than that.
  std::vector<double> exact(std::span<const std::size_t> rows);
  /// Whether that costs less, for so many rows, than single precision saves.
  bool second_look_pays(std::size_t rows) const;
  /// From now on.
  void use_double_precision();
  /// sum w d over the active rows: no r_j / d_j is larger.
  double largest_score() const;

  /// Whether updates have used up the digits.
  bool worn() const;
  /// Energies, and the residuals of the factor, anew. n^2 rank flops.
  void refresh();

  std::uint64_t kernel_evaluations() const { return evaluations_ + gram_->kernel_evaluations(); }
  std::size_t refreshes() const { return refreshes_; }

 private:
  double weight(std::size_t row) const { return weights_.empty() ? 1 : weights_[row]; }
  double sum_of_active() const;
  double largest_of_active() const;
  bool anew_is_cheaper() const;
  void compute_anew();
  /// Makes the matrix that of the active rows where that pays.
  void compact();
  void make_gram_of_members(const GramOptions& options);
  void remove_terms();
  void downdate();

  PartialCholesky& factor_;
  std::span<const double> weights_;
  Workers& workers_;
  std::vector<std::size_t> active_;
  std::vector<std::size_t> leaving_;  // cut since the last update
  std::unique_ptr<GramOperator> gram_;
  std::vector<std::size_t> members_;    // rows of gram_, ascending: the active and some others
  std::vector<double> terms_;           // their weights, 0 where they are cut
  Matrix<double> member_points_;        // empty while all rows are members
  std::optional<std::size_t> columns_;  // of the factor, which the energies know of
  std::vector<double> energies_;
  double error_ = 0;
  double relative_error_ = 4e-6;  // to the largest energy: usual for single precision
  double sum_when_anew_ = 0;
  std::uint64_t evaluations_ = 0;
  std::size_t refreshes_ = 0;
};

}  // namespace mercer::engine
