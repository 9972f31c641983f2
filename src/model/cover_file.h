#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "model/container.h"

namespace mercer::model {

/// The numbers of a Cover: centres, their weights, and sums over the rows of how far they are from
/// their centres.
struct CoverNumbers {
  Kernel kernel;
  InputMaps input;
  std::size_t columns = 0;
  Matrix<double> centres;
  std::vector<double> weights;
  double radius = 0;
  double reach = 0;
  std::uint64_t rows = 0;
  double weight = 0;
  double squared_distance = 0;
  double feature_distance = 0;
  double operator_distance = 0;
};

/// Throws FileError.
void write_cover(const std::filesystem::path& path, const CoverNumbers& cover);
/// Throws FileError on whatever does not fit together.
CoverNumbers read_cover(const std::filesystem::path& path);
/// The same from a checked container; `file` is for messages.
CoverNumbers cover_from_container(Container container, const std::string& file);

}  // namespace mercer::model
