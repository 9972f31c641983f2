#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/random.h"

namespace mercer::methods {

/// Randomised rounding of expansions f_k(x) = sum_i B_ik k(c_i, x).
///
///   D. Achlioptas, F. McSherry, B. Schoelkopf, "Sampling techniques for kernel methods", NIPS
///   2001, section 4
///
///   paper      here
///   alpha_i    a_ik = |B_ik| / |B_k|, coefficients of unit vectors
///   s          scale: a >= 1/s is kept, otherwise it becomes 1/s with probability s a, or 0
///   eta        rows that are left
///
/// In the paper every feature is rounded by itself. Here, by default, features share their kernel
/// values: row i stays with p_i = min(1, s max_k a_ik) and then has the coefficients B_ik / p_i,
/// which is unbiased for all of them and takes fewer rows (152 in place of 217 for m = 300, four
/// features, s = 6). Both are rows and coefficients kept with a probability p and divided by it, so
///     Var f_k(x) = sum_i k(c_i, x)^2 B_ik^2 (1 - p_ik) / p_ik.
class RoundedExpansion {
 public:
  /// `coefficients` must stay.
  RoundedExpansion(MatrixView<const double> coefficients, bool per_component);

  /// p_ik at this scale.
  double probability(std::size_t i, std::size_t k, double scale) const;
  /// That any coefficient of row i stays.
  double row_probability(std::size_t i, double scale) const;
  double expected_rows(double scale) const;

  /// sum_i energies_i B_ik^2 (1 - p_ik) / p_ik for every k. With energies_i = sum_x k(c_i, x)^2
  /// that is the expected sum of squared errors over the points x.
  std::vector<double> variances(std::span<const double> energies, double scale) const;
  /// The smallest scale at which the variances sum up to at most `total`.
  double scale_for(std::span<const double> energies, double total) const;

  struct Rounded {
    std::vector<std::size_t> rows;  ///< ascending
    Matrix<double> coefficients;    ///< of these
  };
  /// Never without any row: the most probable one stays where none is drawn.
  Rounded draw(double scale, const engine::RandomStream& stream) const;

 private:
  double total_variance(std::span<const double> energies, double scale) const;

  MatrixView<const double> coefficients_;
  /// What scale times it is a probability: max_k a_ik (one column), or a_ik.
  Matrix<double> sizes_;
};

}  // namespace mercer::methods
