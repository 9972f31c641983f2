#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;

using Weights = std::vector<double>;

double weighted_sum(const Kernel& kernel, MatrixView<const double> x, const Weights& u,
                    MatrixView<const double> y, const Weights& v) {
  const auto k = engine::reference::kernel_matrix(kernel, x, y);
  double sum = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < y.rows(); ++j) sum += u[i] * v[j] * k(i, j);
  }
  return sum / std::accumulate(u.begin(), u.end(), 0.0) / std::accumulate(v.begin(), v.end(), 0.0);
}

/// The formula, by double loops.
double definition(const Kernel& kernel, MatrixView<const double> x, const Weights& u,
                  MatrixView<const double> y, const Weights& v) {
  return weighted_sum(kernel, x, u, x, u) + weighted_sum(kernel, y, v, y, v) -
         2 * weighted_sum(kernel, x, u, y, v);
}

Weights some_weights(std::size_t count, std::uint64_t seed) {
  const engine::RandomStream stream(seed);
  Weights weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = 0.1 + stream.uniform(i);
  return weights;
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> list{
      Gaussian{0.3},
      Laplacian{0.5},
      LaplacianL1{0.2},
      Matern32{1.5},
      Matern52{1.5},
      RationalQuadratic{1.2, 0.8},
      Polynomial{0.2, 3, 1},
      Linear{},
      Cosine{},
      Custom{[](std::span<const double> x, std::span<const double> y) {
               return 1 + x[0] * y[0] + std::abs(x[1] * y[1]);
             },
             "mine"}};
  return list;
}

TEST(MmdSquared, EqualsTheDoubleLoopForEveryKernel) {
  const auto x = normal_matrix(230, 4, 1);
  const auto y = normal_matrix(120, 4, 2, 1.3, 0.5);
  const auto u = some_weights(230, 3);
  const auto v = some_weights(120, 4);
  for (const Kernel& kernel : kernels()) {
    const double expected = definition(kernel, x, u, y, v);
    EXPECT_NEAR(mmd_squared(kernel, x, u, y, v), expected, 1e-13 + 1e-12 * expected)
        << kernel_name(kernel);
  }
  auto x_counts = x;
  auto y_counts = y;
  for (std::size_t i = 0; i < x.size(); ++i) x_counts.data()[i] = std::abs(x.data()[i]);
  for (std::size_t i = 0; i < y.size(); ++i) y_counts.data()[i] = std::abs(y.data()[i]);
  for (const Kernel& kernel : {Kernel(Chi2{}), Kernel(ExponentialChi2{0.7})}) {
    const double expected = definition(kernel, x_counts, u, y_counts, v);
    EXPECT_NEAR(mmd_squared(kernel, x_counts, u, y_counts, v), expected, 1e-13);
  }
}

TEST(MmdSquared, OfEqualSetsIsZero) {
  const auto x = normal_matrix(333, 3, 1);
  for (const Kernel& kernel : kernels()) {
    EXPECT_LT(mmd_squared(kernel, x, {}, x, {}), 1e-13) << kernel_name(kernel);
    EXPECT_GE(mmd_squared(kernel, x, {}, x, {}), 0) << kernel_name(kernel);
  }
}

TEST(MmdSquared, WholeWeightsEqualRepetitionAndTheirScaleDoesNotMatter) {
  const auto x = normal_matrix(40, 2, 1);
  const auto y = normal_matrix(60, 2, 2, 1, 1);
  Weights counts(40);
  for (std::size_t i = 0; i < 40; ++i) counts[i] = static_cast<double>(1 + i % 4);
  const auto repeated = testing::repeat_rows(x, counts);
  const double expected = mmd_squared(Gaussian{0.5}, repeated, {}, y, {});
  EXPECT_GT(expected, 0.1);
  EXPECT_NEAR(mmd_squared(Gaussian{0.5}, x, counts, y, {}), expected, 1e-14);
  EXPECT_LT(mmd_squared(Gaussian{0.5}, x, counts, repeated, {}), 1e-14);
  for (double& count : counts) count *= 1e307;
  EXPECT_NEAR(mmd_squared(Gaussian{0.5}, x, counts, y, Weights(60, 1e-300)), expected, 1e-14);
}

TEST(MmdSquared, UnderTheLinearKernelIsTheSquaredDistanceOfTheMeans) {
  Matrix<double> x(2, 1);
  x(0, 0) = 1;
  x(1, 0) = 5;
  Matrix<double> y(1, 1);
  y(0, 0) = -2;
  EXPECT_NEAR(mmd_squared(Linear{}, x, {}, y, {}), 25, 1e-14);
  EXPECT_NEAR(mmd_squared(Linear{}, x, Weights{3, 1}, y, {}), 16, 1e-14);
  EXPECT_NEAR(mmd_squared(Linear{}, x, Weights{3, -1}, y, {}), 1, 1e-14);
}

TEST(MmdSquared, KeepsItsDigitsFarFromTheOriginAndFromEachOther) {
  const auto x = normal_matrix(100, 3, 1);
  const auto y = normal_matrix(80, 3, 2);
  const double expected = mmd_squared(Gaussian{0.5}, x, {}, y, {});
  auto x_far = x;
  auto y_far = y;
  for (std::size_t i = 0; i < x.size(); ++i) x_far.data()[i] += 0x1p20;
  for (std::size_t i = 0; i < y.size(); ++i) y_far.data()[i] += 0x1p20;
  EXPECT_NEAR(mmd_squared(Gaussian{0.5}, x_far, {}, y_far, {}), expected, 1e-9);
  const Weights u(100, 1.0);
  const Weights v(80, 1.0);
  EXPECT_NEAR(mmd_squared(Gaussian{0.5}, x, {}, y_far, {}),
              weighted_sum(Gaussian{0.5}, x, u, x, u) + weighted_sum(Gaussian{0.5}, y, v, y, v),
              1e-9);
}

TEST(MmdSquared, BitsDoNotDependOnThreads) {
  const auto x = normal_matrix(1000, 5, 1);
  const auto y = normal_matrix(700, 5, 2);
  const double one = mmd_squared(Gaussian{0.2}, x, {}, y, {}, {.threads = 1});
  EXPECT_EQ(mmd_squared(Gaussian{0.2}, x, {}, y, {}, {.threads = 2}), one);
  EXPECT_EQ(mmd_squared(Gaussian{0.2}, x, {}, y, {}, {.threads = 4}), one);
}

RC_GTEST_PROP(MmdProperty, EqualsTheDoubleLoopForAnySize, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 300);
  const auto m = *rc::gen::inRange<std::size_t>(1, 300);
  const auto d = *rc::gen::inRange<std::size_t>(1, 12);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto x = normal_matrix(n, d, seed);
  const auto y = normal_matrix(m, d, seed + 1ULL, 1, 0.3);
  const auto u = some_weights(n, seed + 2ULL);
  const double expected = definition(Gaussian{0.1}, x, u, y, Weights(m, 1.0));
  RC_ASSERT(std::abs(mmd_squared(Gaussian{0.1}, x, u, y, {}, {.threads = 2}) - expected) < 1e-13);
  RC_ASSERT(std::abs(mmd_squared(Gaussian{0.1}, y, {}, x, u, {.threads = 2}) - expected) < 1e-13);
}

TEST(MmdErrors, NameWhatDoesNotFit) {
  const auto x = normal_matrix(10, 2, 1);
  const auto y = normal_matrix(5, 2, 2);
  EXPECT_THROW(mmd_squared(Gaussian{}, x, {}, y, {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Gaussian{-1.0}, x, {}, y, {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Precomputed{}, x, {}, y, {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Custom{}, x, {}, y, {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, {}, normal_matrix(5, 3, 1), {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, Weights(9, 1.0), y, {}), InvalidArgument);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, Weights(10, 0.0), y, {}), DataError);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, {}, y, Weights{1, -1, 0.1, 0.2, -0.3}), DataError);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, {}, y, Weights{1, 1, 1, NAN, 1}), DataError);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, Matrix<double>(0, 2), {}, y, {}), DataError);
  EXPECT_THROW(mmd_squared(Chi2{}, x, {}, y, {}), DataError);
  auto broken = x;
  broken(3, 0) = NAN;
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, broken, {}, y, {}), DataError);
  EXPECT_THROW(mmd_squared(Polynomial{1.0, 9, 1.0}, normal_matrix(10, 2, 1, 1e60), {}, y, {}),
               NumericalError);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, {}, y, {}, {.memory_limit_bytes = 16}),
               MemoryLimitError);
  EXPECT_THROW(mmd_squared(Gaussian{1.0}, x, {}, y, {}, {.cancelled = [] { return true; }}),
               Cancelled);
}

}  // namespace
}  // namespace mercer
