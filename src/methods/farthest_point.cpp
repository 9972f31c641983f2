#include "methods/farthest_point.h"

#include <algorithm>

#include "density/nearest_distances.h"

namespace mercer::methods {

std::vector<std::size_t> farthest_points(MatrixView<const double> points, std::size_t m,
                                         const engine::RandomStream& stream,
                                         engine::Workers& workers) {
  std::vector<std::size_t> chosen;
  if (points.rows() == 0) return chosen;
  density::NearestDistances nearest(points);
  std::size_t next = stream.below(0, points.rows());
  while (chosen.size() < m && nearest.values()[next] > 0) {
    chosen.push_back(next);
    nearest.choose(next, workers);
    const auto farthest = std::ranges::max_element(nearest.values());
    next = static_cast<std::size_t>(farthest - nearest.values().begin());
  }
  return chosen;
}

}  // namespace mercer::methods
