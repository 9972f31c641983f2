#pragma once

#include <cmath>
#include <vector>

#include <mercer/distance.h>

namespace mercer::testing {

/// Every distance of two rows, for data in [0, 1).
inline std::vector<Distance> every_distance() {
  return {EuclideanDistance{},
          HammingDistance{.threshold = 0.4},
          L1Distance{},
          Chi2Distance{},
          HellingerDistance{},
          JensenShannonDistance{},
          CosineDistance{},
          JaccardDistance{.threshold = 0.6},
          KernelDistance{Gaussian{.gamma = 0.3}},
          KernelDistance{Polynomial{.gamma = 0.1}},
          CustomDistance{.squared =
                             [](std::span<const double> x, std::span<const double> y) {
                               double largest = 0;
                               for (std::size_t j = 0; j < x.size(); ++j) {
                                 largest = std::max(largest, std::abs(x[j] - y[j]));
                               }
                               return largest;
                             },
                         .name = "chebyshev"}};
}

}  // namespace mercer::testing
