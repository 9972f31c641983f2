#include "engine/row_groups.h"

#include <gtest/gtest.h>

namespace mercer::engine {
namespace {

TEST(RowGroups, CoverTheRowsInOrderWithoutGaps) {
  for (std::size_t rows = 0; rows < 600; ++rows) {
    const auto groups = row_groups(rows);
    EXPECT_LE(groups.size(), kMostRowGroups);
    std::size_t next = 0;
    for (const RowGroup& group : groups) {
      EXPECT_EQ(group.begin, next);
      EXPECT_GT(group.end, group.begin);
      next = group.end;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(RowGroups, HaveAboutEqualAreas) {
  const std::size_t rows = 1000;
  const auto groups = row_groups(rows);
  const double share = 0.5 * rows * (rows + 1) / static_cast<double>(groups.size());
  for (const RowGroup& group : groups) {
    double area = 0;
    for (std::size_t i = group.begin; i < group.end; ++i) area += static_cast<double>(i + 1);
    EXPECT_NEAR(area / share, 1, 0.1);
  }
}

}  // namespace
}  // namespace mercer::engine
