#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <mercer/greedy.h>
#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// What `keep` is a fraction of.
enum class DeflationRule {
  relative,    ///< the variance in the model now (Chin & Suter 2006). Every merge may lose as much
               ///< again, so a tree of merges loses less than a chain
  cumulative,  ///< that and all the variance lost before: the final model has at least `keep` of
               ///< the total, with more components
};

/// How two libraries become one.
enum class MergeForm {
  coefficients,  ///< all points of both: s1 s2 kernel values, (r1 + r2)^3 flops, memory s r
  cholesky,  ///< points that depend on the others are dropped: for parts that share rows or nearly
             ///< so. (s1 + s2)^3 flops, memory (s1 + s2)^2
};

/// How much of the components survives a merge.
struct MergeOptions {
  MergeForm form = MergeForm::coefficients;
  /// The fewest components that have this fraction (0, 1] of the variance stay. 1: all above 1e-10
  /// of the largest variance, below which they are rounding.
  double keep = 1;
  DeflationRule rule = DeflationRule::relative;
  /// And no more than these.
  std::optional<std::size_t> max_components{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

struct BlockOptions {
  bool center = true;
  /// One positive weight per row, or empty.
  std::vector<double> weights{};
  LibraryOptions library{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Which components a model takes from a block, as everywhere.
struct BlockFitOptions {
  std::size_t components = 10;
  std::optional<double> retain{};
  std::optional<double> min_eigenvalue{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Kernel PCA of a part of the data that merges, exactly, with that of other parts: without the
/// rows, at other times, on other machines. A row counts as its projection on the span of the
/// library of its own block.
///
/// In feature space the model is a mean sum_j nu_j phi(c_j), components sum_j A_jk phi(c_j) and
/// singular values, over a library C. With a linear kernel the points themselves are the feature
/// space: there is no library, and mean and components are vectors of d entries.
///
/// Immutable; copies share their numbers.
class BlockModel {
 public:
  /// Greedy kernel PCA of the rows, as they come from a file: `input` is applied to them.
  /// The kernel needs all its parameters, which parts that merge must have in common. Throws
  /// InvalidArgument for kernels that are not positive semi-definite, DataError on bad rows.
  static BlockModel of_rows(MatrixView<const double> points, const Kernel& kernel,
                            const BlockOptions& options = {}, const RunOptions& run = {},
                            const InputMaps& input = {});

  const Kernel& kernel() const;
  const InputMaps& input() const;
  bool centered() const;
  /// Columns of the points, after the input maps.
  std::size_t columns() const;
  std::uint64_t rows() const;
  double total_weight() const;

  /// C, s x d; no rows for a linear kernel.
  MatrixView<const double> library() const;
  std::size_t library_size() const { return library().rows(); }
  std::size_t components() const { return singular_values().size(); }
  /// A, s x r (d x r for a linear kernel): orthonormal components, A^T K A = 1.
  MatrixView<const double> coefficients() const;
  /// Roots of the variances times the weight, descending.
  std::span<const double> singular_values() const;
  /// nu.
  std::span<const double> mean_coefficients() const;
  /// A^T K nu, the products of the components with the mean.
  std::span<const double> mean_scores() const;
  /// nu^T K nu.
  double mean_norm2() const;

  /// sum w k(x, x) of all rows. It is where everything goes:
  ///     trace = sum of singular values^2 + N |mean|^2 + residual + lost + lost_mean.
  double trace() const;
  /// What the libraries of the blocks left of their rows, sum w d.
  double residual() const;
  /// Variance of components that were given up, and of what a reduced library cannot represent.
  double lost() const;
  /// N |mean|^2 that reduced libraries could not represent.
  double lost_mean() const;
  /// The rows of this model, as it represents them, differ from the true ones by no more than this
  /// in feature space, root of the weighted sum of squares. So the true singular values are no
  /// farther than this from those here.
  double deviation() const;
  std::uint64_t kernel_evaluations() const;

  /// The same with fewer components (the form does not matter). What they had goes to `lost`.
  BlockModel deflated(const MergeOptions& options) const;
  /// The same over at most `size` points of its library, chosen for the components and the mean.
  BlockModel reduced(std::size_t size, const RunOptions& run = {}) const;

  /// The model of the leading components. Variances are about the mean of the model; what is
  /// certain of the exact ones is in `eigenvalue_intervals`. Throws NumericalError when there are
  /// none.
  Fit finish(const BlockFitOptions& options = {}, const RunOptions& run = {}) const;

  /// A container file of kind "block". Throws FileError, and InvalidArgument for a custom kernel,
  /// whose function no file can hold.
  void save(const std::filesystem::path& path) const;
  /// Also reads the files of an IncrementalFit, of which it takes the model.
  static BlockModel load(const std::filesystem::path& path);

  // The numbers themselves, which only the library can look into.
  struct State;
  explicit BlockModel(std::shared_ptr<const State> state);
  const State& state() const { return *state_; }

 private:
  std::shared_ptr<const State> state_;
};

/// Throws InvalidArgument, saying what differs, for parts that were made with other kernels,
/// columns or scalings.
void require_mergeable(const BlockModel& a, const BlockModel& b);

/// The model of the rows of both. Without deflation merging is exact, so that the order of merges
/// does not matter beyond rounding. Throws as `require_mergeable`.
BlockModel merge(const BlockModel& a, const BlockModel& b, const MergeOptions& options = {},
                 const RunOptions& run = {});

/// Merges neighbours, then neighbours of these, until one is left: a tree whose shape follows from
/// the number of blocks alone. Throws InvalidArgument when there are none.
BlockModel merge(std::span<const BlockModel> blocks, const MergeOptions& options = {},
                 const RunOptions& run = {});

}  // namespace mercer
