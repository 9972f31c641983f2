#include "engine/kernel_matrix.h"

#include <vector>

#include <gtest/gtest.h>

#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::largest_difference;
using testing::normal_matrix;

TEST(KernelMatrix, EqualsTheFormula) {
  Workers workers(RunOptions{.threads = 2});
  const auto a = normal_matrix(210, 5, 1);
  const auto b = normal_matrix(50, 5, 2);
  EXPECT_LT(largest_difference(kernel_matrix(Matern52{1.0}, a, b, workers),
                               reference::kernel_matrix(Matern52{1.0}, a, b)),
            1e-13);
}

// The middle of the points, not their mean, is taken off: one row far away must not cost the others
// their digits.
TEST(KernelMatrix, AnOutlierLeavesTheOtherValuesAlone) {
  auto points = normal_matrix(200, 3, 4);
  points(0, 0) = 1e10;
  Workers workers{RunOptions{.threads = 1}};
  for (const Kernel& kernel : std::vector<Kernel>{Gaussian{.gamma = 0.1}, Matern52{.length = 2}}) {
    const auto values = kernel_matrix(kernel, points, points, workers);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < 200; ++j) {
        if (i + j == 0) continue;  // the outlier with itself: no digit of its distance is left
        EXPECT_NEAR(values(i, j), kernel_value(kernel, points.row(i), points.row(j)), 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace mercer::engine
