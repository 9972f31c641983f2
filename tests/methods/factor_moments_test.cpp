#include "methods/factor_moments.h"

#include <gtest/gtest.h>

#include "numbers.h"

namespace mercer::methods {
namespace {

TEST(FactorMoments, FollowTheDefinitionFarFromTheOrigin) {
  const auto rows = testing::normal_matrix(2500, 21, 1, 1e-3, 1000);
  std::vector<double> weights(2500);
  for (std::size_t i = 0; i < 2500; ++i) weights[i] = 1 + static_cast<double>(i % 3);
  engine::Workers workers{{.threads = 2}};
  for (const auto& given : {std::vector<double>{}, weights}) {
    const auto moments = factor_moments(rows, given, workers);
    double total = 0;
    std::vector<double> mean(21, 0.0);
    for (std::size_t i = 0; i < 2500; ++i) {
      const double weight = given.empty() ? 1 : given[i];
      total += weight;
      for (std::size_t j = 0; j < 21; ++j) mean[j] += weight * (rows(i, j) - 1000);
    }
    Matrix<double> scatter(21, 21);
    for (std::size_t i = 0; i < 2500; ++i) {
      const double weight = given.empty() ? 1 : given[i];
      for (std::size_t j = 0; j < 21; ++j) {
        for (std::size_t l = 0; l < 21; ++l) {
          scatter(j, l) += weight * (rows(i, j) - 1000 - mean[j] / total) *
                           (rows(i, l) - 1000 - mean[l] / total);
        }
      }
    }
    EXPECT_DOUBLE_EQ(moments.weight(), total);
    // Scatter 2.5e-3 of rows of size 1000: sums about the origin would have lost all digits.
    EXPECT_LT(testing::largest_difference(moments.scatter(), scatter), 1e-12);
  }
}

}  // namespace
}  // namespace mercer::methods
