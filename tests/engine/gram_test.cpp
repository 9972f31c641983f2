#include "engine/gram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "engine/every_target.h"
#include "engine/kernel_value.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::every_kernel;
using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;
using testing::uniform_matrix;

Matrix<double> points_for(const Kernel& kernel, std::size_t n, std::size_t d) {
  const bool histogram = kernel_name(kernel).find("chi2") != std::string::npos;
  return histogram ? uniform_matrix(n, d, 1) : normal_matrix(n, d, 1);
}

Matrix<double> product(const Kernel& kernel, MatrixView<const double> points,
                       const GramOptions& options, MatrixView<const double> v,
                       std::size_t threads) {
  Workers workers(RunOptions{.threads = threads});
  Matrix<double> y(v.rows(), v.cols());
  make_gram(kernel, points, options, workers)->multiply(v, y, workers);
  return y;
}

class GramOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(GramOnEveryTarget);

TEST_P(GramOnEveryTarget, ProductsEqualTheDefinition) {
  for (const Kernel& kernel : every_kernel()) {
    const auto points = points_for(kernel, 401, 5);
    const auto v = normal_matrix(401, 8, 2);
    const auto expected = reference::multiply(reference::kernel_matrix(kernel, points, points), v);
    for (const bool stored : {true, false}) {
      SCOPED_TRACE(kernel_name(kernel) + (stored ? " stored" : " matrix-free"));
      EXPECT_LT(largest_difference(product(kernel, points, {.stored = stored}, v, 2), expected),
                1e-10);
      EXPECT_LT(largest_difference(
                    product(kernel, points, {.single_precision = true, .stored = stored}, v, 2),
                    expected),
                2e-2);
    }
  }
}

TEST(Gram, ProductsHaveTheSameBitsForAnyThreadsAndStorage) {
  const auto points = normal_matrix(1500, 6, 1);
  const auto v = normal_matrix(1500, 16, 2);
  for (const bool single : {false, true}) {
    const auto one = product(Gaussian{0.1}, points, {.single_precision = single}, v, 1);
    for (const std::size_t threads : {2U, 4U, 5U}) {
      EXPECT_TRUE(
          same_bits(one, product(Gaussian{0.1}, points, {.single_precision = single}, v, threads)));
      EXPECT_TRUE(
          same_bits(one, product(Gaussian{0.1}, points,
                                 {.single_precision = single, .stored = false}, v, threads)));
    }
  }
}

TEST_P(GramOnEveryTarget, OneVectorAndEnergiesEqualTheDefinition) {
  Workers workers(RunOptions{.threads = 2});
  for (const Kernel& kernel : every_kernel()) {
    const auto points = points_for(kernel, 203, 5);
    const auto v = normal_matrix(203, 1, 2);
    const auto weights = uniform_matrix(203, 1, 3);
    const auto m = normal_matrix(203, 3, 8);
    const auto k = reference::kernel_matrix(kernel, points, points);
    const auto product = reference::multiply(k, v);
    Matrix<double> energies(203, 1);
    for (std::size_t i = 0; i < 203; ++i) {
      for (std::size_t j = 0; j < 203; ++j) {
        const double left = k(i, j) - m(i, 0) * m(j, 0) - m(i, 1) * m(j, 2) - m(i, 2) * m(j, 1);
        energies(i, 0) += weights(j, 0) * left * left;
      }
    }
    double scale = 1;
    for (std::size_t i = 0; i < 203; ++i) scale = std::max(scale, energies(i, 0));
    for (const bool single : {false, true}) {
      for (const bool stored : {true, false}) {
        SCOPED_TRACE(kernel_name(kernel) + (stored ? " stored" : " matrix-free"));
        const auto gram =
            make_gram(kernel, points, {.single_precision = single, .stored = stored}, workers);
        EXPECT_EQ(gram->options().stored, stored);
        EXPECT_EQ(gram->options().single_precision, single);
        Matrix<double> y(203, 1);
        gram->multiply(std::span<const double>(v.data(), 203), std::span(y.data(), 203), workers);
        EXPECT_LT(largest_difference(y, product), single ? 2e-2 : 1e-10);
        Matrix<double> r(203, 1);
        gram->energies({.rows = m, .swapped = true}, std::span(weights.data(), 203),
                       std::span(r.data(), 203), workers);
        EXPECT_LT(largest_difference(r, energies), (single ? 1e-4 : 1e-12) * scale);
      }
    }
  }
}

TEST(Gram, OneVectorAndEnergiesHaveTheSameBitsForAnyThreadsAndStorage) {
  const auto points = normal_matrix(1300, 3, 1);
  const auto v = normal_matrix(1300, 1, 2);
  const auto m = normal_matrix(1300, 2, 8);
  const auto run = [&](std::size_t threads, bool stored) {
    Workers workers(RunOptions{.threads = threads});
    const auto gram = make_gram(Gaussian{0.1}, points, {.stored = stored}, workers);
    Matrix<double> result(2, 1300);
    gram->multiply(std::span<const double>(v.data(), 1300), result.row(0), workers);
    gram->energies({.rows = m}, std::span<const double>(v.data(), 1300), result.row(1), workers);
    return result;
  };
  const auto one = run(1, true);
  for (const std::size_t threads : {2U, 5U}) {
    EXPECT_TRUE(same_bits(one, run(threads, true)));
    EXPECT_TRUE(same_bits(one, run(threads, false)));
  }
}

TEST(Gram, DiagonalIsExact) {
  Workers workers(RunOptions{.threads = 2});
  const auto points = normal_matrix(250, 40, 1, 100, 1e6);
  const auto gram = make_gram(Gaussian{1e-3}, points, {}, workers);
  const auto k = gram->dense(workers);
  for (std::size_t i = 0; i < k.rows(); ++i) EXPECT_EQ(k(i, i), 1.0);
}

TEST(Gram, DenseIsSymmetricAndEqualsTheFormula) {
  Workers workers(RunOptions{.threads = 2});
  for (const Kernel& kernel : every_kernel()) {
    const auto points = points_for(kernel, 200, 3);
    const auto expected = reference::kernel_matrix(kernel, points, points);
    const auto k = make_gram(kernel, points, {.stored = false}, workers)->dense(workers);
    EXPECT_LT(largest_difference(k, expected), 1e-12 * (1 + expected(0, 0))) << kernel_name(kernel);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(k(i, j), k(j, i));
    }
  }
}

TEST(Gram, TakesPrecomputedAndCustomKernels) {
  const auto points = normal_matrix(300, 4, 1);
  const auto v = normal_matrix(300, 8, 2);
  const auto k = reference::kernel_matrix(Gaussian{0.2}, points, points);
  const auto expected = reference::multiply(k, v);
  EXPECT_LT(largest_difference(product(Precomputed{}, k, {}, v, 2), expected), 1e-12);
  const Custom custom{[](std::span<const double> x, std::span<const double> y) {
    return kernel_value(Gaussian{0.2}, x, y);
  }};
  EXPECT_LT(largest_difference(product(custom, points, {.stored = false}, v, 2), expected), 1e-12);
}

TEST(Gram, ErrorsOfACustomKernelReachTheCaller) {
  const auto points = normal_matrix(300, 4, 1);
  Workers workers(RunOptions{.threads = 3});
  const Custom throwing{[](std::span<const double>, std::span<const double>) -> double {
    throw DataError("from the kernel");
  }};
  EXPECT_THROW(make_gram(throwing, points, {}, workers), DataError);
  const Custom broken{[](std::span<const double>, std::span<const double>) { return NAN; }};
  EXPECT_THROW(make_gram(broken, points, {}, workers), NumericalError);
}

TEST(Gram, CountsEvaluationsOfOneTriangle) {
  Workers workers(RunOptions{.threads = 2});
  const auto points = normal_matrix(300, 4, 1);
  Matrix<double> v(300, 8);
  Matrix<double> y(300, 8);
  const auto stored = make_gram(Gaussian{1.0}, points, {}, workers);
  stored->multiply(v, y, workers);
  EXPECT_EQ(stored->kernel_evaluations(), 300U * 301 / 2);
  const auto free = make_gram(Gaussian{1.0}, points, {.stored = false}, workers);
  EXPECT_EQ(free->kernel_evaluations(), 0U);
  free->multiply(v, y, workers);
  free->multiply(v, y, workers);
  EXPECT_EQ(free->kernel_evaluations(), 300U * 301);
}

TEST(Gram, RefusesDistancesThatOverflow) {
  Workers workers(RunOptions{});
  const auto points = normal_matrix(10, 4, 1, 1e200);
  EXPECT_THROW(make_gram(Gaussian{1.0}, points, {}, workers), NumericalError);
  EXPECT_THROW(
      make_gram(Linear{}, normal_matrix(10, 4, 1, 1e30), {.single_precision = true}, workers),
      NumericalError);
}

TEST(Gram, StoredBytesAreAboutHalfTheSquare) {
  EXPECT_NEAR(GramOperator::stored_bytes(10000, 8) / (4.0 * 1e8), 1, 0.1);
}

RC_GTEST_PROP(GramProperty, ProductsEqualTheDefinitionForAnySize, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 450);
  const auto d = *rc::gen::inRange<std::size_t>(1, 30);
  const auto gamma = *rc::gen::inRange(1, 100) / 100.0;
  const auto threads = *rc::gen::inRange<std::size_t>(1, 5);
  const auto stored = *rc::gen::arbitrary<bool>();
  const auto points = normal_matrix(n, d, n + d);
  const auto v = normal_matrix(n, 8, 3);
  const auto expected =
      reference::multiply(reference::kernel_matrix(Gaussian{gamma}, points, points), v);
  RC_ASSERT(largest_difference(product(Gaussian{gamma}, points, {.stored = stored}, v, threads),
                               expected) < 1e-11);
}

}  // namespace
}  // namespace mercer::engine
