#pragma once

#include <span>
#include <vector>

#include "engine/gram.h"
#include "engine/parallel.h"

namespace mercer::engine {

/// The mean in feature space as the points see it. Kernel values about it are k_ij - a_i - a_j with
/// a_i = products_i - norm2 / 2.
struct FeatureMean {
  std::vector<double> products;  ///< <phi(x_i), mean>: the means of the rows of K
  double norm2 = 0;              ///< |mean|^2

  std::vector<double> offsets() const;
};
/// By weight; `weights` may be empty. One product.
FeatureMean feature_mean(KernelOperator& gram, std::span<const double> weights, Workers& workers);

}  // namespace mercer::engine
