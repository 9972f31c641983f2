#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <mercer/compress.h>
#include <mercer/exact.h>

#include "engine/blas.h"
#include "engine/reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using engine::reference::kernel_matrix;
using testing::largest_difference;
using testing::normal_matrix;
using testing::same_bits;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Model exact_model(std::size_t n, std::size_t components, bool center = true) {
  return fit_exact(normal_matrix(n, 4, 1), Gaussian{0.15},
                   {.components = components, .center = center})
      .model;
}

struct Scores {
  Matrix<double> before;
  Matrix<double> after;
};

Scores scores_of_library(const Model& model, const Model& small) {
  return {.before = model.transform(model.library()), .after = small.transform(model.library())};
}

double squares(MatrixView<const double> a, std::size_t component) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) sum += a(i, component) * a(i, component);
  return sum;
}

double squared_difference(const Scores& scores, std::size_t component) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.before.rows(); ++i) {
    const double error = scores.after(i, component) - scores.before(i, component);
    sum += error * error;
  }
  return sum;
}

/// sqrt(sum of squared errors / sum of squares), all components together.
double relative_error(const Scores& scores) {
  double errors = 0;
  double all = 0;
  for (std::size_t j = 0; j < scores.before.cols(); ++j) {
    errors += squared_difference(scores, j);
    all += squares(scores.before, j);
  }
  return std::sqrt(errors / all);
}

TEST(Rounding, WithAnInfiniteScaleOrWithoutErrorIsTheModelItself) {
  for (const bool center : {true, false}) {
    const Model model = exact_model(80, 3, center);
    const Matrix<double> points = normal_matrix(30, 4, 2);
    for (const bool per_component : {true, false}) {
      for (const CompressOptions& options :
           {CompressOptions{.per_component = per_component, .scale = kInfinite},
            CompressOptions{.error = 0, .per_component = per_component}}) {
        const Fit same = compress(model, options);
        EXPECT_TRUE(same_bits(same.model.transform(points), model.transform(points)));
        EXPECT_EQ(same.model.residual(points), model.residual(points));
        EXPECT_EQ(same.summary.compression->all.expected, 0);
        EXPECT_EQ(same.summary.warnings.size(), 1u) << "nothing was gained";
      }
    }
  }
}

TEST(Rounding, LargerScalesComeCloserToTheModel) {
  const Model model = exact_model(150, 3);
  double before = kInfinite;
  for (const double scale : {4.0, 16.0, 64.0, 1e3, 1e6}) {
    const Fit small = compress(model, {.scale = scale});
    EXPECT_LE(small.summary.compression->all.expected, before);
    before = small.summary.compression->all.expected;
  }
  EXPECT_LT(before, 1e-2);
}

TEST(Rounding, ExpectedErrorsAreThoseOfManyDraws) {
  constexpr std::size_t kSeeds = 200;
  for (const bool center : {true, false}) {
    for (const bool per_component : {false, true}) {
      const Model model = exact_model(120, 3, center);
      std::vector<double> errors(3, 0.0);
      Matrix<double> sums(120, 3);
      std::size_t beyond = 0;
      std::optional<Compression> account;
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Fit small = compress(model, {.error = 0.4, .per_component = per_component},
                                   {.threads = 1, .seed = seed});
        account = small.summary.compression;
        const Scores scores = scores_of_library(model, small.model);
        EXPECT_NEAR(relative_error(scores), account->all.measured, 1e-10);
        for (std::size_t j = 0; j < 3; ++j) {
          errors[j] += squared_difference(scores, j) / squares(scores.before, j) / kSeeds;
          beyond += account->components[j].measured > account->components[j].within_95 ? 1 : 0;
          for (std::size_t i = 0; i < 120; ++i) {
            sums(i, j) += (scores.after(i, j) - scores.before(i, j)) / kSeeds;
          }
        }
      }
      EXPECT_NEAR(account->all.expected, 0.4, 1e-9);
      double bias = 0;
      double energy = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(std::sqrt(errors[j]) / account->components[j].expected, 1, 0.15) << j;
        bias += squares(sums, j);
        energy += squares(model.transform(model.library()), j);
      }
      EXPECT_LT(std::sqrt(bias / energy), 4 * 0.4 / std::sqrt(kSeeds)) << "unbiased";
      EXPECT_LT(beyond, 3 * kSeeds / 20) << "at most 5 % beyond the 95 % error";
    }
  }
}

TEST(Rounding, KeepsTheMeanScoreOfCentredModels) {
  const Model model = exact_model(100, 4);
  const Fit small = compress(model, {.error = 0.5});
  EXPECT_LT(small.model.library_size(), 80u);
  const Matrix<double> scores = small.model.transform(model.library());
  for (std::size_t j = 0; j < 4; ++j) {
    double mean = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) mean += scores(i, j) / 100;
    EXPECT_NEAR(mean, 0, 1e-12);
  }
}

TEST(Rounding, OffsetsThatFollowMakeCentredModelsMuchSmaller) {
  // A wide kernel: what all its values have in common is most of them.
  const Matrix<double> points = normal_matrix(400, 5, 3);
  const Kernel kernel = Gaussian{0.02};
  const Fit centered = fit_exact(points, kernel, {.components = 5});
  const Fit plain = fit_exact(points, kernel, {.components = 5, .center = false});
  const auto size = [](const Fit& fit) {
    return compress(fit.model, {.error = 0.2}).model.library_size();
  };
  EXPECT_LT(size(centered), 300u);
  // The same error of scores that include the large mean is easier: compare what is left of it.
  const Compression c = *compress(centered.model, {.scale = 10}).summary.compression;
  const Compression p = *compress(plain.model, {.scale = 10}).summary.compression;
  EXPECT_LT(c.components[1].expected, p.components[1].expected);
}

TEST(Rounding, DrawingEveryCoefficientKeepsMorePoints) {
  const Model model = exact_model(300, 6);
  EXPECT_LT(compress(model, {.error = 0.3}).model.library_size(),
            compress(model, {.error = 0.3, .per_component = true}).model.library_size());
}

TEST(Projection, MeetsTheErrorWithFarFewerPointsThanRounding) {
  const Model model = exact_model(400, 5);
  for (const double error : {0.3, 0.05, 0.01}) {
    const Fit small = compress(model, {.by = CompressBy::projection, .error = error});
    const double measured = relative_error(scores_of_library(model, small.model));
    EXPECT_LE(measured, error * (1 + 1e-6));
    EXPECT_NEAR(measured, small.summary.compression->all.measured, 1e-9);
    EXPECT_EQ(small.summary.compression->all.expected, small.summary.compression->all.measured);
    EXPECT_EQ(small.summary.termination.reason, TerminationReason::converged);
    EXPECT_LT(small.model.library_size(),
              compress(model, {.error = error}).model.library_size() / 2);
  }
}

/// Sum of squared errors of the best scores over these points, by normal equations in full.
double best_squared_error(const Model& model, MatrixView<const double> points, bool center) {
  const Matrix<double> scores = model.transform(model.library());
  const Matrix<double> cross = kernel_matrix(model.kernel(), model.library(), points);
  const std::size_t n = cross.rows();
  const std::size_t m = cross.cols() + (center ? 1 : 0);  // and the offset
  Matrix<double> design(n, m);
  for (std::size_t i = 0; i < n; ++i) {
    std::ranges::copy(cross.row(i), design.row(i).begin());
    if (center) design(i, m - 1) = 1;
  }
  Matrix<double> q = design;  // orthonormal columns by Gram-Schmidt, twice
  double left = 0;
  for (std::size_t c = 0; c < m; ++c) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t b = 0; b < c; ++b) {
        double product = 0;
        for (std::size_t i = 0; i < n; ++i) product += q(i, b) * q(i, c);
        for (std::size_t i = 0; i < n; ++i) q(i, c) -= product * q(i, b);
      }
    }
    double norm2 = 0;
    for (std::size_t i = 0; i < n; ++i) norm2 += q(i, c) * q(i, c);
    for (std::size_t i = 0; i < n; ++i) q(i, c) /= std::sqrt(norm2);
  }
  for (std::size_t j = 0; j < scores.cols(); ++j) {
    std::vector<double> rest(n);
    for (std::size_t i = 0; i < n; ++i) rest[i] = scores(i, j);
    for (std::size_t c = 0; c < m; ++c) {
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) product += q(i, c) * rest[i];
      for (std::size_t i = 0; i < n; ++i) rest[i] -= product * q(i, c);
    }
    for (const double value : rest) left += value * value;
  }
  return left;
}

TEST(Projection, HasTheBestCoefficientsForItsPoints) {
  for (const bool center : {true, false}) {
    const Model model = exact_model(200, 4, center);
    const Fit small = compress(model, {.by = CompressBy::projection, .error = 0.02});
    const Scores scores = scores_of_library(model, small.model);
    double squared = 0;
    for (std::size_t j = 0; j < 4; ++j) squared += squared_difference(scores, j);
    EXPECT_NEAR(squared / best_squared_error(model, small.model.library(), center), 1, 1e-5);
    // One point fewer would not have been enough.
    const auto fewer = small.model.library().rows_from(0, small.model.library_size() - 1);
    double all = 0;
    for (std::size_t j = 0; j < 4; ++j) all += squares(scores.before, j);
    EXPECT_GT(std::sqrt(best_squared_error(model, fewer, center) / all), 0.02);
  }
}

TEST(Projection, HoldsForNewPointsToo) {
  const Model model = exact_model(400, 4);
  const Fit small = compress(model, {.by = CompressBy::projection, .error = 0.02});
  const Matrix<double> points = normal_matrix(200, 4, 99);
  EXPECT_LT(
      relative_error({.before = model.transform(points), .after = small.model.transform(points)}),
      0.04);
}

TEST(Compress, ResidualsStay) {
  const Model model = exact_model(400, 4);
  const Matrix<double> points = normal_matrix(50, 4, 5);
  const auto residuals = model.residual(points);
  const auto projected =
      compress(model, {.by = CompressBy::projection, .error = 0.01}).model.residual(points);
  const auto rounded = compress(model, {.error = 0.05}).model.residual(points);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    EXPECT_NEAR(projected[i], residuals[i], 0.03);
    EXPECT_NEAR(rounded[i], residuals[i], 0.1);
  }
}

TEST(Compress, ThreadsChangeNoBitAndSeedsDo) {
  const Model model = exact_model(300, 4);
  const Matrix<double> points = normal_matrix(20, 4, 5);
  for (const CompressBy by : {CompressBy::rounding, CompressBy::projection}) {
    const CompressOptions options{.by = by, .error = 0.2};
    const auto one = compress(model, options, {.threads = 1, .seed = 3});
    const auto four = compress(model, options, {.threads = 4, .seed = 3});
    EXPECT_TRUE(same_bits(one.model.library(), four.model.library()));
    EXPECT_TRUE(same_bits(one.model.coefficients(), four.model.coefficients()));
    EXPECT_TRUE(same_bits(one.model.transform(points), four.model.transform(points)));
    const auto other = compress(model, options, {.seed = 4});
    EXPECT_EQ(same_bits(one.model.library(), other.model.library()), by == CompressBy::projection);
  }
}

}  // namespace
}  // namespace mercer
