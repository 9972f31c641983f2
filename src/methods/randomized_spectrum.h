#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mercer/matrix.h>
#include <mercer/randomized.h>

#include "engine/parallel.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"

namespace mercer::methods {

/// Largest eigenpairs of a random kernel matrix.
struct RandomizedSpectrum {
  std::vector<double> values{};  ///< descending, more than are kept where there are more
  Matrix<double> vectors{};      ///< n x values, orthonormal columns
  std::size_t kept = 0;          ///< as many as were asked for and are above rounding noise
  double residual = 0;           ///< largest |A u - lambda u| / lambda_1 of those kept
  bool converged = true;
  std::size_t products = 0;
  std::string solver{};
};

/// `extra` pairs are found beyond those kept: the first shows the gap below them.
RandomizedSpectrum randomized_spectrum(CenteredGram& a, const ComponentChoice& choice,
                                       const RandomizedOptions& options, std::size_t extra,
                                       std::uint64_t seed, double memory_limit_bytes,
                                       engine::Workers& workers);

/// Bytes of the solver for so many components (a first guess where their number is open).
double randomized_spectrum_bytes(std::size_t n, std::size_t count,
                                 const RandomizedOptions& options);

}  // namespace mercer::methods
