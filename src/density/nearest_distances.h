#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"

namespace mercer::density {

/// Squared distance of every row to the nearest of the rows chosen so far, for rules that choose
/// one row after the other. In units of squaring_scale(points)^-2: only ratios have a meaning.
class NearestDistances {
 public:
  /// `points` are finite and must stay.
  explicit NearestDistances(MatrixView<const double> points);

  /// Chooses one more row. At most O(n d); rows that the triangle inequality keeps with their
  /// nearest one are not read.
  void choose(std::size_t row, engine::Workers& workers);

  /// Infinite before the first choice.
  std::span<const double> values() const { return values_; }

 private:
  MatrixView<const double> points_;
  double scale_;
  std::vector<std::size_t> chosen_;
  std::vector<double> values_;
  std::vector<std::size_t> nearest_;  ///< position in `chosen_` of each row's nearest
};

}  // namespace mercer::density
