#pragma once

#include <cstddef>
#include <string>

#include <mercer/data.h>
#include <mercer/matrix.h>

namespace mercer::cli {

struct ScatterOptions {
  std::size_t width = 72;  ///< characters inside the frame
  std::size_t height = 22;
  bool color = false;  ///< terminal colours for the classes
  std::string x_name = "component 1";
  std::string y_name = "component 2";
};

/// A picture of the first two columns made of characters. With labels every cell shows the class
/// that most of its points belong to and a legend names them; without, darker blocks mean more
/// points.
std::string scatter_plot(MatrixView<const double> points, const Labels& labels,
                         const ScatterOptions& options = {});

}  // namespace mercer::cli
