#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/landmarks.h>

#include "engine/parallel.h"
#include "engine/random.h"
#include "methods/landmark_set.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// Why no more landmarks were taken.
enum class LandmarkStop {
  count,
  rank,
  tolerance,
  subspace_tolerance,
  limit,
  proposals,  ///< a refinement drew too few
};

struct LandmarkChoice {
  LandmarkSet set;
  LandmarkStop stop = LandmarkStop::count;
  /// All that were chosen, dependent ones included, for evaluations that weigh them equally.
  Matrix<double> points;
  std::vector<double> weights;  ///< of these points where they are rows with weights; or empty
  /// Residual trace fraction over the rows chosen from, for choices by the partial factor, ...
  double in_sample_fraction = 0;
  double held_out_fraction = 0;  ///< ... over rows held out (or the same where there are none)
  std::uint64_t kernel_evaluations = 0;
  bool polished = false;
};

/// How many rows to choose from, by the options and the memory limit alone: whether the number of
/// rows is known beforehand must make no difference.
std::size_t landmark_sample_rows(const LandmarkOptions& options, std::size_t d,
                                 double memory_limit_bytes);

/// What the options mean for n rows.
struct LandmarkPlan {
  Selection selection = Selection::rpcholesky;
  std::optional<std::size_t> count;  ///< fixed number of landmarks
  std::optional<double> tolerance;
  std::optional<double> subspace_tolerance;
  std::size_t most = 0;        ///< landmarks that limits allow
  std::size_t components = 0;  ///< whose space the subspace tolerance speaks of
  const char* remedy = "raise max_landmarks or subspace_tolerance";  ///< when it is missed
};

/// Throws MemoryLimitError.
LandmarkPlan plan_landmarks(std::size_t n, const LandmarkOptions& options,
                            double memory_limit_bytes);

LandmarkChoice choose_landmarks(const Kernel& kernel, const Samples& samples,
                                const LandmarkPlan& plan, const LandmarkOptions& options,
                                std::uint64_t seed, engine::Workers& workers);

/// Randomly pivoted Cholesky goes on, up to `count` landmarks, with proposals drawn from the
/// residuals of all rows, in one pass (reservoir of proposals, then rejection): for choices from a
/// sample that missed what is rare. O(n m^2) flops.
LandmarkSet refine_landmarks(const Kernel& kernel, const LandmarkSet& set, std::size_t count,
                             TrainingRows& data, const engine::RandomStream& stream,
                             engine::Workers& workers);

}  // namespace mercer::methods
