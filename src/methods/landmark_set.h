#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/kernel_points.h"
#include "engine/parallel.h"
#include "engine/tall.h"
#include "engine/triangular.h"

namespace mercer::methods {

/// Landmarks C in the order they were chosen, with the Cholesky factor of their kernel matrix.
struct LandmarkSet {
  Matrix<double> points;  ///< m x d
  Matrix<double> lower;   ///< L, K_CC = L L^T

  std::size_t size() const { return points.rows(); }
};

using engine::pick_rows;

/// The factor of points in their order; those that depend on the ones before (to 1e-10 of the
/// largest k(x, x)) are dropped, and no jitter is needed. O(m^3 / 3).
LandmarkSet independent_landmarks(const Kernel& kernel, MatrixView<const double> points,
                                  engine::Workers& workers);

/// The first `count` landmarks.
LandmarkSet first_landmarks(const LandmarkSet& set, std::size_t count);

/// Smallest eigenvalue of the kernel matrix of the landmarks, to a few per cent.
double smallest_eigenvalue(const LandmarkSet& set);

/// z(x) = L^-1 k_C(x) for blocks of points, from several threads at once.
class LandmarkCoordinates {
 public:
  /// The set must stay.
  LandmarkCoordinates(const Kernel& kernel, const LandmarkSet& set);

  /// The coordinates of at most kBlock points: m x kBlock, a column per point.
  Matrix<double> block(MatrixView<const double> points) const;

 private:
  Kernel kernel_;
  std::vector<double> shift_;
  engine::KernelPoints<double> library_;
  engine::LowerTriangle lower_;
};

/// Orthonormal coordinates z(x) = L^-1 k_C(x) in the span of the landmarks, a row of m per point.
/// O(m (d + m/2)) a point.
Matrix<double> landmark_coordinates(const Kernel& kernel, const LandmarkSet& set,
                                    MatrixView<const double> points, engine::Workers& workers);

/// d_i = k(x_i, x_i) - |z(x_i)|^2: squared feature-space distances from the span of the landmarks.
std::vector<double> landmark_residuals(const Kernel& kernel, const LandmarkSet& set,
                                       MatrixView<const double> points, engine::Workers& workers);

/// sum w d / sum w k(x, x) over the points; `weights` may be empty.
double residual_fraction(const Kernel& kernel, const LandmarkSet& set,
                         MatrixView<const double> points, std::span<const double> weights,
                         engine::Workers& workers);

}  // namespace mercer::methods
