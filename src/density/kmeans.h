#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"

// Weighted k-means. Points are finite; `weights` holds one positive number per row or is empty (all
// 1). Every result has the same bits for any number of threads and, up to the rounding of means,
// integer weights equal repetition (of seeds: in law).
namespace mercer::density {

/// Up to m rows by k-means++ (Arthur & Vassilvitskii 2007): the first with probability proportional
/// to its weight, the next to weight times squared distance from the nearest so far. Fewer when
/// every row equals a chosen one. At most O(n m d).
std::vector<std::size_t> kmeans_seeds(MatrixView<const double> points,
                                      std::span<const double> weights, std::size_t m,
                                      const engine::RandomStream& stream, engine::Workers& workers);

/// The nearest centre of every row, the lowest index on ties: exact ties count, and near ones are
/// decided by direct differences. O(n m d) in tiles, O(n + m d) memory.
std::vector<std::size_t> assign_nearest(MatrixView<const double> points,
                                        MatrixView<const double> centres, engine::Workers& workers);

struct Cells {
  /// Weighted means of the rows assigned to each; cells without rows are dropped, the others keep
  /// their order.
  Matrix<double> centres;
  std::vector<std::size_t> assignment;  ///< the cell of every row
  std::vector<double> weights;          ///< of every cell: the sum over its rows
  std::size_t iterations = 0;           ///< how often the centres were moved
  /// One more step would change nothing. Otherwise `assignment` belongs to the centres before their
  /// last move.
  bool converged = false;
};

/// Lloyd's algorithm from given centres, at most `iterations` (>= 1) steps: assign rows to their
/// nearest centre, move centres to the means.
Cells lloyd(MatrixView<const double> points, std::span<const double> weights,
            MatrixView<const double> centres, std::size_t iterations, engine::Workers& workers);

}  // namespace mercer::density
