#include "methods/random_frequencies.h"

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using engine::RandomStream;
using testing::normal_matrix;
using testing::same_bits;

Matrix<double> draw(const Kernel& kernel, std::size_t columns, std::size_t count, bool orthogonal,
                    std::uint64_t seed) {
  engine::Workers workers(RunOptions{.threads = 1});
  return random_frequencies(kernel, columns, count, orthogonal, RandomStream(seed), workers);
}

double inner(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

/// cos w(x - y) of every frequency: its mean is the kernel, or the frequencies are wrong.
struct Estimate {
  double mean = 0;
  double standard_error = 0;
};
Estimate estimate(MatrixView<const double> frequencies, std::span<const double> difference) {
  double sum = 0;
  double squares = 0;
  for (std::size_t j = 0; j < frequencies.rows(); ++j) {
    const double value = std::cos(inner(frequencies.row(j), difference));
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(frequencies.rows());
  const double mean = sum / count;
  return {.mean = mean, .standard_error = std::sqrt((squares / count - mean * mean) / count)};
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Gaussian{0.3},           Laplacian{0.7},
                                          LaplacianL1{0.4},        Matern32{1.5},
                                          Matern52{0.8},           RationalQuadratic{1.2, 0.3},
                                          RationalQuadratic{2, 1}, RationalQuadratic{0.9, 4.5}};
  return all;
}

TEST(RandomFrequencies, HaveTheKernelAsTheirMean) {
  constexpr std::size_t kColumns = 3;
  const Matrix<double> zero(1, kColumns);
  for (const Kernel& kernel : kernels()) {
    for (const bool orthogonal : {false, true}) {
      if (orthogonal && std::holds_alternative<LaplacianL1>(kernel)) continue;
      const auto frequencies = draw(kernel, kColumns, 60000, orthogonal, 11);
      for (const double length : {0.2, 1.0, 2.5}) {
        const auto point = normal_matrix(1, kColumns, 5, length);
        SCOPED_TRACE(kernel_name(kernel) + (orthogonal ? " orthogonal" : ""));
        const auto got = estimate(frequencies, point.row(0));
        const double exact = engine::kernel_value(kernel, point.row(0), zero.row(0));
        EXPECT_NEAR(got.mean, exact, 5 * got.standard_error);
        EXPECT_LT(got.standard_error, 0.004);
      }
    }
  }
}

TEST(RandomFrequencies, GaussianVarianceIsThatOfTheTheory) {
  // Of the mean over D/2 frequencies: (1 - k^2)^2 / D.
  constexpr std::size_t kCount = 8;
  constexpr std::size_t kDraws = 20000;
  const auto point = normal_matrix(1, 4, 3, 0.6);
  const auto frequencies = draw(Gaussian{0.5}, 4, kCount * kDraws, false, 7);
  const double k = engine::kernel_value(Gaussian{0.5}, point.row(0), Matrix<double>(1, 4).row(0));
  double squares = 0;
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double error =
        estimate(frequencies.view().rows_from(i * kCount, kCount), point.row(0)).mean - k;
    squares += error * error;
  }
  const double expected = (1 - k * k) * (1 - k * k) / (2.0 * kCount);
  EXPECT_NEAR(squares / kDraws / expected, 1, 0.05);
}

TEST(RandomFrequencies, OrthogonalOnesErrLess) {
  constexpr std::size_t kColumns = 16;
  const auto points = normal_matrix(40, kColumns, 3, 0.4);
  const Matrix<double> zero(1, kColumns);
  const auto error = [&](bool orthogonal) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto frequencies = draw(Gaussian{0.1}, kColumns, 64, orthogonal, seed);
      for (std::size_t i = 0; i < points.rows(); ++i) {
        const double k = engine::kernel_value(Gaussian{0.1}, points.row(i), zero.row(0));
        squares += std::pow(estimate(frequencies, points.row(i)).mean - k, 2);
      }
    }
    return std::sqrt(squares);
  };
  EXPECT_LT(error(true), 0.6 * error(false));
}

TEST(RandomFrequencies, GroupsAreOrthogonalAndKeepTheirLengths) {
  constexpr std::size_t kColumns = 30;
  for (const Kernel& kernel : {Kernel{Gaussian{0.5}}, Kernel{Matern32{1.0}}}) {
    const auto orthogonal = draw(kernel, kColumns, 75, true, 1);
    const auto independent = draw(kernel, kColumns, 75, false, 1);
    for (std::size_t i = 0; i < 75; ++i) {
      const auto row = orthogonal.row(i);
      const double length2 = inner(row, row);
      EXPECT_NEAR(length2 / inner(independent.row(i), independent.row(i)), 1, 1e-13);
      for (std::size_t j = i - i % kColumns; j < i; ++j) {
        const double other2 = inner(orthogonal.row(j), orthogonal.row(j));
        ASSERT_LT(std::abs(inner(row, orthogonal.row(j))), 1e-14 * std::sqrt(length2 * other2));
      }
    }
  }
}

TEST(RandomFrequencies, DoNotDependOnTheirNumberOrTheThreads) {
  for (const bool orthogonal : {false, true}) {
    const auto many = draw(RationalQuadratic{1.2, 0.3}, 7, 50, orthogonal, 2);
    const auto few = draw(RationalQuadratic{1.2, 0.3}, 7, 20, orthogonal, 2);
    EXPECT_TRUE(same_bits(many.view().rows_from(0, 20), few));
    engine::Workers workers(RunOptions{.threads = 3});
    EXPECT_TRUE(same_bits(many, random_frequencies(RationalQuadratic{1.2, 0.3}, 7, 50, orthogonal,
                                                   RandomStream(2), workers)));
    EXPECT_FALSE(same_bits(few, draw(RationalQuadratic{1.2, 0.3}, 7, 20, orthogonal, 3)));
  }
}

TEST(CheckRandomFeatures, RefusesKernelsWithoutASpectrum) {
  for (const Kernel& kernel :
       {Kernel{Linear{}}, Kernel{Polynomial{}}, Kernel{Cosine{}}, Kernel{Sigmoid{}}, Kernel{Chi2{}},
        Kernel{ExponentialChi2{}}, Kernel{Precomputed{}}, Kernel{Custom{}}}) {
    EXPECT_THROW(check_random_features(kernel, false), InvalidArgument) << kernel_name(kernel);
  }
  EXPECT_NO_THROW(check_random_features(LaplacianL1{}, false));
  EXPECT_THROW(check_random_features(LaplacianL1{}, true), InvalidArgument);
  EXPECT_NO_THROW(check_random_features(Laplacian{}, true));
}

}  // namespace
}  // namespace mercer::methods
