#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <mercer/distance.h>
#include <mercer/input.h>
#include <mercer/matrix.h>
#include <mercer/sparse_distance.h>

#include "model/container.h"

namespace mercer::model {

/// Where the items lie beside the span of the landmarks (distance/landmark_coordinates.h); empty
/// for distances that are not Hilbertian.
struct SimplexCoordinates {
  std::vector<double> origin_weights;  ///< g(x) = offset + sum_j weights_j d^2(x, r_j)
  double origin_offset = 0;
  double accuracy = 0;  ///< relative error of a measured square
  double noise = 0;     ///< squares have an absolute error of accuracy times this, besides
  std::vector<double> landmark_origins;  ///< g of the landmarks
  std::vector<std::size_t> independent;  ///< positions of the landmarks that make coordinates
  Matrix<double> lower;                  ///< L of their kernel matrix, r x r
  Matrix<double> coordinates;            ///< y of the items, n x r
  std::vector<double> residuals;         ///< rho^2 of the items, as rounding left it
  std::vector<double> roundings;         ///< b of the items

  bool empty() const { return residuals.empty(); }
};

/// The numbers of a SparseDistance.
struct DistanceNumbers {
  Distance distance;    ///< not for items that are no rows
  std::string indexed;  ///< name of the distance of such items; empty for rows
  bool hilbertian = false;
  InputMaps input;
  std::size_t n = 0;
  std::size_t columns = 0;  ///< of an item; 0 for items that are no rows
  std::vector<std::size_t> landmarks;
  Matrix<double> items;  ///< rows of all items, of the landmarks in their order, or none
  bool all_items = false;
  Matrix<double> weights;  ///< A, n x m
  std::vector<double> offset;
  std::vector<double> sigma;
  Matrix<double> coefficient_gram;
  SimplexCoordinates simplex;
  DistanceSummary summary;
};

/// Throws FileError.
void write_distance(const std::filesystem::path& path, const DistanceNumbers& numbers);
/// Throws FileError on whatever does not fit together. A custom distance, or one over a custom
/// kernel, comes back without its function.
DistanceNumbers read_distance(const std::filesystem::path& path);
/// The same from a checked container; `file` is for messages.
DistanceNumbers distance_from_container(Container container, const std::string& file);

}  // namespace mercer::model
