#include "cli/scatter_plot.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace mercer::cli {
namespace {

constexpr ScatterOptions kSmall{.width = 10, .height = 4};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Matrix<double> corners() {
  Matrix<double> points(2, 2);
  points(0, 0) = -1;
  points(0, 1) = -10;
  points(1, 0) = 3;
  points(1, 1) = 20;
  return points;
}

TEST(ScatterPlot, PutsTheExtremesIntoTheCorners) {
  const Labels labels{.code = {0, 1}, .names = {"low", "high"}};
  const auto lines = lines_of(scatter_plot(corners(), labels, kSmall));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0], "  ┌──────────┐ 20");
  EXPECT_EQ(lines[1], "  │         x│");
  EXPECT_EQ(lines[4], "  │o         │");
  EXPECT_EQ(lines[5], "  └──────────┘ -10");
  EXPECT_EQ(lines[7], "  o low x high");
}

TEST(ScatterPlot, WithoutLabelsDarkerMeansMore) {
  Matrix<double> points(101, 2);
  points(100, 0) = points(100, 1) = 1;
  const std::string text = scatter_plot(points, {}, kSmall);
  EXPECT_NE(text.find("█"), std::string::npos);
  EXPECT_NE(text.find("░"), std::string::npos);
}

TEST(ScatterPlot, ColorsOnlyWhenAsked) {
  const Labels labels{.code = {0, 1}, .names = {"a", "b"}};
  EXPECT_EQ(scatter_plot(corners(), labels, kSmall).find('\x1b'), std::string::npos);
  ScatterOptions colored = kSmall;
  colored.color = true;
  EXPECT_NE(scatter_plot(corners(), labels, colored).find("\x1b[34mo\x1b[0m"), std::string::npos);
}

TEST(ScatterPlot, SurvivesOddData) {
  EXPECT_EQ(scatter_plot(Matrix<double>(0, 2), {}), "(nothing to draw)\n");
  EXPECT_EQ(scatter_plot(Matrix<double>(5, 1), {}), "(nothing to draw)\n");
  EXPECT_NE(scatter_plot(Matrix<double>(5, 2), {}, kSmall).find("█"), std::string::npos)
      << "all points equal";
  Matrix<double> huge = corners();
  huge(0, 0) = -std::numeric_limits<double>::max();
  huge(1, 0) = std::numeric_limits<double>::max();
  const Labels labels{.code = {0, 1}, .names = {"a", "b"}};
  EXPECT_EQ(lines_of(scatter_plot(huge, labels, kSmall))[1], "  │         x│");
}

}  // namespace
}  // namespace mercer::cli
