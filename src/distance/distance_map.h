#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "distance/distance_origin.h"
#include "engine/parallel.h"

namespace mercer::distance {

/// Squared distances of all n items to a sample of s of them, with the landmarks among the sample.
struct TrainingSquares {
  MatrixView<const double> squares{};        ///< n x s
  std::span<const std::size_t> sample{};     ///< item of each column
  std::span<const std::size_t> landmarks{};  ///< columns of the landmarks

  std::size_t items() const { return squares.rows(); }
  std::vector<double> to_landmarks(std::size_t item) const;
  /// Of the landmarks among each other, m x m.
  Matrix<double> among_landmarks() const;
  std::vector<std::size_t> landmark_items() const;
};

/// d^2(q, .) ~ weights d^2_R(q) + offset.
struct AffineMap {
  Matrix<double> weights{};           ///< A, n x m
  std::vector<double> offset{};       ///< b, n
  std::vector<double> leverages{};    ///< of each item of the sample in the fit
  Matrix<double> coefficient_gram{};  ///< M, m x m: |Phi beta^|^2 = k_R^T M k_R; empty: unknown
  std::size_t rank = 0;               ///< independent landmarks
};

/// T = K_QS K_RS^+, least squares over the sample S: the regression where S is all items, the
/// orthogonal projection where S is the landmarks themselves. By QR with column pivoting, which
/// stays exact on the landmarks to 1e-14 at condition numbers of 1e9 where normal equations fail;
/// landmarks that depend on others get no weight. n s m multiply-adds.
AffineMap projection_map(const TrainingSquares& training, const OriginFunction& origin,
                         engine::Workers& workers);

/// Ridge regression of the squares with an intercept, its strength by leave-one-out; exact rows at
/// the landmarks.
AffineMap ridge_map(const TrainingSquares& training, engine::Workers& workers);

/// A given T, n x m. Throws InvalidArgument unless its rows at the landmarks are those of I.
AffineMap own_map(const TrainingSquares& training, const OriginFunction& origin,
                  const Matrix<double>& t);

}  // namespace mercer::distance
