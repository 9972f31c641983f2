#include <string>

#include <gtest/gtest.h>

#include <mercer/auto.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/rows.h>

#include "numbers.h"

namespace mercer {
namespace {

const Choice& method_choice(const Fit& fit) {
  return fit.summary.choices.front();
}

TEST(FitAuto, SmallDataAreFittedExactly) {
  const auto points = testing::normal_matrix(300, 4, 1);
  const auto fit = fit_auto(points, Gaussian{}, {.components = 3});
  const auto exact = fit_exact(points, Gaussian{}, {.components = 3});
  EXPECT_EQ(fit.summary.method, "exact");
  EXPECT_EQ(method_choice(fit).what, "method");
  EXPECT_FALSE(method_choice(fit).why.empty());
  EXPECT_TRUE(testing::same_bits(fit.model.coefficients(), exact.model.coefficients()));
  EXPECT_EQ(fit.model.summary().choices.front().what, "method");
}

TEST(FitAuto, LittleMemoryMakesItUseLandmarks) {
  const auto points = testing::normal_matrix(6000, 4, 2);
  const RunOptions small{.memory_limit_bytes = std::size_t{150} << 20};
  const auto fit = fit_auto(points, Gaussian{}, {.components = 3}, small);
  EXPECT_EQ(fit.summary.method, "landmarks");
  const auto source = rows_in_memory(points);
  const auto streamed = fit_auto(*source, Gaussian{}, {.components = 3}, small);
  EXPECT_TRUE(testing::same_bits(fit.model.coefficients(), streamed.model.coefficients()));
  EXPECT_EQ(fit_auto(points, Gaussian{}, {.components = 3}).summary.method, "exact");
}

TEST(FitAuto, KernelsThatLandmarksCannotTakeAreExact) {
  const auto points = testing::normal_matrix(200, 3, 3);
  EXPECT_EQ(fit_auto(points, Sigmoid{.gamma = 0.1}, {.components = 2}).summary.method, "exact");
  EXPECT_EQ(fit_auto(points, Linear{}, {.components = 2}).summary.method, "exact");
}

TEST(FitAuto, WeightsComeWithTheRowsOrWithTheOptions) {
  const auto points = testing::normal_matrix(100, 3, 4);
  std::vector<double> weights(100, 1.0);
  for (std::size_t i = 0; i < 50; ++i) weights[i] = 3;
  const auto source = rows_in_memory(points, weights);
  const auto streamed = fit_auto(*source, Gaussian{.gamma = 0.2}, {.components = 2});
  const auto direct =
      fit_auto(points, Gaussian{.gamma = 0.2}, {.components = 2, .weights = weights});
  EXPECT_TRUE(testing::same_bits(streamed.model.coefficients(), direct.model.coefficients()));
  EXPECT_THROW(fit_auto(*source, Gaussian{}, {.weights = weights}), InvalidArgument);
  EXPECT_THROW(fit_auto(points, Gaussian{}, {.components = 0}), InvalidArgument);
}

}  // namespace
}  // namespace mercer
