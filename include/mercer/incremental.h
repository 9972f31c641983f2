#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include <mercer/block_model.h>
#include <mercer/greedy.h>
#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

struct IncrementalOptions {
  bool center = true;
  /// Of every block. A default target is relative to the mean of k(x, x) in the first one.
  LibraryOptions library{};
  /// Of every block and merge. The form counts only without `seeded`.
  MergeOptions merge{};
  /// A block adds to the library so far only what that does not represent; the library then hardly
  /// grows once it has seen all there is. Otherwise every block has a library of its own, as if it
  /// had been made elsewhere.
  bool seeded = true;
  /// When the library has more points than this after a block, ...
  std::size_t library_limit = 2000;
  /// ... it is reduced to this many, chosen for the components and the mean. Empty: seven
  /// eighths of the limit. Where the library needs more than the limit in every block, what is
  /// given up has to be chosen again: half the limit took a quarter longer and lost twice as much.
  std::optional<std::size_t> library_target{};
  /// Start of the random streams of the pivot rules: those of a run do not count, so that a stream
  /// that is resumed goes on alike.
  std::uint64_t seed = 0;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Kernel PCA of rows that arrive block by block, each seen once: a model is there at any moment,
/// and memory does not grow with the rows. A linear kernel makes it incremental PCA.
///
/// A block of n rows costs n s (d + s) flops and s^3 for the components, with a library of s
/// points.
class IncrementalFit {
 public:
  /// No rows yet. A kernel parameter that is missing is found from the first block. `input` is
  /// applied to the rows and kept for the model. Throws InvalidArgument for kernels that are not
  /// positive semi-definite and for precomputed ones.
  explicit IncrementalFit(const Kernel& kernel, const IncrementalOptions& options = {},
                          const InputMaps& input = {});
  ~IncrementalFit();
  IncrementalFit(const IncrementalFit&);
  IncrementalFit(IncrementalFit&&) noexcept;
  IncrementalFit& operator=(const IncrementalFit&);
  IncrementalFit& operator=(IncrementalFit&&) noexcept;

  /// One more block, rows as they come from a file. The result depends on how rows are cut into
  /// blocks. When it throws (bad rows, a cancelled run), nothing has changed.
  void partial_fit(MatrixView<const double> points, std::span<const double> weights = {},
                   const RunOptions& run = {});

  /// Blocks seen.
  std::uint64_t blocks() const;
  std::uint64_t rows() const;
  /// With every parameter, once a block has been seen.
  const Kernel& kernel() const;
  const IncrementalOptions& options() const;
  /// What merges with models of other rows. Throws DataError before the first block.
  BlockModel block() const;
  /// The model of all rows so far. Throws DataError before the first block.
  Fit finish(const BlockFitOptions& options = {}, const RunOptions& run = {}) const;

  /// A container file of kind "block" with what it takes to go on: a stream that is loaded gives
  /// the bits of one that was never interrupted. Throws DataError before the first block,
  /// FileError, and InvalidArgument for a custom kernel.
  void save(const std::filesystem::path& path) const;
  /// Throws FileError, also when the file has a block that is no stream.
  static IncrementalFit load(const std::filesystem::path& path);

 private:
  struct State;
  explicit IncrementalFit(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mercer
