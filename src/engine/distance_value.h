#pragma once

#include <cstddef>
#include <optional>

#include <mercer/distance.h>
#include <mercer/matrix.h>

namespace mercer::engine {

/// Throws DataError, naming row (from `first_row` on) and column, on NaN, Inf and what the distance
/// cannot take: negative entries for histograms, other numbers than 0 and 1 where bits are counted,
/// rows of zeros for the cosine, negative precomputed distances.
void check_distance_points(const Distance& distance, MatrixView<const double> points,
                           std::size_t first_row);

/// Also that precomputed distances are square, symmetric and 0 on the diagonal.
void check_distance_items(const Distance& distance, MatrixView<const double> points);

/// Throws NumericalError unless a squared distance that somebody else computed is finite and not
/// negative. Items are named from 1.
double checked_square(double value, std::size_t i, std::size_t j);

}  // namespace mercer::engine
