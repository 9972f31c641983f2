#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

// Shadow covers of points in the plane by nanoflann's KD-trees: the centre of every row.
namespace mercer::bench {

/// A tree that grows with the centres, searched once per row for the first that covers it.
std::vector<std::size_t> cover_by_growing_tree(MatrixView<const double> points, double radius);

/// A tree of all rows, searched once per centre for the rows that it covers and no earlier one
/// does. Needs all rows at once, which a cover does not.
std::vector<std::size_t> cover_by_tree_of_rows(MatrixView<const double> points, double radius);

}  // namespace mercer::bench
