#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mercer/greedy.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/greedy_pivots.h"
#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random.h"
#include "methods/landmark_set.h"

namespace mercer::methods {

/// Mean of k(x, x), by weight; `weights` may be empty.
double mean_diagonal(const Kernel& kernel, MatrixView<const double> points,
                     std::span<const double> weights);

/// The options with their default target spelled out for rows with this mean of k(x, x).
LibraryOptions with_target(const LibraryOptions& options, double mean_diagonal);

/// Rows chosen one by one until they span all others well enough, with the partial Cholesky factor
/// of the kernel matrix that this leaves.
class GreedyLibrary {
 public:
  /// The first `given` rows are taken whatever the rule says, except those that depend on the ones
  /// before, and are no data themselves: what is chosen next and when to stop follows from the
  /// other rows. `weights` are of these and may be empty. Points must stay, weights need not.
  /// Throws InvalidArgument when k(x, x) is negative somewhere, MemoryLimitError when there is no
  /// room.
  GreedyLibrary(const Kernel& kernel, MatrixView<const double> points,
                std::span<const double> weights, std::size_t given, const LibraryOptions& options,
                const engine::RandomStream& stream, double memory_limit_bytes,
                engine::Workers& workers);

  GreedyLibrary(const GreedyLibrary&) = delete;
  GreedyLibrary& operator=(const GreedyLibrary&) = delete;

  /// Goes on to this many points, or as many as there are directions: without regard to the mean
  /// square, within the other limits.
  void grow_to(std::size_t size);

  /// Of all rows, the given ones first.
  const engine::PartialCholesky& factor() const { return factor_; }
  std::size_t size() const { return factor_.rank(); }
  engine::PivotStop stop() const { return stop_; }
  /// Stopped because more would not have fitted in memory.
  bool limited_by_memory() const { return limited_by_memory_; }
  LandmarkSet landmarks() const;
  /// sum w d and sum w k(x, x) over the rows that are data.
  double residual() const;
  double trace() const;
  double weight() const;
  std::uint64_t kernel_evaluations() const;

  /// Why there are no more, for people.
  std::string reason() const;

 private:
  void grow(std::size_t size, double mse);
  void make_rule(const Kernel& kernel, const engine::RandomStream& stream,
                 double memory_limit_bytes, engine::Workers& workers);
  double sum(std::span<const double> values) const;

  MatrixView<const double> points_;
  std::vector<double> weights_;  // of all rows, 0 for given ones; empty: 1 each
  engine::PartialCholesky factor_;
  LibraryOptions options_;
  std::size_t most_;  // pivots that the options allow
  std::function<bool(std::size_t rank)> rule_;
  std::unique_ptr<engine::BestPivots> best_;  // counts kernel values of its own
  engine::PivotStop stop_ = engine::PivotStop::count;
  bool limited_by_memory_ = false;
};

}  // namespace mercer::methods
