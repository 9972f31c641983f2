#include "engine/radial_kernel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"

namespace mercer::engine {
namespace {

std::vector<Kernel> radial_kernels() {
  return {Gaussian{.gamma = 0.7},
          Gaussian{.gamma = 1e-6},
          Laplacian{.gamma = 1.3},
          Matern32{.length = 0.4},
          Matern52{.length = 2.5},
          RationalQuadratic{.length = 0.8, .alpha = 0.3},
          RationalQuadratic{.length = 3, .alpha = 7}};
}

TEST(RadialKernel, ValuesAreThoseOfTheKernel) {
  for (const Kernel& kernel : radial_kernels()) {
    const auto radial = RadialKernel::of(kernel);
    ASSERT_TRUE(radial) << kernel_name(kernel);
    for (const double r : {0.0, 1e-9, 1e-4, 0.003, 0.02, 0.3, 1.0, 4.0, 30.0}) {
      const std::vector<double> x{0.0, 0.0};
      const std::vector<double> y{0.6 * r, 0.8 * r};
      const double expected = kernel_value(kernel, x, y);
      EXPECT_NEAR(radial->value(r), expected, 2e-15) << kernel_name(kernel) << " at " << r;
      EXPECT_NEAR(radial->feature_distance(r), std::sqrt(2 * (1 - expected)), 3e-8);
      EXPECT_NEAR(radial->operator_distance(r), std::sqrt(2 * (1 - expected * expected)), 3e-8);
    }
  }
}

TEST(RadialKernel, DistancesAreTheInverseOfValues) {
  for (const Kernel& kernel : radial_kernels()) {
    const auto radial = RadialKernel::of(kernel);
    for (const double value : {1.0, 0.999, 0.7, 0.1, 1e-8}) {
      const double r = radial->distance(value);
      EXPECT_NEAR(radial->value(r), value, 1e-14) << kernel_name(kernel);
    }
    EXPECT_EQ(radial->distance(1), 0);
  }
}

TEST(RadialKernel, TheFallIsTheSlopeInTheSquaredDistance) {
  for (const Kernel& kernel : radial_kernels()) {
    const auto radial = RadialKernel::of(kernel);
    const auto fall = radial->fall();
    EXPECT_EQ(fall.has_value(), !std::holds_alternative<Laplacian>(kernel));
    if (!fall) continue;
    const auto slope = RadialKernel::of(*fall);
    const auto difference = [&](double r) {
      const double step = 1e-5 * r;
      return (radial->drop(r + step) - radial->drop(r - step)) / (4 * r * step);
    };
    const double scale = radial->length_scale();
    const double factor = difference(scale) / slope->value(scale);
    for (const double r : {0.2 * scale, 0.7 * scale, 2 * scale}) {
      EXPECT_NEAR(difference(r) / (factor * slope->value(r)), 1, 1e-7) << kernel_name(kernel);
    }
  }
}

// 1 - k falls like r or r^2: no digit may be lost where 1 - k itself would have none left.
TEST(RadialKernel, TinyDistancesKeepTheirDigits) {
  const auto drop = [](const Kernel& kernel, double r) {
    return RadialKernel::of(kernel)->drop(r);
  };
  const double r = 1e-11;
  EXPECT_NEAR(drop(Gaussian{.gamma = 2}, r) / (2 * r * r), 1, 1e-12);
  EXPECT_NEAR(drop(Laplacian{.gamma = 2}, r) / (2 * r), 1, 1e-10);
  EXPECT_NEAR(drop(Matern32{.length = 2}, r) / (1.5 * r * r / 4), 1, 1e-10);
  EXPECT_NEAR(drop(Matern52{.length = 2}, r) / (5.0 / 6 * r * r / 4), 1, 1e-10);
  EXPECT_NEAR(drop(RationalQuadratic{.length = 2, .alpha = 3}, r) / (r * r / 8), 1, 1e-12);
}

// Where the series of the Matern kernels takes over, both sides must agree.
TEST(RadialKernel, SeriesMeetsTheFormula) {
  const double below = 4e-3 * (1 - 1e-13);
  const double above = 4e-3 * (1 + 1e-13);
  const Kernel matern32 = Matern32{.length = std::sqrt(3.0)};
  const Kernel matern52 = Matern52{.length = std::sqrt(5.0)};
  for (const Kernel& kernel : {matern32, matern52}) {
    const auto radial = RadialKernel::of(kernel);
    EXPECT_NEAR(radial->drop(below) / radial->drop(above), 1, 1e-11) << kernel_name(kernel);
  }
}

TEST(RadialKernel, LipschitzConstantIsTheLargestSlope) {
  for (const Kernel& kernel : radial_kernels()) {
    const auto radial = RadialKernel::of(kernel);
    const double step = radial->length_scale() * 1e-4;
    double steepest = 0;
    for (int i = 0; i < 60000; ++i) {
      const double slope = (radial->drop((i + 1) * step) - radial->drop(i * step)) / step;
      steepest = std::max(steepest, slope);
    }
    EXPECT_LE(steepest, radial->lipschitz() * (1 + 1e-9)) << kernel_name(kernel);
    EXPECT_GE(steepest, radial->lipschitz() * (1 - 1e-4)) << kernel_name(kernel);
  }
}

TEST(RadialKernel, NothingIsLeftFarAway) {
  for (const Kernel& kernel : radial_kernels()) {
    const auto radial = RadialKernel::of(kernel);
    EXPECT_EQ(radial->drop(INFINITY), 1) << kernel_name(kernel);
    EXPECT_NEAR(radial->drop(1e200), 1, 1e-12) << kernel_name(kernel);
    EXPECT_EQ(radial->feature_distance(INFINITY), std::sqrt(2.0));
  }
}

TEST(RadialKernel, LengthScales) {
  EXPECT_DOUBLE_EQ(RadialKernel::of(Gaussian{.gamma = 4})->length_scale(), 0.5);
  EXPECT_DOUBLE_EQ(RadialKernel::of(Laplacian{.gamma = 4})->length_scale(), 0.25);
  EXPECT_DOUBLE_EQ(RadialKernel::of(Matern32{.length = 3})->length_scale(), 3);
}

TEST(RadialKernel, OtherKernelsAreNone) {
  for (const Kernel& kernel :
       std::vector<Kernel>{LaplacianL1{.gamma = 1}, Linear{}, Cosine{}, Polynomial{.gamma = 1},
                           ExponentialChi2{.gamma = 1}, Precomputed{}}) {
    EXPECT_FALSE(RadialKernel::of(kernel)) << kernel_name(kernel);
  }
  EXPECT_THROW(RadialKernel::of(Gaussian{}), InvalidArgument);
}

}  // namespace
}  // namespace mercer::engine
