#include "engine/fourier_features.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/every_kernel.h"
#include "engine/every_target.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;

class FourierFeaturesOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(FourierFeaturesOnEveryTarget);

Matrix<double> definition(MatrixView<const double> frequencies, MatrixView<const double> points) {
  Matrix<double> features(points.rows(), 2 * frequencies.rows());
  const double scale = std::sqrt(2.0 / static_cast<double>(features.cols()));
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < frequencies.rows(); ++j) {
      long double phase = 0;
      for (std::size_t c = 0; c < points.cols(); ++c) {
        phase += static_cast<long double>(frequencies(j, c)) * points(i, c);
      }
      features(i, 2 * j) = scale * static_cast<double>(std::cos(phase));
      features(i, 2 * j + 1) = scale * static_cast<double>(std::sin(phase));
    }
  }
  return features;
}

TEST_P(FourierFeaturesOnEveryTarget, EqualTheirDefinitionForEveryShape) {
  Workers workers(RunOptions{.threads = 2});
  for (const auto& [count, rows, d] :
       {std::tuple{1, 1, 1}, {3, 5, 2}, {48, 96, 7}, {97, 100, 3}, {200, 31, 400}}) {
    SCOPED_TRACE(count);
    const auto frequencies = normal_matrix(count, d, 1);
    const auto points = normal_matrix(rows, d, 2);
    const FourierFeatures features(frequencies);
    ASSERT_EQ(features.size(), 2U * static_cast<std::size_t>(count));
    EXPECT_LT(largest_difference(features.rows(points, workers), definition(frequencies, points)),
              1e-14);
  }
}

TEST_P(FourierFeaturesOnEveryTarget, HaveUnitNorm) {
  Workers workers(RunOptions{.threads = 1});
  const auto phi =
      FourierFeatures(normal_matrix(150, 4, 1, 30)).rows(normal_matrix(40, 4, 2), workers);
  for (std::size_t i = 0; i < phi.rows(); ++i) {
    double norm2 = 0;
    for (const double value : phi.row(i)) norm2 += value * value;
    EXPECT_NEAR(norm2, 1, 1e-14);
  }
}

TEST_P(FourierFeaturesOnEveryTarget, PanelsHoldTheRows) {
  Workers workers(RunOptions{.threads = 1});
  const FourierFeatures features(normal_matrix(101, 5, 1));
  const auto points = normal_matrix(50, 5, 2);
  const auto expected = features.rows(points, workers);
  const std::size_t width = panel_width<double>();
  constexpr std::size_t kPanelPoints = 77;
  Matrix<double> panels(3 * kBlock, kPanelPoints);  // 202 features rounded up to whole blocks
  features.panels(points, panels.data(), kPanelPoints);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      ASSERT_EQ(panels.data()[((f / width) * kPanelPoints + i) * width + f % width],
                expected(i, f));
    }
  }
}

TEST_P(FourierFeaturesOnEveryTarget, BitsDoNotDependOnTheCutOrTheThreads) {
  const FourierFeatures features(normal_matrix(101, 5, 1));
  const auto points = normal_matrix(250, 5, 2);
  Workers one(RunOptions{.threads = 1});
  Workers three(RunOptions{.threads = 3});
  const auto whole = features.rows(points, one);
  EXPECT_TRUE(same_bits(whole, features.rows(points, three)));
  for (const std::size_t first : {0U, 1U, 95U, 200U}) {
    EXPECT_TRUE(same_bits(whole.view().rows_from(first, 50),
                          features.rows(points.view().rows_from(first, 50), one)));
  }
}

TEST(HasFourierFeatures, ForNormalisedKernelsOfTheDifference) {
  std::size_t count = 0;
  for (const Kernel& kernel : testing::every_kernel())
    count += has_fourier_features(kernel) ? 1 : 0;
  EXPECT_EQ(count, 6U);
  EXPECT_TRUE(has_fourier_features(Matern52{}));
  EXPECT_FALSE(has_fourier_features(Linear{}));
  EXPECT_FALSE(has_fourier_features(ExponentialChi2{}));
  EXPECT_FALSE(has_fourier_features(Custom{}));
}

}  // namespace
}  // namespace mercer::engine
