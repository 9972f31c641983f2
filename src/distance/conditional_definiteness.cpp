#include "distance/conditional_definiteness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/blas.h"

namespace mercer::distance {

namespace {

/// D2 becomes J (-D2/2) J.
void center(MatrixView<double> squares) {
  const std::size_t n = squares.rows();
  std::vector<double> means(n);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double value : squares.row(i)) means[i] += value / static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      squares(i, j) = -(squares(i, j) - means[i] - means[j] + mean) / 2;
    }
  }
}

}  // namespace

Definiteness measure_definiteness(MatrixView<double> squares) {
  center(squares);
  const std::vector<double> values = engine::symmetric_eigenvalues(squares);
  Definiteness found{.smallest = values.back(), .largest = values.front()};
  double negative = 0;
  double all = 0;
  for (const double value : values) {
    all += std::abs(value);
    negative += std::max(-value, 0.0);
  }
  if (all > 0) found.negative_share = negative / all;
  const double scale = std::max(std::abs(found.largest), std::abs(found.smallest));
  found.holds = found.smallest >= -static_cast<double>(squares.rows()) *
                                      std::numeric_limits<double>::epsilon() * scale;
  return found;
}

void clip_negative_part(Matrix<double>& squares) {
  const std::size_t n = squares.rows();
  center(squares);
  Matrix<double> vectors(squares);
  const std::vector<double> values = engine::symmetric_eigen(vectors);
  // Taking off the negative part disturbs less than building the positive one.
  for (std::size_t k = 0; k < n && values[k] < 0; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = values[k] * vectors(k, i);
      for (std::size_t j = 0; j < n; ++j) squares(i, j) -= factor * vectors(k, j);
    }
  }
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) diagonal[i] = squares(i, i);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      squares(i, j) = i == j ? 0 : std::max(0.0, diagonal[i] + diagonal[j] - 2 * squares(i, j));
    }
  }
}

void shift_squares(MatrixView<double> squares, double shift) {
  for (std::size_t i = 0; i < squares.rows(); ++i) {
    for (std::size_t j = 0; j < squares.cols(); ++j) {
      if (i != j) squares(i, j) += shift;
    }
  }
}

}  // namespace mercer::distance
