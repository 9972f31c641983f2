#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <mercer/matrix.h>

#include "engine/random.h"

// Small matrices for tests and distances between them.
namespace mercer::testing {

inline Matrix<double> normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed,
                                    double scale = 1, double shift = 0) {
  const engine::RandomStream stream(seed);
  Matrix<double> m(rows, cols);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = shift + scale * stream.normal(i);
  return m;
}

inline Matrix<double> uniform_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  const engine::RandomStream stream(seed);
  Matrix<double> m(rows, cols);
  for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] = stream.uniform(i);
  return m;
}

inline double largest_difference(MatrixView<const double> a, MatrixView<const double> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      const double difference = std::abs(a(i, j) - b(i, j));
      if (!(difference <= largest)) largest = difference;  // NaN wins
    }
  }
  return largest;
}

/// The same for scores, whose columns may each have the other sign.
inline double largest_difference_up_to_sign(MatrixView<const double> a,
                                            MatrixView<const double> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double largest = 0;
  for (std::size_t j = 0; j < a.cols(); ++j) {
    double same = 0;
    double opposite = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      same = std::max(same, std::abs(a(i, j) - b(i, j)));
      opposite = std::max(opposite, std::abs(a(i, j) + b(i, j)));
    }
    const double difference = std::min(same, opposite);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

inline bool same_bits(MatrixView<const double> a, MatrixView<const double> b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  }
  return true;
}

/// Each row as often as its weight says.
inline Matrix<double> repeat_rows(MatrixView<const double> a, const std::vector<double>& weights) {
  std::size_t rows = 0;
  for (const double weight : weights) rows += static_cast<std::size_t>(weight);
  Matrix<double> out(rows, a.cols());
  std::size_t at = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (int copy = 0; copy < static_cast<int>(weights[i]); ++copy) {
      std::ranges::copy(a.row(i), out.row(at++).begin());
    }
  }
  return out;
}

}  // namespace mercer::testing
