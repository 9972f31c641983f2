#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "numbers.h"

namespace mercer {
namespace {

TEST(NystromProjection, WithAllItemsItGivesBackTheDistances) {
  const auto bits = testing::normal_matrix(12, 40, 1);
  const HammingDistance distance{.threshold = 0};
  const auto squares = squared_distances(distance, bits, bits);
  std::vector<std::size_t> all(12);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const auto inverse : {NystromInverse::printed, NystromInverse::pseudo_inverse}) {
    const auto estimates = nystrom_estimates(squares, all, squares, 5, inverse);
    EXPECT_LT(testing::largest_difference(estimates, squares), 1e-9);
  }
}

TEST(NystromProjection, RefusesWhatDoesNotFitTogether) {
  const Matrix<double> squares(3, 3);
  EXPECT_THROW(nystrom_estimates(squares, {}, squares, 1, NystromInverse::printed),
               InvalidArgument);
  const std::vector<std::size_t> outside{3};
  EXPECT_THROW(nystrom_estimates(squares, outside, squares, 1, NystromInverse::printed),
               InvalidArgument);
}

}  // namespace
}  // namespace mercer
