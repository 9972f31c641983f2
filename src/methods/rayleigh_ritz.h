#pragma once

#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "methods/centered_gram.h"

namespace mercer::methods {

/// Components in the span of given ones, and the variances that they explain.
struct RitzComponents {
  std::vector<double> values;   ///< descending; lower bounds of the exact eigenvalues
  Matrix<double> coefficients;  ///< n x values: unit-norm, orthogonal components in feature space
};

/// Kernel PCA restricted to combinations of the n-vectors V: among the directions F^T H V c of
/// feature space (F the points there, H centring, or 1 where `a` is not centred) those of largest
/// variance, one after the other. There are no weights.
///
///   Kc = H F F^T H;  W = Kc V;  V^T W = Q a Q^T;  T = Q a^-1/2;  (W T)^T (W T) = C lambda C^T
///   coefficients H V T C: unit norm, since T^T V^T Kc V T = I; scores W T C of squared norm lambda
///
/// Directions with a below the noise of the kernel values are left out. `v` is padded for products
/// and overwritten. Cost: a product with the kernel matrix and 3 n p^2. Memory: n p beside `v`.
RitzComponents rayleigh_ritz(CenteredGram& a, Matrix<double> v, engine::Workers& workers);

}  // namespace mercer::methods
