#pragma once

#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "methods/component_choice.h"

namespace mercer::methods {

/// Principal components of the points themselves: kernel PCA with the linear kernel, whose
/// components are directions in the space of the points.
struct PrincipalAxes {
  std::vector<double> values;  ///< eigenvalues of the (centred, weighted) scatter matrix
  Matrix<double> axes;         ///< d x values, orthonormal columns
  std::vector<double> mean;    ///< weighted mean, zeros when not centred
  double total_variance = 0;
  double residual = 0;  ///< largest |S v - lambda v| / lambda_1
};

/// n when there are no weights.
double sum_of_weights(const std::vector<double>& weights, std::size_t n);

/// Mean of the points by weight; `weights` may be empty.
std::vector<double> weighted_mean(MatrixView<const double> points,
                                  const std::vector<double>& weights);

/// The axes of a linear model whose components are expansions in centred points, points^T b.
Matrix<double> collapse(MatrixView<const double> centred_points, MatrixView<const double> b);

/// Through the d x d scatter matrix: n d^2 multiply-adds and O(d^2) memory, so the way to go
/// whenever d < n. `weights` may be empty.
PrincipalAxes principal_axes(MatrixView<const double> points, const std::vector<double>& weights,
                             bool center, const ComponentChoice& choice, engine::Workers& workers);

}  // namespace mercer::methods
