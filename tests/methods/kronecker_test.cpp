#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/kronecker.h>

#include "engine/blas.h"
#include "engine/reference.h"
#include "model/json_schema.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::reference::kernel_matrix;
using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;
using testing::same_bits;

constexpr KroneckerOrder kOrders[] = {KroneckerOrder::bisection, KroneckerOrder::principal,
                                      KroneckerOrder::file, KroneckerOrder::random};

double relative_error(const Fit& fit) {
  EXPECT_EQ(fit.summary.bounds.at(0).name, "relative_frobenius_error");
  EXPECT_TRUE(fit.summary.bounds[0].rigorous);
  return fit.summary.bounds[0].value;
}

std::string choice(const Fit& fit, const std::string& what) {
  for (const Choice& made : fit.summary.choices) {
    if (made.what == what) return made.value;
  }
  return "none";
}

/// K1 (x) K2 nearest to k: the first singular pair of the blocks spread out as rows, put back.
struct DenseProduct {
  Matrix<double> product;
  double relative_error = 0;
};
DenseProduct dense_product(MatrixView<const double> k, std::size_t n2) {
  const std::size_t n1 = k.rows() / n2;
  Matrix<double> spread(n1 * n1, n2 * n2);
  for (std::size_t r = 0; r < k.rows(); ++r) {
    for (std::size_t c = 0; c < k.rows(); ++c) {
      spread(r / n2 * n1 + c / n2, r % n2 * n2 + c % n2) = k(r, c);
    }
  }
  const auto svd = engine::singular_values(spread);
  DenseProduct result{.product = Matrix<double>(k.rows(), k.rows())};
  double residual2 = 0;
  double norm2 = 0;
  for (std::size_t r = 0; r < k.rows(); ++r) {
    for (std::size_t c = 0; c < k.rows(); ++c) {
      const double value =
          svd.values[0] * svd.left(r / n2 * n1 + c / n2, 0) * svd.right(0, r % n2 * n2 + c % n2);
      result.product(r, c) = value;
      residual2 += (k(r, c) - value) * (k(r, c) - value);
      norm2 += k(r, c) * k(r, c);
    }
  }
  result.relative_error = std::sqrt(residual2 / norm2);
  return result;
}

/// The points of a full grid, the first axis slowest, with uneven steps.
Matrix<double> grid(std::size_t rows, std::size_t cols) {
  Matrix<double> points(rows * cols, 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    points(i, 0) = std::sqrt(static_cast<double>(i / cols));
    points(i, 1) = 0.3 * static_cast<double>(i % cols) + 0.1 * std::sin(double(i % cols));
  }
  return points;
}

TEST(FitKronecker, IsExactInOneSweepOnAGridWithAProductKernel) {
  const auto points = grid(11, 17);
  const auto fresh = normal_matrix(20, 2, 1);
  for (const Kernel& kernel : {Kernel(Gaussian{0.7}), Kernel(LaplacianL1{0.4})}) {
    for (const bool center : {true, false}) {
      SCOPED_TRACE(kernel_name(kernel) + (center ? " centred" : " uncentred"));
      const auto fit = fit_kronecker(
          points, kernel,
          {.components = 8, .center = center, .order = KroneckerOrder::file, .groups = 11});
      EXPECT_LT(relative_error(fit), 1e-13);
      EXPECT_EQ(choice(fit, "sweeps"), "1");
      EXPECT_EQ(choice(fit, "factors"), "11 x 17");
      if (center) continue;  // the span of the first k + 5 vectors is not that of the centred ones
      const auto exact = fit_exact(points, kernel, {.components = 8, .center = false});
      for (std::size_t j = 0; j < 8; ++j) {
        EXPECT_NEAR(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j],
                    1e-12 * exact.summary.eigenvalues[0]);
      }
      EXPECT_LT(
          largest_difference_up_to_sign(fit.model.transform(fresh), exact.model.transform(fresh)),
          1e-9);
    }
  }
}

TEST(FitKronecker, NoOtherOrderOrKernelIsExactOnAGrid) {
  const auto points = grid(11, 17);
  const auto error = [&](const Kernel& kernel, KroneckerOrder order, std::size_t groups) {
    return relative_error(fit_kronecker(points, kernel, {.order = order, .groups = groups}));
  };
  EXPECT_GT(error(Gaussian{0.7}, KroneckerOrder::file, 17), 0.1) << "the axes are swapped";
  EXPECT_GT(error(Gaussian{0.7}, KroneckerOrder::random, 11), 0.1);
  EXPECT_GT(error(Laplacian{0.7}, KroneckerOrder::file, 11), 0.01) << "not a product of the axes";
}

TEST(FitKronecker, AgreesWithTheDenseNearestProduct) {
  const std::size_t n1 = 5;
  const std::size_t n2 = 7;
  const auto points = normal_matrix(n1 * n2, 3, 4);
  const auto fresh = normal_matrix(9, 3, 5);
  for (const Kernel& kernel : {Kernel(Gaussian{0.3}), Kernel(Matern52{1.5}), Kernel(Cosine{}),
                               Kernel(Polynomial{.gamma = 0.5, .degree = 2, .coef0 = 1})}) {
    SCOPED_TRACE(kernel_name(kernel));
    const auto k = kernel_matrix(kernel, points, points);
    const auto dense = dense_product(k, n2);
    const auto expected = engine::reference::symmetric_eigen(dense.product);
    const auto fit = fit_kronecker(points, kernel,
                                   {.components = 4,
                                    .center = false,
                                    .order = KroneckerOrder::file,
                                    .groups = n1,
                                    .sweep_tolerance = 1e-13});
    EXPECT_NEAR(relative_error(fit), dense.relative_error, 1e-12);
    Matrix<double> scores(9, 4);
    const auto cross = kernel_matrix(kernel, fresh, points);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(fit.summary.eigenvalues[j], expected.values[j], 1e-10 * expected.values[0]);
      for (std::size_t i = 0; i < 9; ++i) {
        for (std::size_t r = 0; r < n1 * n2; ++r) {
          scores(i, j) += cross(i, r) * expected.vectors(r, j) / std::sqrt(expected.values[j]);
        }
      }
    }
    EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(fresh), scores), 1e-8);
    double trace = 0;
    for (std::size_t i = 0; i < k.rows(); ++i) trace += k(i, i);
    EXPECT_NEAR(fit.summary.total_variance->low, trace, 1e-10 * trace);
    EXPECT_FALSE(fit.summary.reconstruction_error) << "nothing is known of it without centring";
  }
}

TEST(FitKronecker, CentredComponentsExplainWhatTheySay) {
  const auto points = normal_matrix(203, 3, 1);  // 14 x 14, and 7 rows that are left over
  const auto exact = fit_exact(points, Gaussian{0.2}, {.components = 6});
  for (const KroneckerOrder order : kOrders) {
    const auto fit = fit_kronecker(points, Gaussian{0.2}, {.components = 6, .order = order});
    const auto z = fit.model.transform(points);
    double residual = 0;
    for (const double value : fit.model.residual(points)) residual += value;
    EXPECT_NEAR(*fit.summary.reconstruction_error, residual / 203, 1e-10);
    EXPECT_NEAR(fit.summary.total_variance->low, exact.summary.total_variance->low, 1e-9);
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_LE(fit.summary.eigenvalues[j], exact.summary.eigenvalues[j] * (1 + 1e-12));
      double sum = 0;
      double squares = 0;
      for (std::size_t i = 0; i < z.rows(); ++i) {
        sum += z(i, j);
        squares += z(i, j) * z(i, j);
      }
      EXPECT_NEAR(sum, 0, 1e-10);
      EXPECT_NEAR(squares, fit.summary.eigenvalues[j], 1e-10 * fit.summary.eigenvalues[0]);
    }
  }
}

TEST(FitKronecker, LinearKernelsCollapse) {
  const auto points = normal_matrix(60, 3, 1, 1, 5);
  for (const bool center : {true, false}) {
    const auto linear =
        fit_kronecker(points, Linear{}, {.components = 2, .center = center, .groups = 6});
    const auto same = fit_kronecker(points, Polynomial{.gamma = 1, .degree = 1, .coef0 = 0},
                                    {.components = 2, .center = center, .groups = 6});
    EXPECT_EQ(linear.model.library_size(), 0U);
    EXPECT_EQ(linear.model.coefficients().rows(), 3U);
    const auto fresh = normal_matrix(20, 3, 2);
    EXPECT_LT(
        largest_difference_up_to_sign(linear.model.transform(fresh), same.model.transform(fresh)),
        1e-9);
    const auto residual = linear.model.residual(fresh);
    const auto expected = same.model.residual(fresh);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(residual[i], expected[i], 1e-9);
  }
}

TEST(FitKronecker, KeepsEveryRowAndProjectsTheRest) {
  const auto points = normal_matrix(53, 2, 1);  // 7 x 7 and 4 rows more
  const auto fit = fit_kronecker(points, Gaussian{0.4}, {.components = 3, .center = false});
  EXPECT_EQ(choice(fit, "factors"), "7 x 7");
  EXPECT_EQ(fit.summary.n, 53U);
  EXPECT_EQ(fit.summary.library_size, 53U);
  for (std::size_t i = 49; i < 53; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(fit.model.coefficients()(i, j), 0);
  }
  const auto first = fit_kronecker(points.view().rows_from(0, 49), Gaussian{0.4},
                                   {.components = 3, .center = false});
  EXPECT_EQ(first.summary.eigenvalues, fit.summary.eigenvalues);
  EXPECT_LT(largest_difference(first.model.transform(points), fit.model.transform(points)), 1e-13);
}

TEST(FitKronecker, ChoosesComponentsByVarianceOrEigenvalue) {
  const auto points = normal_matrix(225, 2, 1);
  for (const bool center : {true, false}) {
    const double retain = center ? 0.95 : 0.6;
    const auto kept = fit_kronecker(points, Gaussian{4.0}, {.retain = retain, .center = center});
    double sum = 0;
    for (const double ratio : kept.summary.explained_variance_ratio) sum += ratio;
    EXPECT_GE(sum, retain);
    EXPECT_LT(sum - kept.summary.explained_variance_ratio.back(), retain);
    EXPECT_EQ(kept.summary.termination.reason, TerminationReason::converged);
    const auto large =
        fit_kronecker(points, Gaussian{2.0}, {.min_eigenvalue = 1.0, .center = center});
    EXPECT_GE(large.summary.eigenvalues.back(), 1);
    EXPECT_EQ(large.summary.termination.reason, TerminationReason::converged);
  }
  EXPECT_GT(fit_kronecker(points, Gaussian{4.0}, {.retain = 0.95}).summary.components, 32U)
      << "more than the first guess";
}

TEST(FitKronecker, SaysWhenTheProductHasNotTheVarianceAskedFor) {
  const auto points = normal_matrix(225, 2, 1);
  const auto fit = fit_kronecker(points, Gaussian{2.0}, {.retain = 0.9, .center = false});
  double sum = 0;
  for (const double ratio : fit.summary.explained_variance_ratio) sum += ratio;
  EXPECT_LT(sum, 0.9);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::tolerance_missed);
}

TEST(FitKronecker, GivesTheSameBitsForEveryNumberOfThreads) {
  const auto points = normal_matrix(700, 4, 1);
  for (const KroneckerOrder order : kOrders) {
    for (const bool center : {true, false}) {
      const KroneckerOptions options{.components = 5, .center = center, .order = order};
      const auto one = fit_kronecker(points, Gaussian{}, options, {.threads = 1});
      const auto four = fit_kronecker(points, Gaussian{}, options, {.threads = 4});
      EXPECT_TRUE(same_bits(one.model.coefficients(), four.model.coefficients()));
      EXPECT_EQ(one.summary.eigenvalues, four.summary.eigenvalues);
      EXPECT_EQ(one.summary.bounds[0].value, four.summary.bounds[0].value);
      EXPECT_EQ(one.summary.kernel_evaluations, four.summary.kernel_evaluations);
    }
  }
}

TEST(FitKronecker, WorksWithoutStoringTheKernelMatrix) {
  const auto points = normal_matrix(2500, 2, 1);
  for (const bool center : {true, false}) {
    const KroneckerOptions options{.components = 3, .center = center};
    const auto stored = fit_kronecker(points, Gaussian{0.5}, options);
    const auto free = fit_kronecker(points, Gaussian{0.5}, options,
                                    {.memory_limit_bytes = std::size_t{12} << 20});
    EXPECT_EQ(choice(stored, "storage"), "stored");
    EXPECT_EQ(choice(free, "storage"), "matrix_free");
    EXPECT_TRUE(same_bits(stored.model.coefficients(), free.model.coefficients()));
    EXPECT_GT(free.summary.kernel_evaluations, 3 * stored.summary.kernel_evaluations / 2);
  }
}

TEST(FitKronecker, WarnsWhereLandmarksAreBetter) {
  const auto points = normal_matrix(400, 5, 1);
  const auto bad = fit_kronecker(points, Gaussian{0.2}, {.order = KroneckerOrder::random});
  ASSERT_FALSE(bad.summary.warnings.empty());
  EXPECT_NE(bad.summary.warnings[0].find("landmarks are the better choice"), std::string::npos);
  const auto good =
      fit_kronecker(grid(10, 10), Gaussian{0.2}, {.order = KroneckerOrder::file, .groups = 10});
  for (const std::string& warning : good.summary.warnings) {
    EXPECT_EQ(warning.find("landmarks"), std::string::npos) << warning;
  }
}

TEST(FitKronecker, SaysWhenTheSweepsHaveNotConverged) {
  const auto points = normal_matrix(100, 3, 1);
  const auto fit = fit_kronecker(points, Gaussian{0.2}, {.max_sweeps = 1});
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::not_converged);
  EXPECT_NE(fit.summary.termination.message.find("raise max_sweeps"), std::string::npos);
}

TEST(FitKronecker, SavesAndDescribesItself) {
  const auto points = normal_matrix(150, 3, 1);
  const testing::TemporaryFolder folder;
  for (const bool center : {true, false}) {
    const auto fit = fit_kronecker(points, Gaussian{}, {.components = 3, .center = center});
    EXPECT_EQ(fit.summary.method, "kronecker");
    EXPECT_EQ(testing::summary_violations(fit.summary.json()), std::vector<std::string>{});
    fit.model.save(folder.path() / "k.mercer");
    const auto loaded = Model::load(folder.path() / "k.mercer");
    EXPECT_TRUE(same_bits(loaded.transform(points), fit.model.transform(points)));
  }
}

}  // namespace
}  // namespace mercer
