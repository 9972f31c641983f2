#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/reduced_set.h>
#include <mercer/reduction.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// A shadow cover that grows with the rows it is shown, and merges with covers of other rows: for
/// data that come in parts, at different times or on different machines.
///
/// A row belongs to the earliest centre that is nearer than `radius`; where there is none it
/// becomes a centre. So centres are at least `radius` apart, and adding rows in pieces gives the
/// bits of adding them at once.
class Cover {
 public:
  /// No rows yet. The kernel must be radial with all its parameters: it serves to tell distances in
  /// feature space. `columns` are those of the rows. `input` is applied to them and kept for the
  /// model.
  Cover(const Kernel& kernel, std::size_t columns, double radius, InputMaps input = {});
  ~Cover();
  Cover(const Cover&);
  Cover(Cover&&) noexcept;
  Cover& operator=(const Cover&);
  Cover& operator=(Cover&&) noexcept;

  /// Rows as they come from a file, before the input maps. Bad points change nothing; a source that
  /// throws, or a cancelled run, leaves the rows of all finished blocks in the cover.
  void add(MatrixView<const double> points, std::span<const double> weights = {},
           const RunOptions& run = {});
  void add(RowSource& rows, const RunOptions& run = {});

  /// The centres of the other cover, by their weights, are added as if they were rows. Its rows may
  /// then be as far from their centre as both radii together: `reach` says so. Two covers with half
  /// the radius each therefore merge into one whose reach is the whole. Any number of covers may be
  /// merged into one without a further loss. Throws InvalidArgument, saying what differs.
  void merge(const Cover& other, const RunOptions& run = {});

  /// The same centres without rows: adding the rows once more assigns them anew and opens centres
  /// where none is near, which brings the reach of a merged cover back to its radius.
  Cover emptied() const;

  double radius() const;
  /// Every row is nearer than this to the centre that stands for it.
  double reach() const;
  std::size_t centers() const;
  std::uint64_t rows() const;
  double total_weight() const;
  const Kernel& kernel() const;
  const InputMaps& input() const;

  /// Centres that have rows, with their weights.
  WeightedSet set() const;
  /// Kernel PCA of the centres; of the options, the reduction and the weights do not count.
  Fit finish(const ReducedSetOptions& options = {}, const RunOptions& run = {}) const;

  /// A container file of kind "cover".
  void save(const std::filesystem::path& path) const;
  static Cover load(const std::filesystem::path& path);

 private:
  struct State;
  explicit Cover(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace mercer
