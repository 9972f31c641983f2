#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "distance/distance_origin.h"
#include "engine/parallel.h"
#include "engine/triangular.h"
#include "model/distance_file.h"

namespace mercer::distance {

// Where Hilbertian items lie beside the span of the landmarks: coordinates y = L^-1 k_R in it, with
// K_R = L L^T, and the distance rho from it, rho^2 = k(x, x) - |y|^2. For two of them
//     |y - y'|^2 + (rho - rho')^2 <= d^2 <= |y - y'|^2 + (rho + rho')^2,
// known as the n-simplex projection (Connor et al.).
//
// Rounding: with kernel values that are off by E, |E_ij| <= a sqrt(s_i s_j) for sizes s, the form
// k^T K_R^-1 k is off by about beta^T E beta, beta = K_R^-1 k, so by at most a b^2 with
// b = sqrt(s_x) + sum_j |beta_j| sqrt(s_j). The bounds are widened by that much, and stay bounds
// however ill-conditioned the landmarks are. Sizes are k(x, x), and where squares come as
// differences of larger numbers (distances of a kernel), those numbers.

/// A point beside the span.
struct PlacedPoint {
  double norm2 = 0;  ///< |y|^2
  double rho = 0;
  double rho_low = 0;  ///< as rounding may have it
  double rho_high = 0;
  double rounding = 0;  ///< b
};

/// How well squares are known.
struct Measurement {
  std::size_t terms = 1;  ///< that a square is the sum of
  double noise = 0;       ///< size of the numbers that it is the difference of; 0: of none
};

/// Coordinates of the items and what is needed to place queries.
model::SimplexCoordinates place_items(MatrixView<const double> to_landmarks,
                                      std::span<const std::size_t> landmarks,
                                      const OriginFunction& origin, const Measurement& measurement,
                                      engine::Workers& workers);

class LandmarkCoordinates {
 public:
  /// The numbers must stay.
  explicit LandmarkCoordinates(const model::SimplexCoordinates& numbers);

  std::size_t dimension() const { return numbers_.lower.rows(); }
  /// Places a query by its squared distances to the landmarks; writes y.
  PlacedPoint place(std::span<const double> to_landmarks, std::span<double> y) const;
  /// rho alone, which takes half of the work; writes y.
  double residual(std::span<const double> to_landmarks, std::span<double> y) const;
  PlacedPoint item(std::size_t i) const;
  /// Kernel values of a query with all landmarks.
  std::vector<double> kernel_values(std::span<const double> to_landmarks) const;

  struct Interval {
    double lower = 0;
    double upper = 0;
  };
  /// Bounds of the squared distance of two placed points from <y, y'>.
  Interval bounds(const PlacedPoint& a, const PlacedPoint& b, double product) const;

 private:
  /// y by its squared distances to the landmarks; returns k(x, x).
  double solve(std::span<const double> to_landmarks, std::span<double> y) const;
  PlacedPoint finish(double norm2, double self, double rounding) const;
  /// sqrt(s) of a point with this k(x, x).
  double size(double self) const;

  const model::SimplexCoordinates& numbers_;
  std::vector<double> sizes_;  // sqrt(s) of the independent landmarks
};

}  // namespace mercer::distance
