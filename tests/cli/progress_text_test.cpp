#include "cli/progress_text.h"

#include <gtest/gtest.h>

namespace mercer::cli {
namespace {

TEST(ProgressText, PassesShowRowsRateAndTimeLeft) {
  const Progress pass{.phase = "pass", .rows_done = 1'200'000, .rows_total = 5'000'000};
  EXPECT_EQ(row_progress_text(pass, 0.5714), "pass 1.2M of 5.0M rows, 2.1M rows/s, 2 s left");
}

TEST(ProgressText, WithoutATotalThereIsNoTimeLeft) {
  EXPECT_EQ(row_progress_text({.phase = "sample", .rows_done = 40'960}, 2),
            "sample 41.0k rows, 20.5k rows/s");
}

TEST(ProgressText, WithoutATimeThereIsNoRate) {
  EXPECT_EQ(row_progress_text({.phase = "pass", .rows_total = 300}, 0), "pass 0 of 300 rows");
  EXPECT_EQ(row_progress_text({.phase = "pass", .rows_total = 300}, 2), "pass 0 of 300 rows");
  EXPECT_EQ(row_progress_text({.phase = "pass", .rows_done = 9, .rows_total = 300}, 0),
            "pass 9 of 300 rows");
}

TEST(ProgressText, UnitsChangeWhereTheNumbersWouldGrowTooLong) {
  const auto text = [](std::uint64_t rows) {
    return row_progress_text({.phase = "p", .rows_done = rows}, 0);
  };
  EXPECT_EQ(text(999), "p 999 rows");
  EXPECT_EQ(text(1000), "p 1.0k rows");
  EXPECT_EQ(text(999'949), "p 999.9k rows");
  EXPECT_EQ(text(999'999), "p 1.0M rows");
  EXPECT_EQ(text(3'000'000'000'000), "p 3000.0G rows");
  const auto left = [](double seconds) {
    return row_progress_text({.phase = "p", .rows_done = 1, .rows_total = 2}, seconds);
  };
  EXPECT_NE(left(90).find(", 90 s left"), std::string::npos);
  EXPECT_NE(left(600).find(", 10 min left"), std::string::npos);
  EXPECT_NE(left(9000).find(", 2.5 h left"), std::string::npos);
}

TEST(ProgressText, BarsFillFromTheLeft) {
  EXPECT_EQ(bar_text({.phase = "gram", .fraction = 0.5}),
            "gram           [###############...............]  50 %");
  EXPECT_EQ(bar_text({.phase = "gram", .fraction = 7}),
            "gram           [##############################] 100 %");
}

}  // namespace
}  // namespace mercer::cli
