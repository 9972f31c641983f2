#include "engine/block_gram.h"

#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;

/// A symmetric matrix of Frobenius norm 1.
Matrix<double> unit_symmetric(std::size_t n, std::uint64_t seed) {
  auto s = normal_matrix(n, n, seed);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) s(i, j) = s(j, i);
  }
  for (std::size_t i = 0; i < s.size(); ++i) sum += s.data()[i] * s.data()[i];
  for (std::size_t i = 0; i < s.size(); ++i) s.data()[i] /= std::sqrt(sum);
  return s;
}

/// The same by plain loops over the whole matrix.
BlockGram::Projection plain_projection(MatrixView<const double> k, const Matrix<double>& s) {
  const std::size_t n2 = s.rows();
  const std::size_t n1 = k.rows() / n2;
  BlockGram::Projection result{.coefficients = Matrix<double>(n1, n1),
                               .combination = Matrix<double>(n2, n2)};
  for (std::size_t r = 0; r < k.rows(); ++r) {
    for (std::size_t c = 0; c < k.rows(); ++c) {
      result.coefficients(r / n2, c / n2) += k(r, c) * s(r % n2, c % n2);
      result.norm2 += k(r, c) * k(r, c);
    }
  }
  for (std::size_t r = 0; r < k.rows(); ++r) {
    for (std::size_t c = 0; c < k.rows(); ++c) {
      const double t = result.coefficients(r / n2, c / n2);
      result.combination(r % n2, c % n2) += t * k(r, c);
      const double difference = k(r, c) - t * s(r % n2, c % n2);
      result.residual2 += difference * difference;
    }
  }
  return result;
}

struct Sizes {
  std::size_t blocks;
  std::size_t block_size;
};

TEST(BlockGram, AgreesWithPlainLoops) {
  Custom custom;
  custom.name = "product";
  custom.function = [](auto x, auto y) { return x[0] * y[0] + 1; };
  for (const Sizes sizes : {Sizes{1, 1}, {1, 130}, {7, 1}, {5, 6}, {3, 97}, {40, 9}}) {
    const auto points = normal_matrix(sizes.blocks * sizes.block_size, 3, 1);
    const auto s = unit_symmetric(sizes.block_size, 2);
    for (const Kernel& kernel : {Kernel(Gaussian{0.3}), Kernel(Linear{}), Kernel(custom)}) {
      for (const bool stored : {true, false}) {
        SCOPED_TRACE(kernel_name(kernel) + " " + std::to_string(sizes.blocks));
        Workers workers(RunOptions{.threads = 2});
        BlockGram gram(kernel, points, sizes.block_size, stored, workers);
        auto k = reference::kernel_matrix(kernel, points, points);
        for (std::size_t i = 0; i < k.size(); ++i) k.data()[i] /= gram.scale();
        const auto expected = plain_projection(k, s);
        const auto found = gram.project(s, workers);
        const double rounding = 1e-13 * expected.norm2;
        EXPECT_LT(largest_difference(found.coefficients, expected.coefficients), rounding);
        EXPECT_LT(largest_difference(found.combination, expected.combination), rounding);
        EXPECT_NEAR(found.residual2, expected.residual2, rounding);
        EXPECT_NEAR(found.norm2, expected.norm2, rounding);

        Matrix<double> trace(sizes.block_size, sizes.block_size);
        for (std::size_t r = 0; r < k.rows(); ++r) {
          for (std::size_t b = 0; b < trace.cols(); ++b) {
            trace(r % trace.cols(), b) += k(r, r / trace.cols() * trace.cols() + b);
          }
        }
        EXPECT_LT(largest_difference(gram.partial_trace(workers), trace), rounding);
      }
    }
  }
}

TEST(BlockGram, GivesTheSameBitsStoredOrNotAndForEveryNumberOfThreads) {
  const auto points = normal_matrix(40 * 11, 4, 1);
  const auto s = unit_symmetric(11, 2);
  Workers one(RunOptions{.threads = 1});
  BlockGram gram(Gaussian{0.2}, points, 11, true, one);
  const auto expected = gram.project(s, one);
  for (const std::size_t threads : {1, 2, 3, 8}) {
    for (const bool stored : {true, false}) {
      Workers workers(RunOptions{.threads = threads});
      BlockGram other(Gaussian{0.2}, points, 11, stored, workers);
      const auto found = other.project(s, workers);
      EXPECT_TRUE(same_bits(found.coefficients, expected.coefficients));
      EXPECT_TRUE(same_bits(found.combination, expected.combination));
      EXPECT_EQ(found.residual2, expected.residual2);
      EXPECT_EQ(found.norm2, expected.norm2);
      EXPECT_TRUE(same_bits(other.partial_trace(workers), gram.partial_trace(one)));
    }
  }
}

TEST(BlockGram, CountsKernelValuesOncePerBlockAndPass) {
  const auto points = normal_matrix(20, 2, 1);
  Workers workers(RunOptions{.threads = 1});
  const std::uint64_t triangle = 4 * 5 / 2 * 25;
  BlockGram stored(Gaussian{1}, points, 5, true, workers);
  stored.partial_trace(workers);
  stored.project(unit_symmetric(5, 1), workers);
  EXPECT_EQ(stored.kernel_evaluations(), triangle);
  BlockGram recomputed(Gaussian{1}, points, 5, false, workers);
  recomputed.partial_trace(workers);
  EXPECT_EQ(recomputed.kernel_evaluations(), 4U * 25);
  recomputed.project(unit_symmetric(5, 1), workers);
  EXPECT_EQ(recomputed.kernel_evaluations(), 4U * 25 + triangle);
}

TEST(BlockGram, ScalesValuesWhoseSquaresOverflow) {
  auto points = normal_matrix(12, 2, 1, 1e60);
  Workers workers(RunOptions{.threads = 1});
  BlockGram gram(Polynomial{.gamma = 1, .degree = 2, .coef0 = 0}, points, 4, true, workers);
  const auto found = gram.project(unit_symmetric(4, 1), workers);
  EXPECT_TRUE(std::isfinite(found.norm2));
  EXPECT_GT(found.norm2, 0);
  points = normal_matrix(12, 2, 1, 1e100);
  EXPECT_THROW(BlockGram(Polynomial{.gamma = 1, .degree = 2, .coef0 = 0}, points, 4, true, workers),
               NumericalError);
}

TEST(BlockGram, StopsWhenCancelled) {
  const auto points = normal_matrix(400, 2, 1);
  Workers workers(RunOptions{.threads = 1, .cancelled = [] { return true; }});
  EXPECT_THROW(BlockGram(Gaussian{1}, points, 20, true, workers), Cancelled);
}

}  // namespace
}  // namespace mercer::engine
