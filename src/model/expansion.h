#pragma once

#include <vector>

#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer::model {

/// What a model keeps of points, as points of feature space:
///     P phi(x) = mean + sum_k z_k u_k = sum_j gamma_j phi(c_j),    gamma = nu + B z.
class Expansion {
 public:
  /// `parts` has a library and must stay.
  explicit Expansion(const ModelParts& parts);

  /// gamma for every row of scores.
  Matrix<double> weights(MatrixView<const double> scores) const;

  /// The images of the components and of the mean, <u_k, phi(c_j)> and <mean, phi(c_j)>, as columns
  /// j. s^2 kernel values.
  Matrix<double> images(const RunOptions& run) const;
  /// <P phi(x), phi(c_j)> for every row of scores, from these.
  Matrix<double> products(MatrixView<const double> scores, MatrixView<const double> images) const;

  /// |P phi(x)|^2, the components being orthonormal.
  double norm2(std::span<const double> scores) const;

 private:
  /// [z, 1] `columns`, less the padding of these.
  Matrix<double> combine(MatrixView<const double> scores, MatrixView<const double> columns) const;

  const ModelParts& parts_;
  Matrix<double> columns_;  // [B, nu]^T, padded
};

}  // namespace mercer::model
