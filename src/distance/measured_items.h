#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/sparse_distance.h>

#include "engine/pair_distances.h"
#include "methods/fit_record.h"

namespace mercer::distance {

/// What a fit knows of its items.
struct MeasuredItems {
  std::vector<std::size_t> sample{};  ///< items that all others are compared with, ascending
  Matrix<double> squares{};           ///< n x sample; clipped or shifted where that was asked for
  std::uint64_t distance_evaluations = 0;
  bool indefinite = false;  ///< the squares are proven not to be conditionally negative definite
  double shift = 0;         ///< added to the squares of different items
  std::optional<double> negative_share{};
  std::size_t checked_items = 0;
};

/// Measures the distances of a fit, after checking the items that the options name and the memory.
/// Unless the distance is proven to be Hilbertian, looks whether it is, as the policy says: the
/// warning goes to the record's summary.
MeasuredItems measure_items(const engine::PairDistances& pairs,
                            const SparseDistanceOptions& options, bool proven,
                            methods::FitRecord& record);

}  // namespace mercer::distance
