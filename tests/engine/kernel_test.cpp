#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/kernel.h>

#include "engine/every_kernel.h"

namespace mercer {
namespace {

TEST(Kernel, NameAndParametersMakeTheSameKernelAgain) {
  for (const Kernel& kernel : testing::every_kernel()) {
    const Kernel again = make_kernel(kernel_name(kernel), kernel_parameters(kernel));
    EXPECT_EQ(again.index(), kernel.index());
    EXPECT_EQ(kernel_parameters(again), kernel_parameters(kernel));
    EXPECT_TRUE(is_resolved(again));
  }
}

TEST(Kernel, EveryNameIsKnown) {
  for (const std::string& name : kernel_names()) {
    EXPECT_EQ(kernel_name(make_kernel(name, {})), name);
  }
}

TEST(Kernel, UnknownNamesAndParametersAreRefused) {
  EXPECT_THROW(make_kernel("rbf", {}), InvalidArgument);
  EXPECT_THROW(make_kernel("gaussian", {{"length", 1.0}}), InvalidArgument);
  EXPECT_THROW(make_kernel("gaussian", {{"gamma", 1.0}, {"gamma", 2.0}}), InvalidArgument);
  EXPECT_THROW(make_kernel("linear", {{"gamma", 1.0}}), InvalidArgument);
}

TEST(Kernel, ParametersOutOfRangeAreRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, kNan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(validate(Gaussian{bad}), InvalidArgument);
    EXPECT_THROW(validate(Laplacian{bad}), InvalidArgument);
    EXPECT_THROW(validate(LaplacianL1{bad}), InvalidArgument);
    EXPECT_THROW(validate(Matern32{bad}), InvalidArgument);
    EXPECT_THROW(validate(Matern52{bad}), InvalidArgument);
    EXPECT_THROW(validate(RationalQuadratic{bad, 1}), InvalidArgument);
    EXPECT_THROW(validate(RationalQuadratic{1, bad}), InvalidArgument);
    EXPECT_THROW(validate(Polynomial{.gamma = bad}), InvalidArgument);
    EXPECT_THROW(validate(Sigmoid{.gamma = bad}), InvalidArgument);
    EXPECT_THROW(validate(ExponentialChi2{bad}), InvalidArgument);
    EXPECT_THROW(Gaussian::from_sigma(bad), InvalidArgument);
    EXPECT_THROW(Laplacian::from_sigma(bad), InvalidArgument);
  }
  EXPECT_THROW(validate(Polynomial{.gamma = 1, .degree = 0}), InvalidArgument);
  EXPECT_THROW(validate(Polynomial{.gamma = 1, .degree = 2, .coef0 = kNan}), InvalidArgument);
  EXPECT_THROW(validate(Sigmoid{.gamma = 1, .coef0 = kNan}), InvalidArgument);
  EXPECT_THROW(make_kernel("polynomial", {{"degree", 2.5}}), InvalidArgument);
}

TEST(Kernel, MissingParametersAreAllowedUntilUse) {
  for (const Kernel& kernel :
       {Kernel(Gaussian{}), Kernel(Laplacian{}), Kernel(Matern32{}), Kernel(Sigmoid{})}) {
    EXPECT_NO_THROW(validate(kernel));
    EXPECT_FALSE(is_resolved(kernel));
  }
}

}  // namespace
}  // namespace mercer
