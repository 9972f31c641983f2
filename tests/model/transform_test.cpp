#include <cmath>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/model.h>

#include "engine/every_kernel.h"
#include "engine/reference.h"
#include "engine/simd.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::every_kernel;
using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;
using testing::uniform_matrix;

/// A model of arbitrary numbers: transform must not assume that they came from a fit.
Model made_up_model(const Kernel& kernel, std::size_t s, std::size_t d, std::size_t k) {
  const bool histogram = kernel_name(kernel).find("chi2") != std::string::npos;
  ModelParts parts;
  parts.kernel = kernel;
  parts.library = histogram ? uniform_matrix(s, d, 1) : normal_matrix(s, d, 1);
  parts.coefficients = normal_matrix(s, k, 2);
  for (std::size_t j = 0; j < k; ++j) {
    parts.offset.push_back(0.1 * static_cast<double>(j));
    parts.eigenvalues.push_back(static_cast<double>(k - j));
  }
  parts.total_weight = static_cast<double>(s);
  parts.centered = false;
  return Model(std::move(parts));
}

Matrix<double> definition(const Model& model, MatrixView<const double> points) {
  auto z = engine::reference::multiply(
      engine::reference::kernel_matrix(model.kernel(), points, model.library()),
      model.coefficients());
  for (std::size_t i = 0; i < z.rows(); ++i) {
    for (std::size_t j = 0; j < z.cols(); ++j) z(i, j) += model.offset()[j];
  }
  return z;
}

class TransformOnEveryTarget : public ::testing::TestWithParam<std::string> {
 protected:
  TransformOnEveryTarget() : target_(GetParam()) {}

 private:
  engine::ForcedSimdTarget target_;
};
INSTANTIATE_TEST_SUITE_P(Simd, TransformOnEveryTarget, ::testing::ValuesIn(engine::simd_targets()),
                         [](const auto& target) { return target.param; });

TEST_P(TransformOnEveryTarget, EqualsItsDefinition) {
  for (const Kernel& kernel : every_kernel()) {
    if (std::holds_alternative<Linear>(kernel)) continue;  // has no library
    const bool histogram = kernel_name(kernel).find("chi2") != std::string::npos;
    const auto points = histogram ? uniform_matrix(210, 6, 3) : normal_matrix(210, 6, 3);
    for (const auto& [s, k] : {std::pair{1, 1}, {13, 3}, {200, 8}, {400, 11}}) {
      SCOPED_TRACE(kernel_name(kernel));
      const Model model = made_up_model(kernel, s, 6, k);
      const auto expected = definition(model, points);
      double scale = 1;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        scale = std::max(scale, std::abs(expected.data()[i]));
      }
      EXPECT_LT(largest_difference(model.transform(points), expected), 1e-12 * scale);
      Matrix<float> single(points.rows(), points.cols());
      for (std::size_t i = 0; i < single.size(); ++i) {
        single.data()[i] = static_cast<float>(points.data()[i]);
      }
      const auto z = model.transform(single);
      double error = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        error = std::max(error, std::abs(static_cast<double>(z.data()[i]) - expected.data()[i]));
      }
      EXPECT_LT(error, 3e-5 * scale);
    }
  }
}

TEST_P(TransformOnEveryTarget, BitsDoNotDependOnTheCutOrTheThreads) {
  const Model model = made_up_model(Gaussian{0.1}, 450, 7, 10);
  const auto points = normal_matrix(700, 7, 3);
  const auto whole = model.transform(points, {.threads = 1});
  for (const std::size_t threads : {2U, 4U}) {
    EXPECT_TRUE(same_bits(whole, model.transform(points, {.threads = threads})));
  }
  for (const std::size_t rows : {1U, 7U, 192U, 333U}) {
    for (std::size_t first = 0; first < 700; first += rows) {
      const std::size_t count = std::min(rows, 700 - first);
      ASSERT_TRUE(same_bits(whole.view().rows_from(first, count),
                            model.transform(points.view().rows_from(first, count))));
    }
  }
}

TEST(Transform, TakesViewsWithAStride) {
  const Model model = made_up_model(Gaussian{0.1}, 30, 4, 3);
  const auto wide = normal_matrix(50, 9, 3);
  const auto view = wide.view().cols_from(2, 4);
  EXPECT_TRUE(same_bits(model.transform(view), model.transform(Matrix<double>(view))));
}

TEST(Transform, OfNoRowsIsEmpty) {
  const Model model = made_up_model(Gaussian{0.1}, 30, 4, 3);
  const auto z = model.transform(Matrix<double>(0, 4));
  EXPECT_EQ(z.rows(), 0U);
  EXPECT_EQ(z.cols(), 3U);
}

TEST(Transform, AppliesTheScalingFirst) {
  const Model plain = made_up_model(Matern52{1.0}, 30, 3, 2);
  const ColumnScaling scaling{.shift = {1, -2, 0}, .multiply = {0.5, 2, 3}};
  const Model scaled = plain.with_input({.columns = {}, .scaling = scaling});
  const auto points = normal_matrix(40, 3, 5);
  Matrix<double> mapped(points);
  scaling.apply(mapped);
  EXPECT_TRUE(same_bits(scaled.transform(points), plain.transform(mapped)));
}

TEST(Transform, IsSafeFromSeveralThreadsAtOnce) {
  const Model model = made_up_model(Gaussian{0.1}, 300, 5, 4);
  const auto points = normal_matrix(500, 5, 3);
  const auto expected = made_up_model(Gaussian{0.1}, 300, 5, 4).transform(points);
  std::vector<Matrix<double>> results(4);
  {
    std::vector<std::jthread> threads;
    for (auto& result : results) {
      threads.emplace_back([&] { result = model.transform(points, {.threads = 2}); });
    }
  }
  for (const auto& result : results) EXPECT_TRUE(same_bits(result, expected));
}

TEST(Transform, CanBeCancelled) {
  const Model model = made_up_model(Gaussian{0.1}, 300, 5, 4);
  RunOptions run;
  run.cancelled = [] { return true; };
  EXPECT_THROW(model.transform(normal_matrix(5000, 5, 3), run), Cancelled);
}

TEST(Residual, IsTheDistanceToTheSubspace) {
  // With every component of the training points kept, they have no residual, and a far point has
  // all of its own norm about the mean.
  const auto points = normal_matrix(25, 3, 1);
  const auto fit = fit_exact(points, Gaussian{0.7}, {.components = 25});
  for (const double residual : fit.model.residual(points)) EXPECT_NEAR(residual, 0, 1e-9);
  Matrix<double> far(1, 3);
  far(0, 0) = 1e3;
  const auto gram = engine::reference::kernel_matrix(Gaussian{0.7}, points, points);
  double mean_norm2 = 0;
  for (std::size_t i = 0; i < gram.size(); ++i) mean_norm2 += gram.data()[i] / (25.0 * 25);
  double inside = 0;
  const auto z = fit.model.transform(far);
  for (std::size_t j = 0; j < z.cols(); ++j) inside += z(0, j) * z(0, j);
  EXPECT_NEAR(fit.model.residual(far)[0], 1 + mean_norm2 - inside, 1e-12);
}

Model made_up_feature_model(std::size_t frequencies, std::size_t d, std::size_t k) {
  ModelParts parts;
  parts.kernel = Gaussian{0.5};
  parts.frequencies = normal_matrix(frequencies, d, 1);
  parts.coefficients = normal_matrix(2 * frequencies, k, 2);
  parts.offset.assign(k, 0.25);
  parts.eigenvalues.assign(k, 1.0);
  parts.total_weight = 1;
  parts.centered = false;
  return Model(std::move(parts));
}

TEST_P(TransformOnEveryTarget, OfRandomFeaturesEqualsItsDefinition) {
  for (const auto& [frequencies, d, k] :
       {std::tuple{1, 1, 1}, {13, 2, 3}, {96, 5, 8}, {230, 6, 11}}) {
    SCOPED_TRACE(frequencies);
    const Model model = made_up_feature_model(frequencies, d, k);
    const auto points = normal_matrix(130, d, 3);
    Matrix<double> expected(130, k);
    Matrix<float> single(130, d);
    for (std::size_t i = 0; i < 130; ++i) {
      for (std::size_t c = 0; c < single.cols(); ++c) {
        single(i, c) = static_cast<float>(points(i, c));
      }
      for (std::size_t c = 0; c < expected.cols(); ++c) expected(i, c) = 0.25;
      for (std::size_t j = 0; j < model.frequencies().rows(); ++j) {
        double phase = 0;
        for (std::size_t c = 0; c < points.cols(); ++c) {
          phase += model.frequencies()(j, c) * points(i, c);
        }
        const double scale = std::sqrt(1.0 / frequencies);
        for (std::size_t c = 0; c < expected.cols(); ++c) {
          expected(i, c) += scale * (std::cos(phase) * model.coefficients()(2 * j, c) +
                                     std::sin(phase) * model.coefficients()(2 * j + 1, c));
        }
      }
    }
    EXPECT_LT(largest_difference(model.transform(points), expected), 1e-12);
    const auto z = model.transform(single);
    for (std::size_t i = 0; i < z.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(z.data()[i]), expected.data()[i], 2e-5);
    }
  }
}

TEST_P(TransformOnEveryTarget, BitsOfRandomFeaturesDoNotDependOnTheCutOrTheThreads) {
  const Model model = made_up_feature_model(131, 7, 5);
  const auto points = normal_matrix(400, 7, 3);
  const auto whole = model.transform(points, {.threads = 1});
  EXPECT_TRUE(same_bits(whole, model.transform(points, {.threads = 3})));
  for (const std::size_t rows : {1U, 7U, 192U}) {
    for (std::size_t first = 0; first < 400; first += rows) {
      const std::size_t count = std::min(rows, 400 - first);
      ASSERT_TRUE(same_bits(whole.view().rows_from(first, count),
                            model.transform(points.view().rows_from(first, count))));
    }
  }
}

TEST(Residual, NeedsTheMean) {
  auto fit = fit_exact(normal_matrix(25, 3, 1), Gaussian{0.7});
  ModelParts parts;
  parts.kernel = fit.model.kernel();
  parts.library = Matrix<double>(fit.model.library());
  parts.coefficients = Matrix<double>(fit.model.coefficients());
  parts.offset.assign(fit.model.offset().begin(), fit.model.offset().end());
  parts.eigenvalues.assign(fit.model.eigenvalues().begin(), fit.model.eigenvalues().end());
  parts.total_weight = 25;
  parts.centered = true;
  EXPECT_THROW(Model(std::move(parts)).residual(normal_matrix(2, 3, 1)), InvalidArgument);
}

/// The made-up model with a normaliser, and the values that it must give.
Model made_up_graph_model(const Kernel& kernel, std::size_t s, std::size_t k, bool shifted) {
  const Model plain = made_up_model(kernel, s, 4, k);
  ModelParts parts;
  parts.kernel = kernel;
  parts.library = Matrix<double>(plain.library());
  parts.coefficients = Matrix<double>(plain.coefficients());
  parts.offset.assign(plain.offset().begin(), plain.offset().end());
  for (std::size_t j = 0; j < s; ++j) {
    parts.degree_weights.push_back(0.5 + static_cast<double>(j % 3));
  }
  for (std::size_t j = 0; j < k; ++j) {
    if (shifted) parts.degree_shift.push_back(-0.5 - 0.1 * static_cast<double>(k - j));
    parts.eigenvalues.push_back(static_cast<double>(shifted ? j : k - j));
  }
  parts.total_weight = static_cast<double>(s);
  parts.centered = false;
  return Model(std::move(parts));
}

Matrix<double> divided_definition(const Model& model, MatrixView<const double> points) {
  auto z = definition(model, points);
  const auto values = engine::reference::kernel_matrix(model.kernel(), points, model.library());
  for (std::size_t i = 0; i < z.rows(); ++i) {
    double degree = 0;
    for (std::size_t j = 0; j < values.cols(); ++j) {
      degree += values(i, j) * model.degree_weights()[j];
    }
    for (std::size_t j = 0; j < z.cols(); ++j) {
      z(i, j) /= degree - (model.degree_shift().empty() ? 0 : model.degree_shift()[j]);
    }
  }
  return z;
}

TEST_P(TransformOnEveryTarget, DividesByTheDegree) {
  const auto points = normal_matrix(210, 4, 3);
  Matrix<float> single(points.rows(), points.cols());
  for (std::size_t i = 0; i < single.size(); ++i) {
    single.data()[i] = static_cast<float>(points.data()[i]);
  }
  for (const Kernel& kernel : {Kernel{Gaussian{0.1}}, Kernel{Laplacian{0.3}}}) {
    for (const auto& [s, k] : {std::pair{1, 1}, {13, 3}, {200, 8}, {400, 11}}) {
      for (const bool shifted : {false, true}) {
        SCOPED_TRACE(s);
        const Model model = made_up_graph_model(kernel, s, k, shifted);
        const auto expected = divided_definition(model, points);
        double scale = 1;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          scale = std::max(scale, std::abs(expected.data()[i]));
        }
        const auto z = model.transform(points, {.threads = 1});
        EXPECT_LT(largest_difference(z, expected), 1e-12 * scale);
        EXPECT_TRUE(same_bits(z, model.transform(points, {.threads = 3})));
        const auto rough = model.transform(single);
        for (std::size_t i = 0; i < rough.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(rough.data()[i]), expected.data()[i], 3e-5 * scale);
        }
      }
    }
  }
}

TEST(TransformByDegree, FarPointsAreNotANumber) {
  const Model model = made_up_graph_model(Gaussian{1.0}, 20, 2, false);
  Matrix<double> points(4, 4);
  points(1, 0) = 14;   // exp(-200), out of the range of floats
  points(2, 0) = 28;   // subnormal kernel values: digits are lost
  points(3, 0) = 1e3;  // no kernel value at all
  Matrix<float> single(4, 4);
  for (std::size_t i = 0; i < 4; ++i) single(i, 0) = static_cast<float>(points(i, 0));
  const auto z = model.transform(points);
  const auto rough = model.transform(single);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_TRUE(std::isfinite(z(0, j)) && std::isfinite(z(1, j)));
    EXPECT_TRUE(std::isnan(z(2, j)) && std::isnan(z(3, j)));
    EXPECT_TRUE(std::isfinite(rough(0, j)));
    for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(rough(i, j))) << i;
  }
}

TEST(TransformByDegree, ADegreeEqualToItsShiftIsNotANumberForThatComponent) {
  ModelParts parts;
  parts.kernel = Gaussian{1.0};
  parts.library = Matrix<double>(1, 1);
  parts.coefficients = Matrix<double>(1, 3);
  for (std::size_t j = 0; j < 3; ++j) parts.coefficients(0, j) = 1;
  parts.offset.assign(3, 0.0);
  parts.degree_weights = {1};
  parts.degree_shift = {0.5, 1, 1.5};
  parts.eigenvalues = parts.degree_shift;
  parts.total_weight = 1;
  parts.centered = false;
  const auto z = Model(std::move(parts)).transform(Matrix<double>(1, 1));
  EXPECT_EQ(z(0, 0), 2);
  EXPECT_TRUE(std::isnan(z(0, 1)));
  EXPECT_EQ(z(0, 2), -2);
}

TEST(Residual, IsRefusedForFunctionsOnAGraph) {
  const Model model = made_up_graph_model(Gaussian{1.0}, 20, 2, false);
  EXPECT_THROW(model.residual(normal_matrix(2, 4, 1)), InvalidArgument);
}

RC_GTEST_PROP(TransformProperty, EqualsItsDefinitionForAnyShape, ()) {
  const auto s = *rc::gen::inRange<std::size_t>(1, 420);
  const auto d = *rc::gen::inRange<std::size_t>(1, 20);
  const auto k = *rc::gen::inRange<std::size_t>(1, 20);
  const auto n = *rc::gen::inRange<std::size_t>(1, 400);
  const Model model = made_up_model(Gaussian{0.2}, s, d, k);
  const auto points = normal_matrix(n, d, 9);
  RC_ASSERT(largest_difference(model.transform(points), definition(model, points)) < 1e-11);
}

}  // namespace
}  // namespace mercer
