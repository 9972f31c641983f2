#pragma once

#include <optional>
#include <vector>

#include "distance/distance_map.h"
#include "engine/parallel.h"

namespace mercer::distance {

/// Errors of the estimates of items of the sample that are no landmarks, each by the map that
/// leaves it out: in closed form, residual / (1 - leverage) (Allen's PRESS).
struct LeaveOneOut {
  /// Of each item: root mean square of the error of its squared distance; empty where no item could
  /// be left out.
  std::vector<double> sigma{};
  /// Mean of |error| / d^2 over the pairs with d > 0; nothing where there are none.
  std::optional<double> relative_error{};
  double mean_square = 0;  ///< of the errors, over all pairs
};
LeaveOneOut leave_one_out(const TrainingSquares& training, const AffineMap& map,
                          engine::Workers& workers);

}  // namespace mercer::distance
