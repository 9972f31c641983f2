#include "engine/row_groups.h"

#include <algorithm>
#include <cmath>

namespace mercer::engine {

std::vector<RowGroup> row_groups(std::size_t rows) {
  const std::size_t count =
      std::clamp<std::size_t>(rows / 8, std::min<std::size_t>(rows, 8), kMostRowGroups);
  std::vector<RowGroup> groups;
  std::size_t begin = 0;
  for (std::size_t g = 1; g <= count && begin < rows; ++g) {
    const double share = std::sqrt(static_cast<double>(g) / static_cast<double>(count));
    auto end = static_cast<std::size_t>(std::llround(share * static_cast<double>(rows)));
    end = g == count ? rows : std::max(end, begin + 1);
    groups.push_back({begin, std::min(end, rows)});
    begin = groups.back().end;
  }
  return groups;
}

}  // namespace mercer::engine
