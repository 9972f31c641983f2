#pragma once

#include <cstdint>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/model.h>

#include "engine/parallel.h"

namespace mercer::methods {

/// What a model computes of its own library, from one pass over the kernel values of the points
/// with each other.
struct LibraryImages {
  Matrix<double> values;             ///< K B, s x k: the scores without the offset
  Matrix<double> targets;            ///< K [B, nu]; without nu where the model has no mean
  std::vector<double> kernel_means;  ///< mean over the points of k(c_i, .), for every i
  std::vector<double> means;         ///< of the columns of `values`
  std::vector<double> energies;      ///< sum of the squared scores of every component
  std::uint64_t kernel_evaluations = 0;
};

LibraryImages library_images(const Model& model, engine::Workers& workers);

}  // namespace mercer::methods
