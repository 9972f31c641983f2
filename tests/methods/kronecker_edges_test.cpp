// The corners of Kronecker-factorised kernel PCA: tiny, degenerate, indefinite and impossible
// input.

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/kronecker.h>

#include "model/error_message.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference_up_to_sign;
using testing::message_of;
using testing::normal_matrix;

/// At most three rows make one group: the product is the kernel matrix.
TEST(KroneckerEdges, OneToThreeRowsAreExact) {
  const auto fresh = normal_matrix(5, 2, 2);
  for (const std::size_t n : {1, 2, 3}) {
    const auto points = normal_matrix(n, 2, 1);
    for (const bool center : {true, false}) {
      if (n == 1 && center) continue;
      const auto fit = fit_kronecker(points, Gaussian{0.5}, {.center = center});
      const auto exact = fit_exact(points, Gaussian{0.5}, {.center = center});
      EXPECT_EQ(fit.summary.components, center ? n - 1 : n);
      EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
      EXPECT_LT(fit.summary.bounds[0].value, 1e-14);
      EXPECT_LT(
          largest_difference_up_to_sign(fit.model.transform(fresh), exact.model.transform(fresh)),
          1e-12);
    }
  }
  EXPECT_NE(message_of<NumericalError>([] {
              fit_kronecker(normal_matrix(1, 2, 1), Gaussian{0.5});
            }).find("do not vary"),
            std::string::npos);
}

/// Every number of rows up to 40, primes among them, and every number of groups.
TEST(KroneckerEdges, EverySizeWorks) {
  for (std::size_t n = 2; n <= 40; ++n) {
    const auto points = normal_matrix(n, 2, n);
    for (std::size_t groups = 1; groups <= n; ++groups) {
      for (const bool center : {true, false}) {
        const auto fit =
            fit_kronecker(points, Gaussian{0.5},
                          {.components = 3, .center = center, .groups = groups}, {.threads = 1});
        EXPECT_GE(fit.summary.components, 1U);
        EXPECT_LE(fit.summary.components, 3U);
        EXPECT_EQ(fit.summary.library_size, n);
      }
    }
  }
}

TEST(KroneckerEdges, OneGroupOrGroupsOfOneAreExact) {
  const auto points = normal_matrix(30, 3, 1);
  const auto exact = fit_exact(points, Gaussian{0.3}, {.components = 4, .center = false});
  for (const std::size_t groups : {1, 30}) {
    const auto fit =
        fit_kronecker(points, Gaussian{0.3}, {.components = 4, .center = false, .groups = groups});
    EXPECT_LT(fit.summary.bounds[0].value, 1e-14);
    EXPECT_LT(
        largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
        1e-11);
  }
}

TEST(KroneckerEdges, FewerRowsThanComponents) {
  const auto points = normal_matrix(11, 3, 1);  // prime: 3 x 3, two rows left over
  const auto fit = fit_kronecker(points, Gaussian{0.5}, {.components = 20, .center = false});
  EXPECT_EQ(fit.summary.components, 9U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(KroneckerEdges, EqualRowsHaveOneComponentOrNone) {
  Matrix<double> points(50, 3);
  std::fill_n(points.data(), points.size(), 2.5);
  for (const Kernel& kernel : {Kernel(Gaussian{1.0}), Kernel(Linear{})}) {
    EXPECT_NE(
        message_of<NumericalError>([&] { fit_kronecker(points, kernel); }).find("do not vary"),
        std::string::npos);
  }
  const auto fit = fit_kronecker(points, Gaussian{1.0}, {.center = false});
  EXPECT_EQ(fit.summary.components, 1U);
  EXPECT_NEAR(fit.summary.eigenvalues[0], 49, 1e-12) << "7 x 7, one row left over";
  EXPECT_LT(fit.summary.bounds[0].value, 1e-14);
  EXPECT_THROW(fit_kronecker(points, Gaussian{}), DataError) << "no bandwidth";
}

TEST(KroneckerEdges, DuplicatesInTurnsAreAProduct) {
  // Each of 6 points 8 times in a row: K is that of the 6 points with a block of ones in each
  // entry.
  const auto distinct = normal_matrix(6, 3, 1);
  const auto points = testing::repeat_rows(distinct, std::vector<double>(6, 8.0));
  const auto fit = fit_kronecker(points, Gaussian{0.5},
                                 {.center = false, .order = KroneckerOrder::file, .groups = 6});
  const auto exact = fit_exact(points, Gaussian{0.5}, {.center = false});
  EXPECT_LT(fit.summary.bounds[0].value, 1e-14);
  EXPECT_EQ(fit.summary.components, 6U);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j], 1e-11);
  }
  EXPECT_LE(fit_kronecker(points, Gaussian{0.5}).summary.components, 5U);
}

TEST(KroneckerEdges, IndefiniteKernelsAreReported) {
  const auto points = normal_matrix(100, 3, 1, 2);
  for (const bool center : {true, false}) {
    const auto fit = fit_kronecker(points, Sigmoid{.gamma = 0.5, .coef0 = -1}, {.center = center});
    bool reported = false;
    for (const std::string& warning : fit.summary.warnings) {
      reported = reported || warning.find("not positive semi-definite") != std::string::npos;
    }
    EXPECT_TRUE(reported);
    for (const double value : fit.summary.eigenvalues) EXPECT_GT(value, 0);
  }
}

TEST(KroneckerEdges, NegativeAndZeroKernelsHaveNoComponents) {
  const auto points = normal_matrix(20, 2, 1);
  Custom negative;
  negative.name = "negative";
  negative.function = [](auto x, auto y) { return x[0] == y[0] ? -1.0 : 0.0; };
  Custom zero;
  zero.name = "zero";
  zero.function = [](auto, auto) { return 0.0; };
  for (const bool center : {true, false}) {
    EXPECT_THROW(fit_kronecker(points, negative, {.center = center}), NumericalError);
    EXPECT_THROW(fit_kronecker(points, zero, {.center = center}), NumericalError);
  }
}

TEST(KroneckerEdges, HugeAndTinyKernelValues) {
  const auto points = normal_matrix(60, 3, 1);
  const auto plain = fit_kronecker(points, Linear{}, {.components = 3, .groups = 6});
  for (const double scale : {1e-120, 1e120}) {
    const auto fit =
        fit_kronecker(normal_matrix(60, 3, 1, scale), Linear{}, {.components = 3, .groups = 6});
    EXPECT_NEAR(fit.summary.bounds[0].value, plain.summary.bounds[0].value, 1e-10);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(fit.summary.eigenvalues[j] / scale / scale / plain.summary.eigenvalues[j], 1,
                  1e-9);
    }
  }
}

TEST(KroneckerEdges, RefusesWhatItCannotDo) {
  const auto points = normal_matrix(10, 3, 1);
  const auto invalid = [&](const KroneckerOptions& options) {
    return message_of<InvalidArgument>([&] { fit_kronecker(points, Gaussian{1.0}, options); });
  };
  EXPECT_NE(invalid({.groups = 11}).find("groups is 11, but there are only 10 rows"),
            std::string::npos);
  EXPECT_NE(invalid({.groups = 0}).find("groups is 0"), std::string::npos);
  EXPECT_NE(invalid({.components = 0}).find("components is 0"), std::string::npos);
  EXPECT_NE(invalid({.sweep_tolerance = 0}).find("sweep_tolerance is 0"), std::string::npos);
  EXPECT_NE(invalid({.max_sweeps = 0}).find("max_sweeps is 0"), std::string::npos);
  EXPECT_NE(invalid({.retain = 0.5, .min_eigenvalue = 1}).find("give one"), std::string::npos);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              fit_kronecker(normal_matrix(4, 4, 1), Precomputed{});
            }).find("exact costs no more"),
            std::string::npos);
  EXPECT_THROW(fit_kronecker(Matrix<double>(0, 3), Gaussian{1.0}), DataError);
  EXPECT_THROW(fit_kronecker(Matrix<double>(3, 0), Gaussian{1.0}), DataError);
  auto broken = normal_matrix(10, 3, 1);
  broken(4, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(fit_kronecker(broken, Gaussian{1.0}), DataError);
}

TEST(KroneckerEdges, RespectsTheMemoryLimit) {
  const auto points = normal_matrix(2000, 2, 1);
  EXPECT_NE(message_of<MemoryLimitError>([&] {
              fit_kronecker(points, Gaussian{1.0}, {.groups = 2000},
                            {.memory_limit_bytes = std::size_t{16} << 20});
            }).find("leave groups near the square root"),
            std::string::npos);
  EXPECT_THROW(fit_kronecker(points, Gaussian{1.0}, {.retain = 1},
                             {.memory_limit_bytes = std::size_t{16} << 20}),
               MemoryLimitError);
}

TEST(KroneckerEdges, StopsWhenCancelledAndReportsProgress) {
  const auto points = normal_matrix(900, 2, 1);
  EXPECT_THROW(fit_kronecker(points, Gaussian{1.0}, {}, {.cancelled = [] { return true; }}),
               Cancelled);
  std::vector<std::string> phases;
  fit_kronecker(points, Gaussian{1.0}, {}, {.progress = [&](const Progress& progress) {
                  if (phases.empty() || phases.back() != progress.phase) {
                    phases.emplace_back(progress.phase);
                  }
                  EXPECT_GE(progress.fraction, 0);
                  EXPECT_LE(progress.fraction, 1);
                }});
  EXPECT_NE(std::ranges::find(phases, "product"), phases.end());
}

}  // namespace
}  // namespace mercer
