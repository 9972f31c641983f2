#include "engine/kernel_rows.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "engine/every_kernel.h"
#include "engine/every_target.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "numbers.h"

namespace mercer::engine {
namespace {

class KernelRowsOnEveryTarget : public testing::OnEveryTarget {};
INSTANTIATE_ON_EVERY_TARGET(KernelRowsOnEveryTarget);

TEST_P(KernelRowsOnEveryTarget, ValuesFollowTheFormulas) {
  for (const std::size_t d : {1U, 3U, 8U, 21U, 401U}) {
    const auto points = testing::uniform_matrix(150, d, d);
    for (const Kernel& kernel : testing::every_kernel()) {
      const KernelRows rows(kernel, points, distance_shift(kernel, points));
      for (const std::size_t count : {1U, 2U, 5U, 64U, 67U, 120U}) {
        std::vector<std::uint16_t> columns(count);
        for (std::size_t c = 0; c < count; ++c) {
          columns[c] = static_cast<std::uint16_t>((7 * c + 3) % 130);
        }
        std::vector<double> values(count);
        rows.values(rows, 4, 20, columns, values.data());
        for (std::size_t c = 0; c < count; ++c) {
          const double exact = kernel_value(kernel, points.row(4), points.row(20 + columns[c]));
          EXPECT_NEAR(values[c], exact, 2e-13 * std::max(1.0, std::abs(exact)))
              << kernel_name(kernel) << " d " << d << " count " << count << " at " << c;
        }
      }
    }
  }
}

TEST_P(KernelRowsOnEveryTarget, AValueHasTheSameBitsInAnyCompany) {
  const auto points = testing::normal_matrix(100, 13, 1);
  const KernelRows rows(Gaussian{0.1}, points, {});
  std::vector<std::uint16_t> columns(100);
  std::iota(columns.begin(), columns.end(), std::uint16_t{0});
  std::vector<double> together(100);
  rows.values(rows, 3, 0, columns, together.data());
  for (std::size_t c = 0; c < 100; ++c) {
    double alone = 0;
    rows.values(rows, 3, 0, {&columns[c], 1}, &alone);
    EXPECT_EQ(alone, together[c]);
  }
}

TEST(KernelRows, StayAccurateFarFromTheOrigin) {
  const auto points = testing::normal_matrix(40, 5, 2, 1, 1e6);
  const Kernel kernel = Gaussian{0.2};
  const KernelRows rows(kernel, points, distance_shift(kernel, points));
  const std::vector<std::uint16_t> columns = {1, 9, 39};
  std::vector<double> values(3);
  rows.values(rows, 0, 0, columns, values.data());
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(values[c], kernel_value(kernel, points.row(0), points.row(columns[c])), 1e-13);
  }
}

TEST(KernelRows, CustomKernelsAreCalledForTheseColumnsOnly) {
  const auto points = testing::normal_matrix(20, 2, 3);
  std::size_t calls = 0;
  const Kernel kernel = Custom{[&](std::span<const double> x, std::span<const double> y) {
    ++calls;
    return x[0] * y[0];
  }};
  const KernelRows rows(kernel, points, {});
  const std::vector<std::uint16_t> columns = {0, 5};
  std::vector<double> values(2);
  rows.values(rows, 7, 10, columns, values.data());
  EXPECT_EQ(calls, 2U);
  EXPECT_EQ(values[1], points(7, 0) * points(15, 0));
}

TEST(KernelRows, NameTheRowsOfABadValue) {
  const auto points = testing::normal_matrix(4, 2, 3);
  const Kernel nan = Custom{[](std::span<const double>, std::span<const double>) { return NAN; }};
  const KernelRows rows(nan, points, {});
  const std::vector<std::uint16_t> columns = {1};
  double value = 0;
  EXPECT_THROW(rows.values(rows, 2, 0, columns, &value), NumericalError);
  const Matrix<double> huge = testing::normal_matrix(4, 2, 3, 1e200);
  EXPECT_THROW(KernelRows(Gaussian{1.0}, huge, {}), NumericalError);
}

}  // namespace
}  // namespace mercer::engine
