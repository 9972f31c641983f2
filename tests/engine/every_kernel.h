#pragma once

#include <string>
#include <vector>

#include <mercer/kernel.h>

namespace mercer::testing {

/// One of each kernel with a formula, with parameters that give varied values on data of size 1.
inline std::vector<Kernel> every_kernel() {
  return {Gaussian{0.3},
          Laplacian{0.4},
          LaplacianL1{0.2},
          Matern32{1.5},
          Matern52{2.0},
          RationalQuadratic{1.2, 0.7},
          Polynomial{.gamma = 0.2, .degree = 3, .coef0 = 0.5},
          Linear{},
          Cosine{},
          Sigmoid{.gamma = 0.1, .coef0 = -0.2},
          Chi2{},
          ExponentialChi2{0.8}};
}

}  // namespace mercer::testing
