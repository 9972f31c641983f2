#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::metrics {

/// Called once for every query row, from several threads, with the rows of its nearest points: the
/// smallest distance first, equal ones by row.
using VisitNeighbors = std::function<void(std::size_t query, std::span<const std::size_t> rows)>;

/// The `count` points nearest to every query, exactly as sums of squared differences in double rank
/// them. Needs finite values, equally many columns and 1 <= count <= points.rows(). Throws
/// NumericalError where squares would overflow.
void for_each_neighborhood(MatrixView<const double> points, MatrixView<const double> queries,
                           std::size_t count, engine::Workers& workers,
                           const VisitNeighbors& visit);

/// Bytes that it allocates for n points of d columns.
double neighborhood_bytes(std::size_t n, std::size_t d, std::size_t count, std::size_t threads);

}  // namespace mercer::metrics
