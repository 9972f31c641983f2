#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/block_model.h>
#include <mercer/greedy.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// Which rows make a block.
enum class Partition {
  automatic,  ///< random in memory, in order from a source
  random,     ///< any: each block is a sample of all rows, and libraries overlap most
  in_order,   ///< consecutive ones
  labels,     ///< those with the same label (Chin & Suter's digits and faces)
};

/// What becomes of the libraries of the blocks.
enum class Refine {
  automatic,  ///< two_level where the rows can be read twice, otherwise none
  none,  ///< the blocks are merged: every row is read once, and counts as its projection on the
         ///< library of its own block
  reproject,  ///< every row is projected on all libraries together, in a second pass: the most
              ///< exact, and the largest library
  two_level,  ///< the same with the few rows that a greedy choice among the libraries leaves: as
              ///< exact as `mse` asks, and by far the smallest library
};

/// Kernel PCA by parts (Chin & Suter 2006): each block of rows is filtered for a few of them, and
/// the results are put together.
struct PartitionedOptions {
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue of at least this.
  std::optional<double> min_eigenvalue{};
  bool center = true;
  /// One positive weight per row, or empty. Sources of rows bring their own.
  std::vector<double> weights{};

  /// How many blocks, as equal as can be; or how many rows in each, the last taking what is left.
  /// Empty both: 2000 rows.
  std::optional<std::size_t> blocks{};
  std::optional<std::size_t> block_size{};
  Partition partition = Partition::automatic;
  /// One per row, for `Partition::labels`: blocks by ascending label.
  std::vector<std::size_t> labels{};

  /// Of every block, and of the choice among their libraries.
  LibraryOptions library{};
  /// Of blocks and merges, with `Refine::none`.
  MergeOptions merge{};
  Refine refine = Refine::automatic;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Blocks run in parallel. Cost, for c blocks with libraries of s_k rows, S together, and s in the
/// end: sum of n_k s_k (d + s_k) for the blocks (times `candidates` for the choice), then
///     none       S^2 d + c (2 r)^3 for merges
///     reproject  S^3 / 3 + n S (d + S)
///     two_level  S s (d + s) + n s (d + s)
/// and memory S (d + r), S^2, S s besides the blocks at work. The summary has the mean square
/// residual of the result: exact where rows were read twice. Throws InvalidArgument for kernels
/// that are not positive semi-definite and for precomputed ones.
Fit fit_partitioned(MatrixView<const double> points, const Kernel& kernel,
                    const PartitionedOptions& options = {}, const RunOptions& run = {});

/// In blocks of consecutive rows. No more than a block for each thread is in memory.
Fit fit_partitioned(RowSource& rows, const Kernel& kernel, const PartitionedOptions& options = {},
                    const RunOptions& run = {});

}  // namespace mercer
