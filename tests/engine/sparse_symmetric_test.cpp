#include "engine/sparse_symmetric.h"

#include <atomic>
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

/// Entries of a dense matrix.
SparseSymmetric::Entries entries_of(const Matrix<double>& a) {
  return [&a](std::size_t row, std::size_t first, std::span<const std::uint16_t> columns,
              double* out) {
    for (std::size_t c = 0; c < columns.size(); ++c) out[c] = a(row, first + columns[c]);
  };
}

Matrix<double> symmetric(std::size_t n, std::uint64_t seed) {
  auto a = testing::uniform_matrix(n, n, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(j, i) = a(i, j);
  }
  return a;
}

class SparseOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(SparseOnEveryTarget);

TEST_P(SparseOnEveryTarget, ProductsAreThoseOfTheMatrixItStandsFor) {
  for (const std::size_t n : {1U, 2U, 50U, 768U, 769U, 1700U}) {
    Workers workers{{.threads = 2}};
    const auto a = symmetric(n, n);
    for (const auto& levels : {std::optional<EntryRange>{}, std::optional(EntryRange{-0.5, 2})}) {
      const SparseSymmetric s(n, {.sparsity = 5, .levels = levels}, RandomStream(1), entries_of(a),
                              workers);
      const auto v = normal_matrix(n, 16, 3);
      auto y = normal_matrix(n, 16, 4);
      const auto before = y;
      s.add_product(v, y, workers);
      const auto expected = reference::multiply(spelled_out(s, workers), v);
      double largest = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        y.data()[i] -= before.data()[i];
        largest = std::max(largest, std::abs(expected.data()[i]));
      }
      EXPECT_LE(testing::largest_difference(y, expected), 5e-14 * std::max(largest, 1.0)) << n;
    }
  }
}

TEST(SparseSymmetric, EntriesAreZeroOrScaledOrOneOfTheLevels) {
  Workers workers{{.threads = 2}};
  const std::size_t n = 900;
  const auto a = symmetric(n, 7);
  const SparseSymmetric values(n, {.sparsity = 4}, RandomStream(1), entries_of(a), workers);
  const SparseSymmetric levels(n, {.sparsity = 4, .levels = EntryRange{-0.25, 1.5}},
                               RandomStream(1), entries_of(a), workers);
  const auto k = spelled_out(values, workers);
  const auto l = spelled_out(levels, workers);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(k(i, i), 0);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_EQ(k(i, j), k(j, i));
      EXPECT_TRUE(k(i, j) == 0 || k(i, j) == 4 * a(i, j));
      EXPECT_TRUE(l(i, j) == 0 || l(i, j) == -1 || l(i, j) == 6);
      EXPECT_EQ(k(i, j) == 0, l(i, j) == 0);  // the same skips
      if (k(i, j) != 0) ++kept;
    }
  }
  EXPECT_EQ(kept, values.kept());
}

TEST(SparseSymmetric, KeepsEverythingAtSparsityOne) {
  Workers workers{{.threads = 2}};
  auto a = symmetric(130, 3);
  const SparseSymmetric s(130, {}, RandomStream(1), entries_of(a), workers);
  for (std::size_t i = 0; i < 130; ++i) a(i, i) = 0;
  EXPECT_EQ(testing::largest_difference(spelled_out(s, workers), a), 0);
  EXPECT_TRUE(s.noise().all_seen);
  for (const double variance : s.noise().row_variances) EXPECT_EQ(variance, 0);
}

TEST(SparseSymmetric, ComputesOnlyWhatItKeeps) {
  Workers workers{{.threads = 2}};
  std::atomic<std::uint64_t> computed = 0;
  const SparseSymmetric s(
      2000, {.sparsity = 20}, RandomStream(5),
      [&](std::size_t row, std::size_t first, std::span<const std::uint16_t> columns, double* out) {
        computed += columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c) {
          EXPECT_LT(first + columns[c], row);
          out[c] = 1;
        }
      },
      workers);
  EXPECT_EQ(computed, s.kept());
}

TEST(SparseSymmetric, TheNumberKeptIsBinomial) {
  // 400 points, s = 7: 79800 pairs, mean 11400, standard deviation 98.85.
  Workers workers{{.threads = 1}};
  constexpr int kDraws = 400;
  double sum = 0;
  double squares = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const SparseSymmetric s(
        400, {.sparsity = 7}, RandomStream(static_cast<std::uint64_t>(draw)),
        [](std::size_t, std::size_t, std::span<const std::uint16_t> columns, double* out) {
          std::fill_n(out, columns.size(), 1.0);
        },
        workers);
    const double difference = static_cast<double>(s.kept()) - 11400;
    sum += difference;
    squares += difference * difference;
  }
  EXPECT_LT(std::abs(sum / kDraws), 5 * 98.85 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws), 98.85, 5 * 98.85 / std::sqrt(2.0 * kDraws));
}

TEST(SparseSymmetric, EstimatesTheVariancesOfItsRowsWithoutBias) {
  Workers workers{{.threads = 1}};
  const std::size_t n = 60;
  const auto a = symmetric(n, 11);
  const EntryRounding rounding{.sparsity = 3};
  std::vector<double> exact(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i != j) exact[i] += rounding.variance(a(i, j));
    }
  }
  std::vector<double> mean(n, 0.0);
  constexpr int kDraws = 2000;
  for (int draw = 0; draw < kDraws; ++draw) {
    const SparseSymmetric s(n, rounding, RandomStream(static_cast<std::uint64_t>(draw)),
                            entries_of(a), workers);
    for (std::size_t i = 0; i < n; ++i) mean[i] += s.noise().row_variances[i] / kDraws;
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(mean[i] / exact[i], 1, 0.04);
}

TEST(SparseSymmetric, BitsDoNotDependOnThreads) {
  const std::size_t n = 2500;
  const auto v = normal_matrix(n, 8, 3);
  const auto product = [&](std::size_t threads) {
    Workers workers{{.threads = threads}};
    const SparseSymmetric s(
        n, {.sparsity = 9}, RandomStream(2),
        [](std::size_t row, std::size_t first, std::span<const std::uint16_t> columns,
           double* out) {
          for (std::size_t c = 0; c < columns.size(); ++c) {
            out[c] = std::cos(static_cast<double>(row * (first + columns[c])));
          }
        },
        workers);
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
