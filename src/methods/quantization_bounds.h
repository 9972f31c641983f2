#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/reduction.h>
#include <mercer/summary.h>

#include "engine/parallel.h"
#include "engine/radial_kernel.h"

namespace mercer::methods {

/// Upper bounds on what a reduction changes, between means and covariance operators of the rows and
/// of the centres, all divided by the weight of the rows.
struct OperatorBounds {
  std::optional<double> mmd;
  std::optional<double> hilbert_schmidt;
  /// |K - K'|_F / n of the kernel matrices of the rows and of the same rows moved to their centres.
  std::optional<double> gram;

  /// Between the centred operators C - mu mu^T: |mu mu^T - nu nu^T| <= (|mu| + |nu|) |mu - nu|,
  /// with norms of at most 1.
  std::optional<double> centered_hilbert_schmidt() const;
  /// Of the root of the summed squares of all differences of eigenvalues (Hoffman & Wielandt), by
  /// the operators or by the kernel matrices, whose difference centring can only make smaller.
  std::optional<double> eigenvalues(bool centered) const;
};

/// From the radius alone (theorems 5.1 to 5.3 of Kingravi, Vela & Gray 2013; the operators by the
/// sharper sqrt(2 (1 - k^2))).
OperatorBounds bounds_of_radius(const engine::RadialKernel& kernel, double radius);

/// The theorem as the paper prints it, 2 sqrt(2 (1 - k)): larger by a factor of at least sqrt(2).
double paper_hilbert_schmidt(const engine::RadialKernel& kernel, double radius);

/// From how far the rows really are from their centres.
OperatorBounds bounds_of_rows(const engine::RadialKernel& kernel, const Quantization& quantization);

/// Bounds that are still proven when the weights of `centres` centres were chosen anew: the
/// first-come weights are among those the optimum was chosen from, up to the ridge of the least
/// squares, which is 1e-9 for every centre.
OperatorBounds proven_for(CenterWeights weights, std::size_t centres, OperatorBounds bounds);

/// Theorem 5.4: |P - P'| <= b / delta, 2 delta being the gap below the kept eigenvalues of the
/// exact operator, where b < delta / 2. Only the eigenvalues of the centres are known, each within
/// b, so the gap is taken smaller by 2 b. Nothing when the gap is too small.
std::optional<double> projection_bound(double b, double last_kept, double next);

/// Distances as they are, from n^2 kernel values: of the means (power 1) or of the operators
/// (power 2: the kernel's square is the kernel of the operators).
double measured_distance(const Kernel& kernel, MatrixView<const double> points,
                         std::span<const double> weights, const WeightedSet& set, int power,
                         engine::Workers& workers);

}  // namespace mercer::methods
