// The corners of exact kernel PCA: tiny, degenerate, extreme and impossible input.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference_up_to_sign;
using testing::normal_matrix;

template <class E>
void expect_error(const std::function<void()>& act, const std::string& part) {
  try {
    act();
    FAIL() << "no error";
  } catch (const E& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ExactEdges, OnePointHasNothingToExtractWhenCentred) {
  const auto point = normal_matrix(1, 3, 1);
  expect_error<NoVariation>([&] { fit_exact(point, Gaussian{1.0}); }, "do not vary");
  const auto fit = fit_exact(point, Gaussian{1.0}, {.center = false});
  EXPECT_EQ(fit.summary.components, 1U);
  EXPECT_NEAR(fit.model.transform(point)(0, 0), 1, 1e-15);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(ExactEdges, OnePointHasNoBandwidth) {
  expect_error<DataError>([&] { fit_exact(normal_matrix(1, 3, 1), Gaussian{}); }, "equal");
}

TEST(ExactEdges, FewerPointsThanComponents) {
  const auto points = normal_matrix(4, 3, 1);
  const auto fit = fit_exact(points, Gaussian{0.5}, {.components = 10});
  EXPECT_EQ(fit.summary.components, 3U) << "n - 1 when centred";
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
  EXPECT_EQ(
      fit_exact(points, Gaussian{0.5}, {.components = 10, .center = false}).summary.components, 4U);
}

TEST(ExactEdges, OneColumn) {
  const auto points = normal_matrix(100, 1, 1);
  const auto gram = engine::reference::kernel_matrix(Gaussian{0.5}, points, points);
  const auto expected = engine::reference::kernel_pca(gram, gram, 3, true);
  const auto fit = fit_exact(points, Gaussian{0.5}, {.components = 3});
  EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(points), expected.training_scores),
            1e-10);
}

TEST(ExactEdges, AllPointsEqual) {
  Matrix<double> points(50, 3);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = 2.5;
  expect_error<DataError>([&] { fit_exact(points, Gaussian{}); }, "all sampled rows are equal");
  expect_error<NoVariation>([&] { fit_exact(points, Gaussian{1.0}); }, "do not vary");
  const auto fit = fit_exact(points, Gaussian{1.0}, {.center = false});
  EXPECT_EQ(fit.summary.components, 1U);
  EXPECT_NEAR(fit.summary.eigenvalues[0], 50, 1e-12);
}

TEST(ExactEdges, AllPointsEqualInTheIterativeSolver) {
  Matrix<double> points(700, 3);
  expect_error<NoVariation>([&] { fit_exact(points, Gaussian{1.0}); }, "do not vary");
  EXPECT_EQ(fit_exact(points, Gaussian{1.0}, {.center = false}).summary.components, 1U);
}

TEST(ExactEdges, DuplicatesAddNoDirections) {
  const auto distinct = normal_matrix(6, 3, 1);
  const auto points = testing::repeat_rows(distinct, std::vector<double>(6, 200.0));
  const auto fit = fit_exact(points, Gaussian{0.5}, {.components = 10});
  EXPECT_EQ(fit.summary.components, 5U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
}

TEST(ExactEdges, ConstantColumnsChangeNothing) {
  const auto points = normal_matrix(80, 3, 1);
  Matrix<double> wider(80, 5);
  for (std::size_t i = 0; i < 80; ++i) {
    std::ranges::copy(points.row(i), wider.row(i).begin());
    wider(i, 3) = 1e6;
    wider(i, 4) = -3;
  }
  const auto a = fit_exact(points, Gaussian{}, {.components = 4});
  const auto b = fit_exact(wider, Gaussian{}, {.components = 4});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(a.summary.eigenvalues[i], b.summary.eigenvalues[i], 1e-9);
  }
}

TEST(ExactEdges, CollinearPointsHaveOneLinearDirection) {
  Matrix<double> points(60, 4);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      points(i, j) = static_cast<double>(i) * static_cast<double>(j + 1);
    }
  }
  EXPECT_EQ(fit_exact(points, Linear{}).summary.components, 1U);
  // A polynomial of degree 2 in one variable spans t and t^2.
  EXPECT_EQ(fit_exact(points, Polynomial{.gamma = 1e-3, .degree = 2}).summary.components, 2U);
}

TEST(ExactEdges, HugeAndTinyDataGiveTheSameResult) {
  const auto points = normal_matrix(700, 4, 1);
  for (const Kernel& kernel :
       {Kernel(Gaussian{}), Kernel(Laplacian{}), Kernel(LaplacianL1{}), Kernel(Matern32{}),
        Kernel(Matern52{}), Kernel(RationalQuadratic{}), Kernel(Cosine{})}) {
    const auto expected = fit_exact(points, kernel, {.components = 3});
    for (const double scale : {1e-150, 1e150}) {
      SCOPED_TRACE(kernel_name(kernel));
      Matrix<double> scaled(points);
      for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= scale;
      const auto fit = fit_exact(scaled, kernel, {.components = 3});
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(fit.summary.eigenvalues[i], expected.summary.eigenvalues[i],
                    1e-10 * expected.summary.eigenvalues[0]);
      }
      EXPECT_LT(largest_difference_up_to_sign(fit.model.transform(scaled),
                                              expected.model.transform(points)),
                1e-8);
    }
  }
}

TEST(ExactEdges, OverflowIsATypedError) {
  const auto points = normal_matrix(50, 4, 1, 1e100);
  EXPECT_THROW(fit_exact(points, Polynomial{.gamma = 1, .degree = 5}), NumericalError);
  EXPECT_THROW(fit_exact(points, Gaussian{1e200}), NumericalError);
}

TEST(ExactEdges, IndefiniteKernelsAreCountedAndCut) {
  const auto points = normal_matrix(80, 3, 1);
  const Kernel kernel = Sigmoid{.gamma = 1.0, .coef0 = -0.5};
  const auto gram = engine::reference::kernel_matrix(kernel, points, points);
  const auto expected = engine::reference::kernel_pca(gram, gram, 80, true);
  std::size_t negative = 0;
  for (const double value : expected.eigenvalues) {
    if (value < -1e-8 * expected.eigenvalues[0]) ++negative;
  }
  ASSERT_GT(negative, 0U);
  const auto fit = fit_exact(points, kernel, {.components = 80});
  for (const double value : fit.summary.eigenvalues) EXPECT_GT(value, 0);
  ASSERT_FALSE(fit.summary.warnings.empty());
  const std::string count = std::to_string(negative) + " negative eigenvalue";
  EXPECT_NE(fit.summary.warnings[0].find(count), std::string::npos) << fit.summary.warnings[0];
  ASSERT_TRUE(fit.summary.negative_eigenvalues);
  EXPECT_EQ(fit.summary.negative_eigenvalues->count, negative);
  EXPECT_TRUE(fit.summary.negative_eigenvalues->all_seen);
  EXPECT_NEAR(fit.summary.negative_eigenvalues->smallest, expected.eigenvalues.back(),
              1e-12 * expected.eigenvalues[0]);
}

TEST(ExactEdges, IndefiniteKernelsWarnInTheIterativeSolverToo) {
  const auto fit = fit_exact(normal_matrix(800, 3, 1), Sigmoid{.gamma = 1.0, .coef0 = -0.5});
  ASSERT_FALSE(fit.summary.warnings.empty());
  EXPECT_NE(fit.summary.warnings[0].find("at least"), std::string::npos);
  ASSERT_TRUE(fit.summary.negative_eigenvalues);
  EXPECT_FALSE(fit.summary.negative_eigenvalues->all_seen);
  EXPECT_LT(fit.summary.negative_eigenvalues->smallest, 0);
}

TEST(ExactEdges, BadValuesAreNamed) {
  auto points = normal_matrix(50, 4, 1);
  points(20, 2) = std::numeric_limits<double>::quiet_NaN();
  expect_error<DataError>([&] { fit_exact(points, Gaussian{1.0}); }, "row 21, column 3 is nan");
  points(20, 2) = std::numeric_limits<double>::infinity();
  expect_error<DataError>([&] { fit_exact(points, Gaussian{}); }, "row 21, column 3 is inf");
  expect_error<DataError>([&] { fit_exact(Matrix<double>(0, 4), Gaussian{}); }, "no points");
  const auto fit = fit_exact(normal_matrix(50, 4, 1), Gaussian{1.0});
  expect_error<DataError>([&] { fit.model.transform(points); }, "row 21, column 3");
  expect_error<DataError>([&] { fit.model.transform(normal_matrix(5, 3, 1)); }, "3 columns");
}

TEST(ExactEdges, BadOptionsAreNamed) {
  const auto points = normal_matrix(50, 4, 1);
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.components = 0}); },
                                "components");
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.retain = 1.5}); }, "retain");
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.solver_tolerance = 0}); },
                                "solver_tolerance");
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.max_products = 1}); },
                                "max_products");
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{-1.0}); }, "gamma");
  expect_error<InvalidArgument>([&] { fit_exact(points, Custom{}); }, "function");
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.weights = {1, 2}}); },
                                "2 weights for 50 rows");
  std::vector<double> weights(50, 1.0);
  weights[7] = 0;
  expect_error<InvalidArgument>([&] { fit_exact(points, Gaussian{}, {.weights = weights}); },
                                "weight 8 is 0");
}

TEST(ExactEdges, TooLittleMemoryIsRefusedWithTheWayOut) {
  const auto points = normal_matrix(2000, 3, 1);
  const RunOptions little{.memory_limit_bytes = std::size_t{8} << 20U};
  const auto fit = fit_exact(points, Gaussian{1.0}, {}, little);
  bool matrix_free = false;
  for (const Choice& choice : fit.summary.choices) matrix_free |= choice.value == "matrix_free";
  EXPECT_TRUE(matrix_free);
  expect_error<MemoryLimitError>(
      [&] { fit_exact(points, Gaussian{1.0}, {.storage = GramStorage::stored}, little); },
      "matrix_free");
  expect_error<MemoryLimitError>(
      [&] { fit_exact(points, Gaussian{1.0}, {.components = 1500}, little); }, "fewer components");
  expect_error<MemoryLimitError>(
      [&] { fit_exact(points, Gaussian{1.0}, {}, {.memory_limit_bytes = 100000}); },
      "raise the limit");
}

TEST(ExactEdges, UnconvergedResultsSaySo) {
  const auto points = normal_matrix(2000, 16, 1);
  const auto fit = fit_exact(points, Gaussian{0.5}, {.components = 20, .max_products = 3});
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::not_converged);
  EXPECT_GT(*fit.summary.solver_residual, 1e-12);
  EXPECT_NE(fit.summary.termination.message.find("max_products"), std::string::npos);
}

}  // namespace
}  // namespace mercer
