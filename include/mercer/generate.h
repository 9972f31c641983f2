#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mercer/matrix.h>

namespace mercer {

struct GenerateOptions {
  std::size_t n = 1000;
  /// Columns. Shapes of lower dimension are padded with columns of noise.
  std::size_t d = 2;
  /// Standard deviation of the Gaussian noise added to every column.
  double noise = 0.1;
  std::uint64_t seed = 0;
};

struct Generated {
  Matrix<double> points;
  std::vector<std::size_t> labels;  ///< which part of the shape a point belongs to
};

/// Well-known shapes to try things on: circle, rings, swiss_cross, swiss_roll, spirals, moons,
/// blobs, uniform. Throws InvalidArgument on another name or a `d` too small for the shape.
Generated generate(const std::string& shape, const GenerateOptions& options = {});

struct ShapeInfo {
  std::string name;
  std::size_t min_d = 1;
  std::string description;
};
std::vector<ShapeInfo> shapes();

}  // namespace mercer
