#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <mercer/input.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "model/container.h"

namespace mercer::model {

/// The numbers of a LandmarkPart: sums over rows about `shift`, which belong to the landmarks.
struct PartNumbers {
  Kernel kernel;
  InputMaps input;
  Matrix<double> library;
  std::vector<double> shift;
  std::vector<double> sum;
  std::vector<double> triangle;  ///< lower triangle of the scatter, row by row
  double weight = 0;
  std::uint64_t rows = 0;
  double trace = 0;
  std::uint64_t kernel_evaluations = 0;
  bool of_coordinates = false;  ///< sums of L^-1 k_C(x) instead of k_C(x)
};

/// Throws FileError, and InvalidArgument for custom kernels, whose function no file can hold.
void write_part(const std::filesystem::path& path, const PartNumbers& part);
/// Throws FileError on whatever does not fit together.
PartNumbers read_part(const std::filesystem::path& path);
/// The same from a checked container; `file` is for messages.
PartNumbers part_from_container(Container container, const std::string& file);

}  // namespace mercer::model
