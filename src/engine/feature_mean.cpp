#include "engine/feature_mean.h"

#include <algorithm>
#include <numeric>

namespace mercer::engine {

std::vector<double> FeatureMean::offsets() const {
  std::vector<double> offsets(products);
  for (double& value : offsets) value -= norm2 / 2;
  return offsets;
}

FeatureMean feature_mean(KernelOperator& gram, std::span<const double> weights, Workers& workers) {
  const std::size_t n = gram.size();
  std::vector<double> shares(n, 1.0);
  std::ranges::copy(weights, shares.begin());
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= total;
  FeatureMean mean{.products = std::vector<double>(n)};
  gram.multiply(shares, mean.products, workers);
  mean.norm2 = std::inner_product(shares.begin(), shares.end(), mean.products.begin(), 0.0);
  return mean;
}

}  // namespace mercer::engine
