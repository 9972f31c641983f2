#pragma once

#include <mercer/sparse_distance.h>

#include "distance/sparse_distance_state.h"
#include "engine/pair_distances.h"
#include "engine/parallel.h"

namespace mercer::distance {

/// Squared distances of queries to all items from those to the landmarks, queries x m.
DistanceEstimates estimate(const SparseDistance::State& state,
                           MatrixView<const double> to_landmarks, engine::Workers& workers);

DistanceBounds bound(const SparseDistance::State& state, MatrixView<const double> to_landmarks,
                     engine::Workers& workers);

/// Nearest items; `to_landmarks` as measured.
Neighbors find_neighbors(const SparseDistance::State& state, const engine::PairDistances& pairs,
                         MatrixView<const double> to_landmarks, const NeighborOptions& options,
                         engine::Workers& workers);

}  // namespace mercer::distance
