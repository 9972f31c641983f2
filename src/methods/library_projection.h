#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/model.h>

#include "engine/parallel.h"
#include "methods/library_images.h"

namespace mercer::methods {

/// A model over some points of its library.
struct ProjectedModel {
  std::vector<std::size_t> rows;  ///< points that stay, in the order of choice
  Matrix<double> coefficients;
  std::vector<double> offset;
  std::vector<double> mean_coefficients;  ///< empty where the model has none
  bool limited_by_memory = false;         ///< more points would not have fitted
  std::uint64_t kernel_evaluations = 0;
};

/// As few points as leave a sum of squared errors of the scores over the library of at most
/// `squared_error`; all that are independent where even they leave more. Throws MemoryLimitError.
ProjectedModel project_on_subset(const Model& model, const LibraryImages& images,
                                 double squared_error, double memory_limit_bytes,
                                 engine::Workers& workers);

}  // namespace mercer::methods
