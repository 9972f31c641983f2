#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <mercer/data.h>
#include <mercer/matrix.h>
#include <mercer/summary.h>

namespace mercer::cli {

/// Two components of some rows.
struct PlotScatter {
  std::array<std::size_t, 2> components{};  ///< 0-based columns of `scores`
  Matrix<double> scores;
  Labels labels;                ///< of these rows; empty: none
  std::size_t rows_of_all = 0;  ///< how many rows these were drawn from
};

/// Components over a plane.
struct PlotContours {
  std::array<std::string, 2> axes;
  std::array<double, 2> low{};
  std::array<double, 2> high{};
  std::size_t side = 0;   ///< of the grid
  Matrix<double> values;  ///< a row for each node, the first coordinate fastest
  std::size_t components = 0;
  Matrix<double> points;  ///< to be drawn on top
};

struct Plot {
  std::string title;
  Summary summary;
  std::optional<PlotScatter> scatter;
  std::optional<PlotContours> contours;
};

/// One HTML file with the charts, and everything they need.
std::string plot_page(const Plot& plot);

}  // namespace mercer::cli
