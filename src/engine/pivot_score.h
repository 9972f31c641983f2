#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/pivoted_cholesky.h"

namespace mercer::engine {

/// By what rows compete to be the next pivot; the largest wins. r_j is the energy of what is left
/// of column j of the matrix, d_j the residual of row j.
enum class PivotCriterion {
  gain,    ///< r_j / d_j, which is what the sum of w d will lose
  sparse,  ///< r_j / (1 + |c_j|_1)^2: what is left of row j in feature space is
           ///< phi_j - sum_t c_jt phi_pivot(t), scaled so that its coefficients have sum 1
           ///< (Smola, Mangasarian & Schoelkopf 1999)
};

/// The scores of the rows of a growing factor.
class PivotScore {
 public:
  /// The factor must stay.
  PivotScore(const PartialCholesky& factor, PivotCriterion criterion)
      : factor_(factor), criterion_(criterion) {}

  /// Takes in the columns that the factor has got since. O(n rank) for each where it is sparse.
  void update();
  double operator()(std::size_t row, double energy) const;

 private:
  void add_column(std::size_t column);

  const PartialCholesky& factor_;
  PivotCriterion criterion_;
  std::vector<std::vector<double>> coefficients_;  // c, one pivot after another
  std::vector<double> norms_;                      // |c_j|_1
};

}  // namespace mercer::engine
