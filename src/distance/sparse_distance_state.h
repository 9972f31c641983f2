#pragma once

#include <memory>
#include <mutex>

#include <mercer/sparse_distance.h>

#include "engine/distance_rows.h"
#include "model/distance_file.h"

namespace mercer {

struct SparseDistance::State {
  explicit State(model::DistanceNumbers given);

  model::DistanceNumbers numbers;
  /// A^T, m x n, and coordinates^T, r x n: columns padded to whole products.
  Matrix<double> transposed_weights;
  Matrix<double> transposed_coordinates;

  /// The rows that are kept, made ready on first use.
  const engine::DistanceRows& rows() const;

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const engine::DistanceRows> rows_;
};

}  // namespace mercer
