#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

namespace mercer::testing {

/// Takes a pivot off what is left of a kernel matrix: left -= column column^T / pivot, with exact
/// zeros where the pivot stood.
inline void eliminate(Matrix<double>& left, std::size_t pivot) {
  const std::size_t n = left.rows();
  const double value = left(pivot, pivot);
  std::vector<double> column(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = left(i, pivot);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) left(i, j) -= column[i] * column[j] / value;
  }
  for (std::size_t i = 0; i < n; ++i) left(i, pivot) = left(pivot, i) = 0;
}

/// Pivots of largest energy(left, j) / left(j, j), the first on ties, with what they leave spelled
/// out in every step.
template <class Energy>
std::vector<std::size_t> best_pivots(Matrix<double> left, std::size_t count, double negligible,
                                     const Energy& energy) {
  const std::size_t n = left.rows();
  std::vector<std::size_t> pivots;
  while (pivots.size() < count) {
    std::size_t best = n;
    double best_score = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (left(j, j) <= negligible) continue;
      const double score = energy(left, j) / left(j, j);
      if (best == n || score > best_score) {
        best = j;
        best_score = score;
      }
    }
    if (best == n) break;
    pivots.push_back(best);
    eliminate(left, best);
  }
  return pivots;
}

}  // namespace mercer::testing
