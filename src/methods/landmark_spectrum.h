#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <mercer/matrix.h>

#include "engine/blas.h"
#include "engine/parallel.h"
#include "engine/statistics.h"
#include "methods/component_choice.h"

namespace mercer::methods {

/// The rows in orthonormal coordinates z(x) = L^-1 k_C(x) of the span of the landmarks C, known by
/// their mean and scatter (K_CC = L L^T). The first m' coordinates belong to the first m' landmarks
/// alone, so everything here is known for every smaller number of landmarks too.
class LandmarkSpectrum {
 public:
  /// From the moments of the kernel values k_C(x). `lower` is L; `trace` is sum w k(x, x). Only
  /// tile and products are spent on a row; the change of coordinates is made once, on the sums.
  LandmarkSpectrum(const engine::Moments& kernel_values, MatrixView<const double> lower,
                   double trace, bool center, engine::Workers& workers);
  /// From the moments of coordinates themselves.
  LandmarkSpectrum(const engine::Moments& coordinates, double trace, bool center);

  /// The same rows seen through the first `landmarks` alone.
  LandmarkSpectrum leading(std::size_t landmarks) const;

  std::size_t size() const { return mean_.size(); }
  double weight() const { return weight_; }
  double trace() const { return trace_; }
  const std::vector<double>& mean() const { return mean_; }

  /// tr(K - K') over the rows, by weight, with the first `landmarks` of them.
  double residual_trace(std::size_t landmarks) const;
  double residual_fraction(std::size_t landmarks) const;
  /// Upper end of the centred total: sum w k(x, x) - N |mean|^2 (without centring the trace
  /// itself).
  double total_upper() const;

  /// The `count` largest eigenpairs of the (centred) scatter in the first `landmarks` coordinates.
  engine::EigenPairs eigenpairs(std::size_t landmarks, std::size_t count, std::uint64_t seed,
                                engine::Workers& workers) const;

  /// Largest |S u - lambda u| / lambda_1 of eigenpairs in all coordinates, one for each value.
  double residual(const engine::EigenPairs& pairs, engine::Workers& workers) const;

  /// Sine of the largest angle between the spaces that the `count` leading components span over the
  /// rows, with fewer and with more landmarks: about the error of the fewer. 1 when one of them has
  /// not so many components.
  double change(const engine::EigenPairs& fewer, const engine::EigenPairs& more, std::size_t count,
                engine::Workers& workers) const;

 private:
  LandmarkSpectrum() = default;
  void finish(Matrix<double> scatter, bool center);

  Matrix<double> scatter_;  // about the mean, or about 0 when not centred
  std::vector<double> mean_;
  std::vector<double> explained_;  // sum w z_j^2: what each landmark takes off the residual
  double weight_ = 0;
  double trace_ = 0;
  bool center_ = true;
};

/// How far the top components are from those of all rows, judged by halving the landmarks.
struct SubspaceError {
  double change = 1;    ///< between half of the landmarks and all: the error of the half
  double estimate = 1;  ///< of all of them, extrapolated from this change and the one before
};
/// Of these components, with all landmarks. Where the landmarks leave nothing but rounding of the
/// trace, that may still be much beside a small eigenvalue.
SubspaceError subspace_error(const LandmarkSpectrum& spectrum, const engine::EigenPairs& whole,
                             std::uint64_t seed, engine::Workers& workers);

/// Largest residual trace fraction that is rounding.
inline constexpr double kNegligibleFraction = 1e-9;

}  // namespace mercer::methods
