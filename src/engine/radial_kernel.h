#pragma once

#include <optional>

#include <mercer/kernel.h>

namespace mercer::engine {

/// A kernel of the Euclidean distance r alone, non-negative and falling with it, 1 at r = 0.
class RadialKernel {
 public:
  /// Nothing for kernels of another kind. Throws InvalidArgument when a parameter is missing.
  static std::optional<RadialKernel> of(const Kernel& kernel);

  double value(double r) const;
  /// The r with k(r) = value, for 0 < value <= 1.
  double distance(double value) const;
  /// How fast k falls with r^2, -dk/d(r^2), up to a constant factor: again a kernel. Nothing for a
  /// laplacian kernel, where it has no bound at r = 0.
  std::optional<Kernel> fall() const;
  /// The unit in which radii are given: 1/sqrt(gamma), 1/gamma or the length parameter.
  double length_scale() const { return length_scale_; }
  /// The largest slope |dk/dr|.
  double lipschitz() const { return lipschitz_; }

  // How far two points at distance r are from each other in feature space. Written in 1 - k, which
  // is computed without cancellation: distances far below the length scale keep their digits.

  /// 1 - k(r)
  double drop(double r) const;
  /// |phi(x) - phi(y)| = sqrt(2 (1 - k))
  double feature_distance(double r) const;
  /// |phi(x) phi(x)^T - phi(y) phi(y)^T| = sqrt(2 (1 - k^2)), Hilbert-Schmidt
  double operator_distance(double r) const;

 private:
  RadialKernel() = default;

  Kernel kernel_;
  double length_scale_ = 0;
  double lipschitz_ = 0;
};

}  // namespace mercer::engine
