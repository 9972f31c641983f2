#include "engine/feature_mean.h"

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

TEST(FeatureMean, IsTheWeightedMeanOfRows) {
  Workers workers(RunOptions{.threads = 2});
  const auto points = testing::normal_matrix(120, 2, 4);
  const Kernel kernel = Gaussian{0.3};
  const auto k = reference::kernel_matrix(kernel, points, points);
  std::vector<double> weights(120);
  for (std::size_t i = 0; i < 120; ++i) weights[i] = static_cast<double>(1 + i % 3);
  for (const bool weighted : {false, true}) {
    const auto gram = make_gram(kernel, points, {}, workers);
    const FeatureMean mean =
        feature_mean(*gram, weighted ? weights : std::vector<double>{}, workers);
    double total = 0;
    double sum = 0;
    for (std::size_t i = 0; i < 120; ++i) {
      double row = 0;
      double row_weight = 0;
      for (std::size_t j = 0; j < 120; ++j) {
        row += (weighted ? weights[j] : 1) * k(i, j);
        row_weight += weighted ? weights[j] : 1;
      }
      EXPECT_NEAR(mean.products[i], row / row_weight, 1e-14);
      sum += (weighted ? weights[i] : 1) * row / row_weight;
      total += weighted ? weights[i] : 1;
    }
    EXPECT_NEAR(mean.norm2, sum / total, 1e-14);
    // Centred rows sum to 0.
    const auto a = mean.offsets();
    for (std::size_t i = 0; i < 120; ++i) {
      double left = 0;
      for (std::size_t j = 0; j < 120; ++j) {
        left += (weighted ? weights[j] : 1) * (k(i, j) - a[i] - a[j]);
      }
      EXPECT_NEAR(left, 0, 1e-11);
    }
  }
}

}  // namespace
}  // namespace mercer::engine
