#include "engine/tile.h"

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "engine/every_kernel.h"
#include "engine/every_target.h"
#include "engine/kernel_matrix.h"
#include "engine/kernel_points.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

using testing::every_kernel;
using testing::normal_matrix;
using testing::uniform_matrix;

/// Every instruction set of this CPU, not only the best one.
class TileOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(TileOnEveryTarget);

/// |got - exact| in units of the last place of the exact value, denormals included.
template <class T>
double ulps(T got, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<T>(exact), &exponent);
  const int last = std::max(exponent - std::numeric_limits<T>::digits,
                            std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) /
                             std::ldexp(1.0L, last));
}

template <class T>
double worst_exp2_error(long double lowest) {
  std::vector<T> t;
  const RandomStream random(5);
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const double u = random.uniform(i);
    switch (i % 3) {
      case 0:
        t.push_back(static_cast<T>(static_cast<double>(lowest) * u));
        break;
      case 1:
        t.push_back(static_cast<T>(-3 * u));
        break;
      default:
        t.push_back(static_cast<T>(-std::exp(-40 * u)));
        break;
    }
  }
  std::vector<T> out(t.size());
  exp2_array(t.data(), t.size(), out.data());
  double worst = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    worst = std::max(worst, ulps(out[i], std::exp2(static_cast<long double>(t[i]))));
  }
  return worst;
}

TEST_P(TileOnEveryTarget, RunsWhatWasAsked) {
  EXPECT_EQ(simd_target(), GetParam());
}

TEST_P(TileOnEveryTarget, Exp2IsAccurateDownToTheDenormals) {
  EXPECT_LT(worst_exp2_error<double>(-1074), 2.0);
  EXPECT_LT(worst_exp2_error<float>(-149), 3.0);
}

TEST_P(TileOnEveryTarget, Exp2AtTheEnds) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> t = {0.0, -0.0, -kInfinity, 1e-3, -1e9, -1.0, -2.0, -1023.0, -0.5};
  std::vector<double> out(t.size());
  exp2_array(t.data(), t.size(), out.data());
  EXPECT_EQ(out[0], 1.0);
  EXPECT_EQ(out[1], 1.0);
  EXPECT_EQ(out[2], 0.0);
  EXPECT_EQ(out[3], 1.0) << "rounding above 0 counts as 0";
  EXPECT_EQ(out[4], 0.0);
  EXPECT_EQ(out[5], 0.5);
  EXPECT_EQ(out[6], 0.25);
  EXPECT_EQ(out[7], std::exp2(-1023.0));
  EXPECT_NEAR(out[8], std::sqrt(0.5), 2e-16);
}

TEST_P(TileOnEveryTarget, PanelsFitTheBlock) {
  EXPECT_EQ(kBlock % panel_width<double>(), 0U);
  EXPECT_EQ(kBlock % panel_width<float>(), 0U);
}

/// Largest difference of a block from the formula, relative to the largest kernel value.
template <class T>
double block_error(const Kernel& kernel, std::size_t rows, std::size_t cols, std::size_t d) {
  const std::string name = kernel_name(kernel);
  const bool histogram = name.find("chi2") != std::string::npos;
  auto a = histogram ? uniform_matrix(rows, d, 1) : normal_matrix(rows, d, 1);
  auto b = histogram ? uniform_matrix(cols, d, 2) : normal_matrix(cols, d, 2);
  // Distances of size 1 whatever d, or every value would be 0 for large d.
  const double columns = static_cast<double>(d);
  const double scale_by =
      histogram || name == "laplacian_l1" ? 4 / columns : 2 / std::sqrt(columns);
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] *= scale_by;
  for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] *= scale_by;
  const auto exact = reference::kernel_matrix(kernel, a, b);
  const auto shift = distance_shift(kernel, a);
  const KernelPoints<T> packed_a(kernel, a.view(), shift);
  const KernelPoints<T> packed_b(kernel, b.view(), shift);
  const std::size_t width = panel_width<T>();
  std::vector<T> out(kBlock * kBlock);
  double scale = 0;
  double error = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) scale = std::max(scale, std::abs(exact(i, j)));
  }
  for (std::size_t bi = 0; bi < packed_a.blocks(); ++bi) {
    for (std::size_t bj = 0; bj < packed_b.blocks(); ++bj) {
      packed_a.block(bi, packed_b, bj, out.data());
      for (std::size_t i = 0; i < packed_a.block_size(bi); ++i) {
        for (std::size_t j = 0; j < packed_b.block_size(bj); ++j) {
          const double got =
              static_cast<double>(out[((i / width) * kBlock + j) * width + i % width]);
          error = std::max(error, std::abs(got - exact(bi * kBlock + i, bj * kBlock + j)));
        }
      }
    }
  }
  return error / scale;
}

TEST_P(TileOnEveryTarget, BlocksEqualTheFormulaForEveryKernelAndShape) {
  for (const Kernel& kernel : every_kernel()) {
    // Whole and partial panels, one and several blocks, short data and data cut into passes.
    for (const auto& [rows, cols, d] : {std::tuple{1, 1, 1},
                                        {5, 3, 2},
                                        {kBlock, kBlock, 7},
                                        {kBlock + 13, kBlock + 1, 16},
                                        {17, 9, 384},
                                        {20, 11, 385},
                                        {9, 6, 1000}}) {
      SCOPED_TRACE(kernel_name(kernel) + " d = " + std::to_string(d));
      EXPECT_LT(block_error<double>(kernel, rows, cols, d), 2e-14);
      EXPECT_LT(block_error<float>(kernel, rows, cols, d), 2e-5);
    }
  }
}

TEST_P(TileOnEveryTarget, DistancesSurviveALargeOffset) {
  const auto near = normal_matrix(40, 6, 3);
  const auto far = normal_matrix(40, 6, 3, 1, 1000);
  const Kernel kernel = Gaussian{0.2};
  const auto exact = reference::kernel_matrix(kernel, near, near);
  const KernelPoints<float> points(kernel, far.view(), distance_shift(kernel, far));
  std::vector<float> out(kBlock * kBlock);
  points.block(0, points, 0, out.data());
  const std::size_t width = panel_width<float>();
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      EXPECT_NEAR(out[((i / width) * kBlock + j) * width + i % width], exact(i, j), 2e-6);
    }
  }
}

TEST_P(TileOnEveryTarget, LaplacianOfCoincidingPointsIsExactlyOne) {
  auto points = normal_matrix(30, 8, 4, 1e3);
  std::ranges::copy(points.row(3), points.row(20).begin());
  const KernelPoints<double> packed(Laplacian{5.0}, points.view(),
                                    distance_shift(Laplacian{5.0}, points));
  std::vector<double> out(kBlock * kBlock);
  packed.block(0, packed, 0, out.data());
  const std::size_t width = panel_width<double>();
  EXPECT_EQ(out[((3 / width) * kBlock + 20) * width + 3 % width], 1.0);
}

TEST_P(TileOnEveryTarget, ProductsEqualTheDefinitionForEveryShape) {
  for (const std::size_t m : {1U, 2U, 5U, 12U, 13U, 29U}) {
    for (const std::size_t n : {8U, 16U, 24U, 32U, 40U}) {
      for (const std::size_t k : {1U, 7U, 64U}) {
        const auto a = normal_matrix(m, k, 1);
        const auto b = normal_matrix(k, n, 2);
        const auto start = normal_matrix(m, n, 3);
        auto expected = reference::multiply(a, b);
        for (std::size_t i = 0; i < expected.size(); ++i) expected.data()[i] += start.data()[i];
        auto c = start;
        multiply_add({.m = m,
                      .n = n,
                      .k = k,
                      .a = a.data(),
                      .a_row_stride = k,
                      .a_col_stride = 1,
                      .b = b.data(),
                      .b_stride = n,
                      .c = c.data(),
                      .c_stride = n});
        EXPECT_LT(testing::largest_difference(c, expected), 1e-13);

        Matrix<double> transposed(k, m);
        for (std::size_t i = 0; i < m; ++i) {
          for (std::size_t j = 0; j < k; ++j) transposed(j, i) = a(i, j);
        }
        auto from_transposed = start;
        multiply_add({.m = m,
                      .n = n,
                      .k = k,
                      .a = transposed.data(),
                      .a_row_stride = 1,
                      .a_col_stride = m,
                      .b = b.data(),
                      .b_stride = n,
                      .c = from_transposed.data(),
                      .c_stride = n});
        EXPECT_TRUE(testing::same_bits(c, from_transposed));
      }
    }
  }
}

/// Sums over a block of this shape; of squares with factors of this rank, if any.
template <class T>
void expect_block_sums(std::size_t width, std::size_t rows, std::size_t cols,
                       std::optional<std::size_t> rank) {
  const auto values = normal_matrix(rows, cols, 1);
  const auto row_weights = normal_matrix(1, rows, 2);
  const auto col_weights = normal_matrix(1, cols, 3);
  const auto row_factors = normal_matrix(rank.value_or(0), rows + 1, 4);
  const auto col_factors = normal_matrix(cols, rank.value_or(0) + 2, 5);
  // What is no row of the block is never read as a number.
  std::vector<T> block(kBlock * kBlock, std::numeric_limits<T>::quiet_NaN());
  Matrix<double> expected_rows(1, rows);
  Matrix<double> expected_cols(1, cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      const T value = static_cast<T>(values(i, j));
      block[(i / width * kBlock + j) * width + i % width] = value;
      auto x = static_cast<double>(value);
      for (std::size_t l = 0; l < rank.value_or(0); ++l) x += row_factors(l, i) * col_factors(j, l);
      if (rank) x *= x;
      expected_rows(0, i) += x * col_weights(0, j);
      expected_cols(0, j) += x * row_weights(0, i);
    }
  }
  Matrix<double> row_sums(1, rows);
  Matrix<double> only_row_sums(1, rows);
  Matrix<double> col_sums(1, cols);
  BlockSumArgs<T> args{.block = block.data(),
                       .width = width,
                       .rows = rows,
                       .cols = cols,
                       .row_weights = row_weights.data(),
                       .col_weights = col_weights.data(),
                       .row_sums = row_sums.data(),
                       .col_sums = col_sums.data(),
                       .squared = rank.has_value(),
                       .rank = rank.value_or(0),
                       .row_factors = row_factors.data(),
                       .row_factor_stride = row_factors.cols(),
                       .col_factors = col_factors.data(),
                       .col_factor_stride = col_factors.cols()};
  add_block_sums(args);
  const double tolerance = 1e-13 * (1 + static_cast<double>(rank.value_or(0)));
  EXPECT_LT(testing::largest_difference(row_sums, expected_rows), tolerance);
  EXPECT_LT(testing::largest_difference(col_sums, expected_cols), tolerance);
  args.row_sums = only_row_sums.data();
  args.col_sums = nullptr;
  args.row_weights = nullptr;
  add_block_sums(args);
  EXPECT_TRUE(testing::same_bits(row_sums, only_row_sums));
}

template <class T>
void expect_block_sums() {
  for (const std::size_t width : {panel_width<double>(), panel_width<float>()}) {
    for (const std::size_t rows : {1U, 2U, 7U, 24U, 25U, 50U, 96U}) {
      for (const std::size_t cols : {1U, 5U, 17U, 96U}) {
        expect_block_sums<T>(width, rows, cols, std::nullopt);
        for (const std::size_t rank : {0U, 1U, 3U}) expect_block_sums<T>(width, rows, cols, rank);
      }
    }
  }
}

TEST_P(TileOnEveryTarget, KernelsAreSymmetricToTheLastBit) {
  const auto many = uniform_matrix(50, 7, 1);
  const auto few = uniform_matrix(5, 7, 2);
  const std::size_t width = panel_width<double>();
  for (const Kernel& kernel : testing::every_kernel()) {
    const auto shift = distance_shift(kernel, many);
    const KernelPoints<double> a(kernel, many.view(), shift);
    const KernelPoints<double> b(kernel, few.view(), shift);
    if (!a.tiled()) continue;
    auto ab = Matrix<double>::uninitialized(kBlock, kBlock);
    auto ba = Matrix<double>::uninitialized(kBlock, kBlock);
    a.block(0, b, 0, ab.data());
    b.block(0, a, 0, ba.data());
    for (std::size_t i = 0; i < many.rows(); ++i) {
      for (std::size_t j = 0; j < few.rows(); ++j) {
        EXPECT_EQ(ab.data()[(i / width * kBlock + j) * width + i % width],
                  ba.data()[(j / width * kBlock + i) * width + j % width])
            << kernel_name(kernel);
      }
    }
  }
}

TEST_P(TileOnEveryTarget, BlockSumsEqualTheDefinitionForEveryShape) {
  expect_block_sums<double>();
  expect_block_sums<float>();
}

TEST_P(TileOnEveryTarget, ProductBitsDoNotDependOnTheCut) {
  const auto a = normal_matrix(37, 50, 1);
  const auto b = normal_matrix(50, 32, 2);
  Matrix<double> whole(37, 32);
  multiply_add({.m = 37,
                .n = 32,
                .k = 50,
                .a = a.data(),
                .a_row_stride = 50,
                .a_col_stride = 1,
                .b = b.data(),
                .b_stride = 32,
                .c = whole.data(),
                .c_stride = 32});
  Matrix<double> parts(37, 32);
  for (std::size_t i = 0; i < 37; i += 5) {
    for (std::size_t j = 0; j < 32; j += 8) {
      for (std::size_t k = 0; k < 50; k += 17) {
        multiply_add({.m = std::min<std::size_t>(5, 37 - i),
                      .n = 8,
                      .k = std::min<std::size_t>(17, 50 - k),
                      .a = &a(i, k),
                      .a_row_stride = 50,
                      .a_col_stride = 1,
                      .b = &b(k, j),
                      .b_stride = 32,
                      .c = &parts(i, j),
                      .c_stride = 32});
      }
    }
  }
  EXPECT_TRUE(testing::same_bits(whole, parts));
}

/// A tall matrix in panels of columns, [panel][row][column in panel], with room for more rows.
template <class T>
struct Panels {
  Panels(std::size_t panels, std::size_t rows, std::size_t room, std::uint64_t seed)
      : width(panel_width<T>()), stride(room * width), values(panels * stride, T{-7}) {
    const auto numbers = normal_matrix(panels * width, rows, seed);
    for (std::size_t c = 0; c < panels * width; ++c) {
      for (std::size_t r = 0; r < rows; ++r) at(r, c) = static_cast<T>(numbers(c, r));
    }
  }
  T& at(std::size_t r, std::size_t c) { return values[c / width * stride + r * width + c % width]; }

  std::size_t width;
  std::size_t stride;
  std::vector<T> values;
};

/// Against the definition, relative to the size of the sums; what lies beyond stays as it was.
template <class T>
void expect_scatter(std::size_t row_panels, std::size_t col_panels, std::size_t depth,
                    double tolerance) {
  Panels<T> x(row_panels, depth, depth + 3, 1);
  Panels<T> y(col_panels, depth, depth + 3, 2);
  const std::size_t width = x.width;
  const std::size_t columns = col_panels * width;
  const std::size_t out_stride = (columns + 2) * width;
  std::vector<T> out(row_panels * out_stride, T{0.5});
  add_scatter<T>({.rows = x.values.data(),
                  .row_panels = row_panels,
                  .cols = y.values.data(),
                  .col_count = columns,
                  .panel_stride = x.stride,
                  .depth = depth,
                  .out = out.data(),
                  .out_stride = out_stride});
  for (std::size_t i = 0; i < row_panels * width; ++i) {
    const T* panel = out.data() + i / width * out_stride + i % width;
    for (std::size_t j = 0; j < columns; ++j) {
      double expected = 0.5;
      double size = 0.5;
      for (std::size_t r = 0; r < depth; ++r) {
        const double product = static_cast<double>(x.at(r, i)) * static_cast<double>(y.at(r, j));
        expected += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(static_cast<double>(panel[j * width]), expected, tolerance * size)
          << i << ' ' << j;
    }
    for (std::size_t j = columns; j < columns + 2; ++j) ASSERT_EQ(panel[j * width], T{0.5});
  }
}

TEST_P(TileOnEveryTarget, ScatterAddsTheProductsOfColumns) {
  for (const std::size_t row_panels : {1U, 3U}) {
    for (const std::size_t col_panels : {1U, 2U}) {
      for (const std::size_t depth : {0U, 1U, 7U, 96U, 257U}) {
        SCOPED_TRACE(std::to_string(row_panels) + ' ' + std::to_string(col_panels) + ' ' +
                     std::to_string(depth));
        expect_scatter<double>(row_panels, col_panels, depth, 1e-15);
        expect_scatter<float>(row_panels, col_panels, depth, 1e-6);
      }
    }
  }
}

template <class T>
void expect_centred(std::size_t rows, bool scaled, double tolerance) {
  Panels<T> panel(1, rows, rows + 1, 3);
  Panels<T> before = panel;
  const std::size_t width = panel.width;
  const auto shift = normal_matrix(1, width, 4);
  auto scale = uniform_matrix(1, rows + 1, 5);
  for (double& factor : scale.row(0)) factor = 0.5 + 2 * factor;
  std::vector<double> sums(width + 1, 0.25);
  center_panel(panel.values.data(), rows, shift.data(), scaled ? scale.data() : nullptr,
               sums.data());
  for (std::size_t c = 0; c < width; ++c) {
    double expected_sum = 0.25;
    for (std::size_t r = 0; r < rows; ++r) {
      const double factor = scaled ? scale(0, r) : 1.0;
      const double expected = (static_cast<double>(before.at(r, c)) - shift(0, c)) * factor;
      ASSERT_NEAR(static_cast<double>(panel.at(r, c)), expected, 10 * tolerance) << r << ' ' << c;
      expected_sum += factor * expected;
    }
    ASSERT_NEAR(sums[c], expected_sum, 10 * tolerance * static_cast<double>(rows + 1)) << c;
    ASSERT_EQ(panel.at(rows, c), T{-7}) << "rows after the last were touched";
  }
  EXPECT_EQ(sums[width], 0.25);
}

TEST_P(TileOnEveryTarget, PanelsAreCentredAndScaledByRow) {
  for (const std::size_t rows : {0U, 1U, 5U, 96U, 97U}) {
    for (const bool scaled : {false, true}) {
      SCOPED_TRACE(std::to_string(rows) + (scaled ? " scaled" : ""));
      expect_centred<double>(rows, scaled, 1e-15);
      expect_centred<float>(rows, scaled, 3e-7);
    }
  }
}

TEST_P(TileOnEveryTarget, PromotedBlocksAddTheSameRowsAndColumns) {
  const std::size_t narrow = panel_width<float>();
  const std::size_t wide = panel_width<double>();
  std::vector<float> from(kBlock * kBlock);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i) + 0.25F;
  std::vector<double> to(from.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = -2.0 * static_cast<double>(i);
  const auto before = to;
  add_promoted_block(from.data(), to.data());
  for (std::size_t row = 0; row < kBlock; ++row) {
    for (std::size_t col = 0; col < kBlock; ++col) {
      const std::size_t target = (row / wide * kBlock + col) * wide + row % wide;
      const float added = from[(row / narrow * kBlock + col) * narrow + row % narrow];
      ASSERT_EQ(to[target], before[target] + static_cast<double>(added)) << row << ' ' << col;
    }
  }
}

TEST_P(TileOnEveryTarget, PromoteKeepsEveryFloat) {
  std::vector<float> from;
  for (int i = 0; i < 37; ++i) from.push_back(static_cast<float>(i) * 0.1F - 1.0F);
  std::vector<double> to(from.size(), -7);
  promote(from.data(), from.size(), to.data());
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(to[i], static_cast<double>(from[i]));
}

TEST_P(TileOnEveryTarget, PeaksCountTheirWork) {
  EXPECT_GT(run_fma_peak<double>(1000).flops, 1000.0);
  EXPECT_GT(run_fma_peak<float>(1000).flops, 1000.0);
  EXPECT_EQ(run_exp_peak<double>(10).flops, 3840.0);
  EXPECT_EQ(run_exp_peak<float>(10).flops, 3840.0);
}

}  // namespace
}  // namespace mercer::engine
