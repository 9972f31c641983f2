#include "density/kernel_sums.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "engine/kernel_value.h"
#include "numbers.h"

namespace mercer::density {
namespace {

using engine::Workers;
using testing::normal_matrix;
using testing::repeat_rows;
using testing::uniform_matrix;

std::vector<double> sums_by_loop(const Kernel& kernel, MatrixView<const double> centres, int power,
                                 MatrixView<const double> points,
                                 const std::vector<double>& weights) {
  std::vector<double> sums(centres.rows(), 0.0);
  for (std::size_t j = 0; j < centres.rows(); ++j) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      sums[j] += (weights.empty() ? 1 : weights[i]) *
                 std::pow(engine::kernel_value(kernel, centres.row(j), points.row(i)), power);
    }
  }
  return sums;
}

std::vector<double> sums_of(const Kernel& kernel, MatrixView<const double> centres, int power,
                            MatrixView<const double> points, const std::vector<double>& weights,
                            std::size_t threads = 2) {
  Workers workers(RunOptions{.threads = threads});
  KernelSums sums(kernel, centres, power);
  sums.add(points, weights, workers);
  return sums.sums();
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  return testing::largest_difference(MatrixView<const double>(a.data(), a.size(), 1),
                                     MatrixView<const double>(b.data(), b.size(), 1));
}

std::vector<double> signed_weights(std::size_t n) {
  const engine::RandomStream stream(77);
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = stream.normal(i);
  return weights;
}

TEST(KernelSums, EqualTheLoopForEveryKernel) {
  const auto points = uniform_matrix(500, 5, 1);
  const auto centres = uniform_matrix(100, 5, 2);
  for (const Kernel& kernel : testing::every_kernel()) {
    for (const int power : {1, 2}) {
      EXPECT_LT(largest_difference(sums_of(kernel, centres, power, points, {}),
                                   sums_by_loop(kernel, centres, power, points, {})),
                1e-10)
          << kernel_name(kernel) << ", power " << power;
    }
  }
}

TEST(KernelSums, TakeCustomKernels) {
  const auto points = normal_matrix(130, 2, 1);
  const Custom kernel{.function = [](std::span<const double> x, std::span<const double> y) {
    return x[0] * y[0] + std::cos(x[1] - y[1]);
  }};
  EXPECT_LT(largest_difference(sums_of(kernel, points, 2, points, {}),
                               sums_by_loop(kernel, points, 2, points, {})),
            1e-11);
}

RC_GTEST_PROP(KernelSumsProperty, EqualTheLoopForAnySizeAndSignOfWeights, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 1200);
  const auto m = *rc::gen::inRange<std::size_t>(1, 250);
  const auto d = *rc::gen::inRange<std::size_t>(1, 12);
  const auto power = *rc::gen::element(1, 2);
  const auto points = normal_matrix(n, d, n, 1, 500);
  const auto centres = normal_matrix(m, d, m, 1, 500);
  const auto weights = signed_weights(n);
  RC_ASSERT(largest_difference(sums_of(Gaussian{0.2}, centres, power, points, weights),
                               sums_by_loop(Gaussian{0.2}, centres, power, points, weights)) <
            1e-11);
}

TEST(KernelSums, BitsDependNeitherOnThreadsNorOnPiecesOfWholeChunks) {
  constexpr std::size_t kRows = (KernelSums::kChunksAtOnce + 3) * KernelSums::kChunkRows + 17;
  const auto points = normal_matrix(kRows, 3, 1);
  const auto centres = normal_matrix(130, 3, 2);
  const auto weights = signed_weights(kRows);
  const auto expected = sums_of(Laplacian{0.7}, centres, 2, points, weights, 1);
  EXPECT_EQ(sums_of(Laplacian{0.7}, centres, 2, points, weights, 3), expected);
  Workers workers(RunOptions{.threads = 2});
  for (const std::size_t piece : {KernelSums::kChunkRows, 7 * KernelSums::kChunkRows}) {
    KernelSums sums(Laplacian{0.7}, centres, 2);
    for (std::size_t begin = 0; begin < kRows; begin += piece) {
      const std::size_t rows = std::min(piece, kRows - begin);
      sums.add(points.view().rows_from(begin, rows), std::span(weights).subspan(begin, rows),
               workers);
    }
    EXPECT_EQ(sums.sums(), expected) << piece;
  }
}

TEST(KernelSums, OtherPiecesDifferByRounding) {
  const auto points = normal_matrix(1000, 3, 1);
  const auto centres = normal_matrix(40, 3, 2);
  Workers workers(RunOptions{.threads = 2});
  KernelSums sums(Gaussian{0.5}, centres, 1);
  for (std::size_t i = 0; i < 1000; i += 50) {
    sums.add(points.view().rows_from(i, 50), {}, workers);
  }
  sums.add(points.view().rows_from(0, 0), {}, workers);
  EXPECT_LT(largest_difference(sums.sums(), sums_of(Gaussian{0.5}, centres, 1, points, {})), 1e-11);
}

TEST(KernelSums, EqualCentresHaveEqualBits) {
  // Copies stand 150 rows apart, in other lanes, panels and blocks.
  const auto once = normal_matrix(150, 7, 3, 1, 100);
  Matrix<double> centres(450, 7);
  for (std::size_t i = 0; i < 450; ++i) {
    std::ranges::copy(once.row(i % 150), centres.row(i).begin());
  }
  for (const Kernel& kernel : {Kernel(Gaussian{0.1}), Kernel(Matern32{2.0})}) {
    const auto sums = sums_of(kernel, centres, 1, centres, {});
    for (std::size_t i = 150; i < 450; ++i) EXPECT_EQ(sums[i], sums[i - 150]) << i;
  }
}

TEST(KernelSums, WeightsAreRepetitions) {
  const auto points = normal_matrix(200, 2, 4);
  std::vector<double> weights(200);
  for (std::size_t i = 0; i < 200; ++i) weights[i] = static_cast<double>(1 + i % 3);
  EXPECT_LT(largest_difference(sums_of(Gaussian{1.0}, points, 2, points, weights),
                               sums_of(Gaussian{1.0}, points, 2, repeat_rows(points, weights), {})),
            1e-12);
}

TEST(KernelSums, UnitsOfTheDataMakeNoDifference) {
  const auto points = normal_matrix(300, 3, 5);
  const auto expected = sums_of(Matern52{1.0}, points, 1, points, {});
  for (const int exponent : {500, -500}) {
    auto scaled = points;
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled.data()[i] = std::ldexp(points.data()[i], exponent);
    }
    EXPECT_LT(largest_difference(
                  sums_of(Matern52{std::ldexp(1.0, exponent)}, scaled, 1, scaled, {}), expected),
              1e-11)
        << exponent;
  }
}

TEST(KernelSums, RefuseWhatTheyCannotSum) {
  const auto points = normal_matrix(10, 2, 1);
  Workers workers(RunOptions{.threads = 1});
  EXPECT_THROW(KernelSums(Gaussian{1.0}, points, 0), InvalidArgument);
  EXPECT_THROW(KernelSums(Gaussian{1.0}, points, 3), InvalidArgument);
  EXPECT_THROW(KernelSums(Gaussian{}, points, 1), InvalidArgument);
  EXPECT_THROW(KernelSums(Gaussian{-1.0}, points, 1), InvalidArgument);
  EXPECT_THROW(KernelSums(Precomputed{}, points, 1), InvalidArgument);
  EXPECT_THROW(KernelSums(Custom{}, points, 1), InvalidArgument);
  EXPECT_THROW(KernelSums(Gaussian{1.0}, Matrix<double>(0, 2), 1), InvalidArgument);
  KernelSums sums(Gaussian{1.0}, points, 1);
  EXPECT_THROW(sums.add(normal_matrix(10, 3, 1), {}, workers), InvalidArgument);
  EXPECT_THROW(sums.add(points, std::vector<double>(9, 1.0), workers), InvalidArgument);
  EXPECT_EQ(sums.sums(), std::vector<double>(10, 0.0));
}

}  // namespace
}  // namespace mercer::density
