#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "engine/pivoted_cholesky.h"
#include "engine/random.h"
#include "engine/reference.h"
#include "golden/golden.h"

namespace mercer::testing {

using Rows = std::vector<std::size_t>;

inline Rows to_rows(std::span<const std::size_t> rows) {
  return {rows.begin(), rows.end()};
}

inline Rows to_rows(const std::vector<double>& numbers) {
  Rows rows;
  for (const double number : numbers) rows.push_back(static_cast<std::size_t>(number));
  return rows;
}

/// 240 points about a circle with recorded draws (tests/golden/README.md).
class Circle : public ::testing::Test {
 protected:
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  golden::Golden recorded_ = golden::Golden::load("landmarks/circle240.txt");
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
  const Matrix<double>& points_ = exact_["train"];
  Matrix<double> gram_ = engine::reference::kernel_matrix(kernel_, points_, points_);
  engine::RandomStream stream_{static_cast<std::uint64_t>(recorded_.number("seed"))};
  engine::Workers workers_{{.threads = 2}};
};

/// What makes it the partial Cholesky factor of `gram`, whatever the pivots.
inline void expect_factor_of(MatrixView<const double> gram, const engine::PartialCholesky& factor,
                             double tolerance = 1e-12) {
  const auto g = factor.factor();
  const auto pivots = factor.pivots();
  const auto lower = factor.pivot_factor();
  double scale = 0;
  for (const double value : factor.diagonal()) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    for (std::size_t j = 0; j < pivots.size(); ++j) {
      double product = 0;
      for (std::size_t c = 0; c < pivots.size(); ++c) product += lower(i, c) * lower(j, c);
      ASSERT_NEAR(product, gram(pivots[i], pivots[j]), tolerance * scale) << i << ' ' << j;
      ASSERT_EQ(lower(i, j), g(pivots[i], j));
      if (j > i) {
        ASSERT_EQ(g(pivots[i], j), 0);
      }
    }
    ASSERT_EQ(factor.residuals()[pivots[i]], 0);
  }
  for (std::size_t i = 0; i < g.rows(); ++i) {
    double explained = 0;
    for (const double value : g.row(i)) explained += value * value;
    ASSERT_NEAR(factor.residuals()[i], std::max(factor.diagonal()[i] - explained, 0.0),
                tolerance * scale)
        << i;
    for (std::size_t p = 0; p < pivots.size(); ++p) {
      double product = 0;
      for (std::size_t c = 0; c < pivots.size(); ++c) product += g(i, c) * lower(p, c);
      ASSERT_NEAR(product, gram(i, pivots[p]), tolerance * scale) << i << ' ' << p;
    }
  }
}

}  // namespace mercer::testing
