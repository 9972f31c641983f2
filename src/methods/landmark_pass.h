#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mercer/kernel.h>
#include <mercer/precision.h>

#include "engine/parallel.h"
#include "engine/statistics.h"
#include "methods/landmark_set.h"
#include "methods/landmark_spectrum.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// What one pass over rows leaves of them: moments of their kernel values with the landmarks, and
/// sum w k(x, x). Sums about the row means of the landmarks' own kernel matrix, so that they depend
/// on the landmarks alone and parts of the data add up.
struct LandmarkSums {
  engine::Moments moments;
  double trace = 0;
  std::uint64_t kernel_evaluations = 0;
  /// The moments are of the coordinates z(x) = L^-1 k_C(x) instead. Changing coordinates after the
  /// pass halves the work, but blows up the rounding of the sums by the inverse of the smallest
  /// eigenvalue e of K_mm; changing them row by row, only by its root. So raw kernel values are
  /// summed as long as 2^-53 k(x, x) / e stays below 1e-9. It depends on the landmarks alone.
  bool of_coordinates = false;
  double smallest_eigenvalue = 0;  ///< of K_mm, to a few per cent
};

/// No rows yet.
LandmarkSums landmark_sums(const LandmarkSet& set);

/// About what rounding takes off eigenvalues where the mean lies far from the point that sums are
/// taken about, as a row with nearly all the weight can make it.
double lost_to_rounding(const LandmarkSums& sums);

/// Which arithmetic the pass uses.
struct PassPrecision {
  bool float_values = false;    ///< kernel values in single precision
  bool float_products = false;  ///< and their products too, summed over few rows at a time
  std::string reason{};
};

/// Whether single precision is safe for `components` components, judged on a sample of the rows:
/// rounding noise of the scatter, blown up by the inverse of the landmarks' kernel matrix, against
/// the smallest eigenvalue wanted.
PassPrecision choose_precision(Precision asked, const Kernel& kernel, const LandmarkSet& set,
                               const RowSample& sample, std::size_t components, bool center,
                               std::uint64_t seed, engine::Workers& workers);

/// Scatter and mean in landmark coordinates, whatever was summed.
LandmarkSpectrum spectrum_of(const LandmarkSums& sums, const LandmarkSet& set, bool center,
                             engine::Workers& workers);

/// Adds every row of the data. n m (d + m) flops.
void add_rows(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set, TrainingRows& data,
              const PassPrecision& precision, engine::Workers& workers);

}  // namespace mercer::methods
