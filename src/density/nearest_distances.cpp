#include "density/nearest_distances.h"

#include <algorithm>
#include <limits>

#include "density/squared_distance.h"

namespace mercer::density {

namespace {

constexpr std::size_t kChunkRows = 2048;

/// |c - a| >= 2 |x - a| implies |x - c| >= |x - a|: 4 between squares, and a little more than the
/// rounding of squared distances.
constexpr double kOutOfReach = 4 * (1 + 1e-6);

}  // namespace

NearestDistances::NearestDistances(MatrixView<const double> points)
    : points_(points),
      scale_(squaring_scale(points)),
      values_(points.rows(), std::numeric_limits<double>::infinity()),
      nearest_(points.rows(), 0) {}

void NearestDistances::choose(std::size_t row, engine::Workers& workers) {
  const auto choice = points_.row(row);
  const std::size_t position = chosen_.size();
  chosen_.push_back(row);
  std::vector<double> between(chosen_.size());
  std::ranges::transform(chosen_, between.begin(), [&](std::size_t other) {
    return squared_distance(points_.row(other), choice, scale_);
  });
  workers.for_each((points_.rows() + kChunkRows - 1) / kChunkRows, [&](std::size_t chunk) {
    const std::size_t end = std::min(points_.rows(), (chunk + 1) * kChunkRows);
    for (std::size_t i = chunk * kChunkRows; i < end; ++i) {
      if (between[nearest_[i]] >= kOutOfReach * values_[i]) continue;
      const double distance = squared_distance(points_.row(i), choice, scale_);
      if (distance < values_[i]) {
        values_[i] = distance;
        nearest_[i] = position;
      }
    }
  });
}

}  // namespace mercer::density
