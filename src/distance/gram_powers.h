#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::distance {

// Products with a stored symmetric matrix K.

/// Diagonals of K^2, K^3 and K^4. n^3 multiply-adds, O(n) memory beside a strip of rows.
struct PowerDiagonals {
  std::vector<double> second;
  std::vector<double> third;
  std::vector<double> fourth;
};
PowerDiagonals power_diagonals(MatrixView<const double> gram, engine::Workers& workers);

/// K v.
std::vector<double> multiply(MatrixView<const double> gram, std::span<const double> v,
                             engine::Workers& workers);

double dot(std::span<const double> a, std::span<const double> b);

/// Tr(P K) where P projects on the span of these columns of K: what they explain.
double captured_trace(MatrixView<const double> gram, std::span<const std::size_t> rows,
                      engine::Workers& workers);

/// Smallest share of a column of K that counts as independent of others.
inline constexpr double kIndependent = 1e-12;

}  // namespace mercer::distance
