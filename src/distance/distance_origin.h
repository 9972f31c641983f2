#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <mercer/distance.h>
#include <mercer/matrix.h>
#include <mercer/sparse_distance.h>

namespace mercer::distance {

/// g of k(x, y) = g(x) - d^2(x, y)/2 + g(y), as an affine function of the squared distances to the
/// landmarks: g(x) = offset + sum_j weights_j d^2(x, r_j).
struct OriginFunction {
  std::vector<double> weights{};
  double offset = 0;

  double operator()(std::span<const double> to_landmarks) const;
};

/// The constant c with which items of such a distance lie on a sphere of squared radius 2c whatever
/// they are; nothing where there is none. `columns` are those of an item.
std::optional<double> sphere_constant(const Distance& distance, std::size_t columns);

/// `among`: squared distances of the landmarks, m x m. `constant` for a constant origin. Not for
/// `automatic`.
OriginFunction make_origin(DistanceOrigin origin, double constant, MatrixView<const double> among);

/// Kernel values of some items from their squared distances, to choose landmarks by: with a
/// constant origin, or about the centroid with the mean squared norm added to each. That makes the
/// constant one direction more, so that spans of landmarks stand for the flats through them, which
/// is what estimates with a landmark or the landmarks' centroid as the origin see.
Matrix<double> selection_gram(MatrixView<const double> squares, std::optional<double> constant);

}  // namespace mercer::distance
