#include "engine/triangular.h"

#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/reference.h"
#include "engine/tile.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

/// Well conditioned; what stands above the diagonal must not be read.
Matrix<double> triangle(std::size_t n) {
  auto l = testing::normal_matrix(n, n, n, 1 / std::sqrt(static_cast<double>(n)));
  for (std::size_t i = 0; i < n; ++i) {
    l(i, i) = 2 + std::abs(l(i, i));
    for (std::size_t j = i + 1; j < n; ++j) l(i, j) = std::numeric_limits<double>::quiet_NaN();
  }
  return l;
}

TEST(LowerTriangle, SolveUndoesTheProduct) {
  for (const std::size_t n : {1U, 47U, 48U, 49U, 200U}) {
    const auto l = triangle(n);
    auto zeros_above = l;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) zeros_above(i, j) = 0;
    }
    const LowerTriangle solver(l);
    ASSERT_EQ(solver.size(), n);
    for (const std::size_t columns :
         {kProductColumns, 5 * kProductColumns, panel_width<double>()}) {
      const auto x = testing::normal_matrix(n, columns, 2);
      auto b = reference::multiply(zeros_above, x);
      solver.solve(b);
      EXPECT_LT(testing::largest_difference(b, x), 1e-12) << n << ' ' << columns;
    }
  }
}

TEST(LowerTriangle, ColumnsDoNotDependOnTheirNeighbours) {
  const LowerTriangle solver(triangle(130));
  auto together = testing::normal_matrix(130, 24, 3);
  Matrix<double> apart(together.view().cols_from(8, 8));
  solver.solve(together);
  solver.solve(apart);
  EXPECT_TRUE(testing::same_bits(together.view().cols_from(8, 8), apart));
}

TEST(LowerTriangle, ThreadsShareAnyNumberOfColumns) {
  const auto l = triangle(130);
  const LowerTriangle solver(l);
  for (const std::size_t columns : {1U, 95U, 96U, 203U}) {
    const auto b = testing::normal_matrix(130, columns, 4);
    Matrix<double> padded(130, padded_columns(columns));
    for (std::size_t i = 0; i < 130; ++i) std::ranges::copy(b.row(i), padded.row(i).begin());
    solver.solve(padded);
    for (const std::size_t threads : {1, 3}) {
      Workers workers(RunOptions{.threads = threads});
      auto x = b;
      solver.solve(x, workers);
      EXPECT_TRUE(testing::same_bits(x, padded.view().cols_from(0, columns))) << columns;
    }
  }
}

TEST(LowerTriangle, OtherShapesAreRefused) {
  Matrix<double> oblong(3, 4);
  EXPECT_THROW(LowerTriangle{oblong}, InvalidArgument);
  Matrix<double> b(4, 8);
  EXPECT_THROW(LowerTriangle(triangle(3)).solve(b), InvalidArgument);
}

}  // namespace
}  // namespace mercer::engine
