#pragma once

#include <span>
#include <vector>

#include <mercer/block_model.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "methods/greedy_library.h"
#include "methods/landmark_set.h"
#include "model/block_file.h"

namespace mercer::methods {

using model::BlockNumbers;

// What blocks, merges and reduced libraries have in common: components from a scatter matrix in
// orthonormal coordinates, and back.

/// How many of these variances (descending) to keep. `total` is their sum, with what is below them;
/// `lost` what was given up before; those at or below `noise` never stay.
std::size_t components_kept(std::span<const double> variances, double total, double lost,
                            double noise, const MergeOptions& options);

/// Variances at or below this are rounding: small components lose their orthogonality as expansions
/// over a library, at 1e-10 of the largest about 2e-7 of it. `energy` is that of the rows about the
/// origin, whose rounding remains when centring takes all else away.
double negligible_variance(double largest, double energy);

/// Gives up variance: what the model represents moves away from the rows by its root.
void give_up(BlockNumbers& block, double variance);

/// Sets library, components and mean from mean and scatter in the coordinates of the landmarks
/// (K_CC = L L^T): scatter = U S^2 U^T, A = L^-T U, nu = L^-T mean. Weight and lost variance must
/// be set before; what is not kept is added to the latter. s^3 flops.
void set_components(BlockNumbers& block, const LandmarkSet& set, Matrix<double> scatter,
                    const std::vector<double>& mean, const MergeOptions& options);

/// A block in orthonormal coordinates of a space that holds its library.
struct BlockCoordinates {
  Matrix<double> root;       ///< U diag(singular values), coordinates x r
  std::vector<double> mean;  ///< coordinates
};
/// `points` has the coordinates of each point of the library, one row each.
BlockCoordinates coordinates_of(const BlockNumbers& block, MatrixView<const double> points,
                                engine::Workers& workers);
/// Where the coordinates are of a space that holds the library only nearly, or in part: what they
/// miss of the block is lost to the model that goes on with them.
void give_up_unseen(BlockNumbers& block, const BlockNumbers& part, const BlockCoordinates& seen);

/// scatter += root root^T.
void add_scatter(Matrix<double>& scatter, MatrixView<const double> root, engine::Workers& workers);
/// scatter += factor (a - b)(a - b)^T.
void add_difference(Matrix<double>& scatter, double factor, std::span<const double> a,
                    std::span<const double> b);

/// Counts and sums of the rows of both; no library and no components yet.
BlockNumbers sums_of(const BlockNumbers& a, const BlockNumbers& b);

/// Greedy kernel PCA of the rows that a library was chosen for.
BlockNumbers block_of_library(const GreedyLibrary& library, const Kernel& kernel,
                              std::size_t columns, bool center, std::span<const double> weights,
                              const MergeOptions& options, engine::Workers& workers);

/// The same rows added to a block whose own library was given to the choice as its first rows: one
/// factor holds the coordinates of both, so nothing has to be merged but sums.
BlockNumbers block_with_rows(const BlockNumbers& block, const GreedyLibrary& library,
                             std::span<const double> weights, const MergeOptions& options,
                             engine::Workers& workers);

/// The rows of a, then those of b, which have `cols` columns where there are any.
Matrix<double> stacked_rows(MatrixView<const double> a, MatrixView<const double> b,
                            std::size_t cols);

/// Throws MemoryLimitError.
void require_room(double bytes, double memory_limit_bytes, const char* what);

}  // namespace mercer::methods
