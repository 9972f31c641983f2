#include "engine/bit_symmetric.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/every_target.h"
#include "engine/reference.h"
#include "engine/spelled_out.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::normal_matrix;
using testing::spelled_out;

/// A matrix of cosines between -1 and 1.
double entry(std::size_t i, std::size_t j) {
  return std::cos(static_cast<double>(i * j + i + j));
}

BlockEntries blocks_of(std::size_t n) {
  return [n](std::size_t i, std::size_t j, double* out) {
    const std::size_t width = panel_width<double>();
    for (std::size_t r = 0; r < std::min(kBlock, n - i * kBlock); ++r) {
      for (std::size_t c = 0; c < std::min(kBlock, n - j * kBlock); ++c) {
        out[(r / width * kBlock + c) * width + r % width] = entry(i * kBlock + r, j * kBlock + c);
      }
    }
  };
}

class BitsOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(BitsOnEveryTarget);

TEST_P(BitsOnEveryTarget, ProductsAreThoseOfTheMatrixItStandsFor) {
  for (const std::size_t n : {1U, 2U, 31U, 96U, 97U, 500U, 900U}) {
    Workers workers{{.threads = 2}};
    const BitSymmetric s(n, {.low = -1, .high = 1}, RandomStream(1), blocks_of(n), workers);
    const auto matrix = spelled_out(s, workers);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(matrix(i, i), 0);
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_EQ(matrix(i, j), matrix(j, i));
        EXPECT_TRUE(matrix(i, j) == 0 || matrix(i, j) == 2);
      }
    }
    const auto v = normal_matrix(n, 16, 3);
    auto y = normal_matrix(n, 16, 4);
    const auto before = y;
    s.add_product(v, y, workers);
    const auto expected = reference::multiply(matrix, v);
    double largest = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      y.data()[i] -= before.data()[i];
      largest = std::max(largest, std::abs(expected.data()[i]));
    }
    EXPECT_LE(testing::largest_difference(y, expected), 5e-14 * std::max(largest, 1.0)) << n;
  }
}

TEST(BitSymmetric, RowVariancesAreExact) {
  const std::size_t n = 230;
  Workers workers{{.threads = 2}};
  const EntryRounding rounding{.levels = EntryRange{-1, 1.5}};
  const BitSymmetric s(n, *rounding.levels, RandomStream(1), blocks_of(n), workers);
  EXPECT_TRUE(s.noise().all_seen);
  for (std::size_t i = 0; i < n; ++i) {
    double exact = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) exact += rounding.variance(entry(i, j));
    }
    EXPECT_NEAR(s.noise().row_variances[i], exact, 1e-11);
  }
}

TEST(BitSymmetric, LevelsThatAreTheEntriesThemselvesLeaveNoNoise) {
  const std::size_t n = 150;
  Workers workers{{.threads = 2}};
  const BlockEntries ones = [](std::size_t, std::size_t, double* out) {
    std::fill_n(out, kBlock * kBlock, 1.0);
  };
  const BitSymmetric all(n, {.low = 0, .high = 1}, RandomStream(1), ones, workers);
  const auto matrix = spelled_out(all, workers);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(matrix(i, j), i == j ? 0 : 1);
    EXPECT_EQ(all.noise().row_variances[i], 0);
  }
  const BitSymmetric equal(n, {.low = 1, .high = 1}, RandomStream(1), ones, workers);
  EXPECT_EQ(testing::largest_difference(spelled_out(equal, workers), Matrix<double>(n, n)), 0);
}

TEST(BitSymmetric, RangeLeavesOutTheDiagonal) {
  for (const std::size_t n : {1U, 2U, 100U, 200U}) {
    Workers workers{{.threads = 2}};
    const BlockEntries entries = [&](std::size_t i, std::size_t j, double* out) {
      blocks_of(n)(i, j, out);
      if (i != j) return;
      const std::size_t width = panel_width<double>();
      for (std::size_t r = 0; r < kBlock; ++r) {
        out[(r / width * kBlock + r) * width + r % width] = 9;
      }
    };
    EntryRange expected = EntryRange::nothing();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) expected.include(entry(i, j));
    }
    const EntryRange range = entry_range(n, entries, workers);
    EXPECT_EQ(range.low, n < 2 ? 0 : expected.low);
    EXPECT_EQ(range.high, n < 2 ? 0 : expected.high);
  }
}

TEST(BitSymmetric, BitsDoNotDependOnThreads) {
  const std::size_t n = 2500;
  const auto v = normal_matrix(n, 8, 3);
  const auto product = [&](std::size_t threads) {
    Workers workers{{.threads = threads}};
    const BitSymmetric s(n, {.low = -1, .high = 1}, RandomStream(2), blocks_of(n), workers);
    Matrix<double> y(n, 8);
    s.add_product(v, y, workers);
    for (std::size_t i = 0; i < n; ++i) y(i, 0) += s.noise().row_variances[i];
    return y;
  };
  const auto one = product(1);
  EXPECT_TRUE(testing::same_bits(one, product(2)));
  EXPECT_TRUE(testing::same_bits(one, product(5)));
}

}  // namespace
}  // namespace mercer::engine
