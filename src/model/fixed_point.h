#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/preimage.h>

#include "engine/kernel_points.h"
#include "engine/radial_kernel.h"

namespace mercer::model {

/// Pre-images as weighted means of the library. The image of z is nearest to sum_j gamma_j phi(c_j)
/// where the gradient of sum_j gamma_j k(z, c_j) vanishes, and with k a function of r^2 that is
///     z = sum_j w_j c_j / sum_j w_j,    w_j = gamma_j k'(|z - c_j|^2),
/// k' being k itself for a Gaussian kernel.
class FixedPoint {
 public:
  /// The kernel has a `fall`; `library` must stay.
  FixedPoint(const engine::RadialKernel& kernel, MatrixView<const double> library,
             const PreimageOptions& options);

  enum class Outcome {
    converged,
    not_converged,
    cancelled,  ///< the weights cancel (sum w_j <= 1e-3 sum |w_j|), so their mean says nothing
  };
  struct Iterations {
    Outcome outcome = Outcome::not_converged;
    std::size_t count = 0;
  };

  /// Mika's iteration for at most kBlock points, from the rows of z, which become the results:
  /// S. Mika et al., "Kernel PCA and de-noising in feature spaces", NIPS 1998. 2 s d multiply-adds
  /// and s kernel values for a step of a point.
  std::vector<Iterations> iterate(MatrixView<const double> gamma, MatrixView<double> z) const;

  /// One step with <P phi, phi(c_j)> in the place of k(z, c_j): Y. Rathi, S. Dambreville, A.
  /// Tannenbaum, "Statistical shape analysis using kernel PCA", SPIE 2006. False, without a result,
  /// when the weights cancel.
  bool one_step(std::span<const double> gamma, std::span<const double> products,
                std::span<double> z) const;

 private:
  /// The mean of what is summed in a row of [sum w (c - middle), sum w]; false when it cancels.
  bool weighted_mean(std::span<const double> sums, double magnitude, std::span<double> mean) const;

  const engine::RadialKernel& kernel_;
  Kernel fall_;
  engine::RadialKernel fall_profile_;
  PreimageOptions options_;
  std::vector<double> middle_;
  engine::KernelPoints<double> library_;  // for the kernel k'
  Matrix<double> targets_;                // [c_j - middle, 1], padded
  double spread_ = 0;                     // root mean square of |c_j - mean|
};

}  // namespace mercer::model
