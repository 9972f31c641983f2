#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/feature_analysis.h>
#include <mercer/landmarks.h>
#include <mercer/manifold.h>
#include <mercer/model.h>
#include <mercer/preimage.h>
#include <mercer/projection.h>
#include <mercer/random_features.h>

#include "engine/kernel_value.h"
#include "engine/random.h"
#include "golden/golden.h"
#include "model/error_message.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

Matrix<double> normal_points(std::size_t n, std::size_t d, std::uint64_t seed, double mean = 0) {
  Matrix<double> points(n, d);
  const engine::RandomStream stream(seed);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = mean + stream.normal(i);
  return points;
}

/// Points along an arc, each off it by a little.
Matrix<double> noisy_arc(std::size_t n, double noise, std::uint64_t seed) {
  Matrix<double> points(n, 2);
  const engine::RandomStream stream(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    points(i, 0) = std::cos(angle) + noise * stream.normal(2 * i);
    points(i, 1) = std::sin(angle) + noise * stream.normal(2 * i + 1);
  }
  return points;
}

double largest_difference(MatrixView<const double> a, MatrixView<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      largest = std::max(largest, std::abs(a(i, j) - b(i, j)));
    }
  }
  return largest;
}

/// gamma of one row, entry by entry.
std::vector<double> expansion_of(const Model& model, MatrixView<const double> row) {
  const auto z = model.transform(row);
  std::vector<double> gamma(model.library_size(), 0.0);
  for (std::size_t j = 0; j < gamma.size(); ++j) {
    if (model.centered()) gamma[j] = model.mean_coefficients()[j];
    for (std::size_t k = 0; k < model.components(); ++k) {
      gamma[j] += model.coefficients()(j, k) * z(0, k);
    }
  }
  return gamma;
}

/// |phi(z) - P phi(x)|^2 but for a constant.
double objective(const Model& model, std::span<const double> gamma, std::span<const double> z) {
  double sum = 0;
  for (std::size_t j = 0; j < gamma.size(); ++j) {
    sum -= 2 * gamma[j] * engine::kernel_value(model.kernel(), z, model.library().row(j));
  }
  return sum;
}

class GoldenPreimage : public ::testing::Test {
 protected:
  GoldenPreimage() {
    ExactOptions options;
    options.components = 3;
    model_ = fit_exact(points().rows_from(0, 13), Gaussian::from_sigma(0.6), options).model;
  }
  MatrixView<const double> points() const { return golden_["points"]; }
  MatrixView<const double> query() const { return points().rows_from(13, 1); }

  golden::Golden golden_ = golden::Golden::load("preimage/uniform13.txt");
  Model model_ = [] {
    ModelParts parts;
    parts.kernel = Linear{};
    parts.coefficients = Matrix<double>(1, 1);
    parts.offset = {0};
    parts.total_weight = 1;
    return Model(std::move(parts));
  }();
};

TEST_F(GoldenPreimage, ExpansionsAreTheRecordedOnes) {
  const auto gamma = expansion_of(model_, query());
  const auto expected = golden_.values("gamma");
  for (std::size_t j = 0; j < gamma.size(); ++j) EXPECT_NEAR(gamma[j], expected[j], 1e-13);
}

TEST_F(GoldenPreimage, PointsAreTheRecordedOnes) {
  const auto deviation = [&](const PreimageOptions& options, const char* name) {
    return largest_difference(model_.reconstruct(query(), options).points, golden_[name]);
  };
  EXPECT_LT(deviation({.method = Preimage::mika, .tolerance = 1e-15}, "mika"), 1e-13);
  EXPECT_LT(deviation({.method = Preimage::one_step}, "one_step"), 1e-13);
  EXPECT_LT(deviation({.method = Preimage::kwok_tsang, .neighbors = 6}, "kwok_tsang"), 1e-12);
}

TEST_F(GoldenPreimage, TheLearnedMapIsTheRecordedOne) {
  const Model learned = learn_preimage(model_, 0.1);
  EXPECT_TRUE(learned.has_preimage_map());
  const auto result = learned.reconstruct(query(), {.method = Preimage::ridge});
  EXPECT_LT(largest_difference(result.points, golden_["ridge"]), 1e-13);
}

TEST_F(GoldenPreimage, TheUsualToleranceEndsEarly) {
  const auto usual = model_.reconstruct(query());
  EXPECT_LE(usual.report.most_iterations, 15u);
  EXPECT_EQ(usual.report.not_converged, 0u);
  EXPECT_LT(largest_difference(usual.points, golden_["mika"]), 1e-4);
  EXPECT_TRUE(usual.report.warnings().empty());
}

std::vector<Kernel> smooth_kernels() {
  return {Gaussian{.gamma = 0.4}, Matern32{.length = 1.5}, Matern52{.length = 1.2},
          RationalQuadratic{.length = 1.1, .alpha = 2}};
}

TEST(Preimage, TheFixedPointIsWhereTheGradientVanishes) {
  const auto points = noisy_arc(70, 0.05, 3);
  const auto fresh = noisy_arc(9, 0.1, 4);
  for (const Kernel& kernel : smooth_kernels()) {
    for (const bool center : {true, false}) {
      ExactOptions options;
      options.components = 8;
      options.center = center;
      const Model model = fit_exact(points, kernel, options).model;
      const auto result = model.reconstruct(fresh, {.tolerance = 1e-12, .max_iterations = 2000});
      EXPECT_EQ(result.report.not_converged + result.report.one_step + result.report.nearest, 0u)
          << kernel_name(kernel);
      for (std::size_t i = 0; i < fresh.rows(); ++i) {
        const auto gamma = expansion_of(model, fresh.view().rows_from(i, 1));
        std::vector<double> z(result.points.row(i).begin(), result.points.row(i).end());
        const double best = objective(model, gamma, z);
        EXPECT_LE(best, objective(model, gamma, fresh.row(i)) + 1e-12) << kernel_name(kernel);
        for (std::size_t c = 0; c < z.size(); ++c) {
          constexpr double kStep = 1e-5;
          z[c] += kStep;
          const double up = objective(model, gamma, z);
          z[c] -= 2 * kStep;
          const double down = objective(model, gamma, z);
          z[c] += kStep;
          EXPECT_NEAR((up - down) / (2 * kStep), 0, 1e-8) << kernel_name(kernel);
        }
      }
    }
  }
}

// With all components a training point is its own projection, and all methods find it.
TEST(Preimage, PointsThatTheModelKeepsComeBack) {
  const auto points = normal_points(40, 3, 11);
  for (const Kernel& kernel : smooth_kernels()) {
    ExactOptions options;
    options.components = 39;
    const Model model = fit_exact(points, kernel, options).model;
    const auto mika = model.reconstruct(points, {.tolerance = 1e-10, .max_iterations = 1000});
    EXPECT_LT(largest_difference(mika.points, points), 1e-6) << kernel_name(kernel);
    const auto distances = model.reconstruct(
        points, {.method = Preimage::kwok_tsang, .neighbors = 10, .cutoff = 1e-6});
    EXPECT_LT(largest_difference(distances.points, points), 1e-3) << kernel_name(kernel);
  }
  // Its slope has no bound where points meet, so distances only.
  ExactOptions options;
  options.components = 39;
  const Model laplacian = fit_exact(points, Laplacian{.gamma = 0.5}, options).model;
  const auto distances = laplacian.reconstruct(
      points, {.method = Preimage::kwok_tsang, .neighbors = 10, .cutoff = 1e-6});
  EXPECT_LT(largest_difference(distances.points, points), 1e-3);
}

TEST(Preimage, NoiseIsTakenOffAnArc) {
  const auto training = noisy_arc(300, 0.03, 5);
  const auto noisy = noisy_arc(100, 0.15, 6);
  const auto clean = noisy_arc(100, 0, 6);
  const auto error = [&](MatrixView<const double> a) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) {
      sum += std::hypot(a(i, 0) - clean(i, 0), a(i, 1) - clean(i, 1));
    }
    return sum;
  };
  LandmarkOptions options;
  options.components = 4;
  options.landmarks = 60;
  const Model model =
      learn_preimage(fit_landmarks(training, Gaussian{.gamma = 1}, options).model, 0.01);
  for (const Preimage method :
       {Preimage::mika, Preimage::one_step, Preimage::kwok_tsang, Preimage::ridge}) {
    EXPECT_LT(error(model.reconstruct(noisy, {.method = method, .neighbors = 15}).points),
              0.75 * error(noisy))
        << static_cast<int>(method);
  }
}

TEST(Preimage, ALinearKernelGivesTheProjectionItself) {
  const auto points = normal_points(50, 4, 21, 100);
  ExactOptions options;
  options.components = 2;
  for (const bool center : {true, false}) {
    options.center = center;
    const Model model = fit_exact(points, Linear{}, options).model;
    const auto once = model.reconstruct(points).points;
    EXPECT_LT(largest_difference(model.transform(once), model.transform(points)), 1e-10);
    const auto twice = model.reconstruct(once).points;
    EXPECT_LT(largest_difference(twice, once), 1e-10);
    const auto residual = model.residual(points);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      double distance = 0;
      for (std::size_t c = 0; c < 4; ++c) distance += std::pow(points(i, c) - once(i, c), 2);
      EXPECT_NEAR(distance, residual[i], 1e-8);
    }
  }
}

TEST(Preimage, PointsAreInTheUnitsOfTheRows) {
  auto rows = normal_points(60, 2, 31);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = 1e4 + 50 * rows(i, 0);
    rows(i, 1) = 1e-3 * rows(i, 1);
  }
  const InputMaps input{.scaling = standard_scaling(rows)};
  const auto scaled = input.apply(rows);
  ExactOptions options;
  options.components = 5;
  const Model plain = learn_preimage(fit_exact(scaled, Gaussian{.gamma = 0.3}, options).model);
  const Model model = plain.with_input(input);
  for (const Preimage method : {Preimage::mika, Preimage::ridge}) {
    const auto expected = plain.reconstruct(scaled, {.method = method}).points;
    const auto got = model.reconstruct(rows, {.method = method}).points;
    EXPECT_LT(largest_difference(input.apply(got), expected), 1e-9);
  }
}

TEST(Preimage, ThreadsAndCutsDoNotMatter) {
  const auto points = normal_points(250, 3, 41);
  const auto fresh = normal_points(210, 3, 42);
  ExactOptions options;
  options.components = 6;
  const Model model = learn_preimage(fit_exact(points, Gaussian{.gamma = 0.2}, options).model);
  for (const Preimage method :
       {Preimage::mika, Preimage::one_step, Preimage::kwok_tsang, Preimage::ridge}) {
    const PreimageOptions how{.method = method, .neighbors = 12};
    const auto one = model.reconstruct(fresh, how, {.threads = 1}).points;
    const auto three = model.reconstruct(fresh, how, {.threads = 3}).points;
    EXPECT_EQ(largest_difference(one, three), 0);
    const auto part = model.reconstruct(fresh.view().rows_from(50, 7), how).points;
    EXPECT_EQ(largest_difference(part, one.view().rows_from(50, 7)), 0);
  }
}

// What the model keeps of a point far away is near the mean, but no library point has weight there.
TEST(Preimage, OneStepHelpsWhereAllWeightsVanish) {
  const auto points = normal_points(30, 2, 51);
  ExactOptions options;
  options.components = 3;
  const Model model = fit_exact(points, Gaussian{.gamma = 1}, options).model;
  Matrix<double> far(2, 2);
  far(1, 0) = far(1, 1) = 1e3;
  const auto result = model.reconstruct(far);
  EXPECT_EQ(result.report.one_step, 1u);
  EXPECT_EQ(result.report.nearest, 0u);
  EXPECT_EQ(result.report.warnings().size(), 1u);
  const auto step = model.reconstruct(far, {.method = Preimage::one_step}).points;
  EXPECT_EQ(result.points(1, 0), step(1, 0));
  EXPECT_EQ(result.points(1, 1), step(1, 1));
  EXPECT_LT(std::abs(result.points(1, 0)), 10);
}

/// Two points, one component: their difference.
Model difference_model() {
  ModelParts parts;
  parts.kernel = Gaussian{.gamma = 1};
  parts.library = Matrix<double>(2, 1);
  parts.library(1, 0) = 2;
  parts.coefficients = Matrix<double>(2, 1);
  parts.coefficients(0, 0) = 0.7;
  parts.coefficients(1, 0) = -0.7;
  parts.offset = {0};
  parts.eigenvalues = {1};
  parts.total_weight = 2;
  parts.centered = false;
  return Model(std::move(parts));
}

// Without centring nothing is kept of a point far away: there is no weight at all.
TEST(Preimage, ALibraryPointIsTheLastResort) {
  Matrix<double> far(1, 1);
  far(0, 0) = 1e3;
  const auto result = difference_model().reconstruct(far);
  EXPECT_EQ(result.report.one_step, 0u);
  EXPECT_EQ(result.report.nearest, 1u);
  EXPECT_EQ(result.report.faint, 1u);
  EXPECT_TRUE(result.points(0, 0) == 0 || result.points(0, 0) == 2);
  EXPECT_EQ(result.report.warnings().size(), 2u);
}

TEST(Preimage, IterationsThatRunOutAreCounted) {
  const auto points = normal_points(30, 2, 61);
  ExactOptions options;
  options.components = 3;
  const Model model = fit_exact(points, Gaussian{.gamma = 0.5}, options).model;
  const auto result = model.reconstruct(points, {.tolerance = 1e-12, .max_iterations = 2});
  EXPECT_EQ(result.report.most_iterations, 2u);
  EXPECT_GT(result.report.not_converged, 20u);
  ASSERT_EQ(result.report.warnings().size(), 1u);
  EXPECT_NE(result.report.warnings()[0].find("did not converge in 2 iterations"),
            std::string::npos);
}

TEST(Preimage, ANarrowKernelKeepsNothingAndSaysSo) {
  const auto points = normal_points(300, 5, 71);
  ExactOptions options;
  options.components = 2;
  const Model model = fit_exact(points, Gaussian{.gamma = 50}, options).model;
  EXPECT_GT(model.reconstruct(normal_points(10, 5, 72)).report.faint, 5u);
}

TEST(Preimage, OnePointAndOneColumn) {
  Matrix<double> single(1, 1);
  single(0, 0) = 3;
  ExactOptions options;
  options.components = 1;
  options.center = false;
  const Model model = learn_preimage(fit_exact(single, Gaussian{.gamma = 1}, options).model);
  Matrix<double> near(1, 1);
  near(0, 0) = 3.5;
  for (const Preimage method : {Preimage::mika, Preimage::one_step, Preimage::kwok_tsang}) {
    EXPECT_NEAR(model.reconstruct(near, {.method = method}).points(0, 0), 3, 1e-12);
  }
  EXPECT_EQ(model.reconstruct(Matrix<double>(0, 1)).points.rows(), 0u);
}

TEST(Preimage, HugeAndTinyScalesAreNoMatter) {
  for (const double scale : {1e-120, 1e120}) {
    auto points = normal_points(40, 2, 81);
    for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] *= scale;
    ExactOptions options;
    options.components = 39;
    const Model model = fit_exact(points, Gaussian{.gamma = 0.5 / scale / scale}, options).model;
    const auto result = model.reconstruct(points, {.tolerance = 1e-10, .max_iterations = 1000});
    EXPECT_LT(largest_difference(result.points, points), 1e-4 * scale);
  }
}

TEST(Preimage, FeaturesOfFewPointsHaveThemToo) {
  const auto points = noisy_arc(80, 0.05, 91);
  const Model model = fit_feature_analysis(points, Gaussian{.gamma = 1}, {.features = 6}).model;
  const auto result = model.reconstruct(points);
  EXPECT_EQ(result.report.not_converged + result.report.one_step + result.report.nearest, 0u);
  EXPECT_LT(largest_difference(result.points, points), 0.5);
}

TEST(Preimage, TheLearnedMapIsSavedWithTheModel) {
  const auto points = normal_points(25, 3, 101);
  ExactOptions options;
  options.components = 4;
  const Model model = learn_preimage(fit_exact(points, Matern52{.length = 2}, options).model, 0.5);
  const testing::TemporaryFolder folder;
  model.save(folder.path() / "a.mercer");
  const Model loaded = Model::load(folder.path() / "a.mercer");
  const PreimageOptions how{.method = Preimage::ridge};
  EXPECT_EQ(largest_difference(loaded.reconstruct(points, how).points,
                               model.reconstruct(points, how).points),
            0);
  EXPECT_EQ(loaded.summary().method, "exact");
}

TEST(Preimage, ModelsWithoutProjectionsAreRefusedWithTheReason) {
  const auto points = normal_points(30, 3, 111);
  const auto refusal = [&](const Model& model, const PreimageOptions& options = {}) {
    return testing::message_of<InvalidArgument>([&] { model.reconstruct(points, options); });
  };
  const auto has = [](const std::string& message, const char* part) {
    return message.find(part) != std::string::npos;
  };
  ExactOptions exact;
  exact.components = 2;
  RandomFeatureOptions features;
  features.components = 2;
  features.features = 20;
  EXPECT_TRUE(has(refusal(fit_random_features(points, Gaussian{.gamma = 1}, features).model),
                  "random features"));
  EXPECT_TRUE(has(refusal(fit_diffusion_maps(points, Gaussian{.gamma = 1}).model), "graph"));
  Matrix<double> gram(30, 30);
  for (std::size_t i = 0; i < 30; ++i) gram(i, i) = 1 + static_cast<double>(i);
  EXPECT_TRUE(has(testing::message_of<InvalidArgument>(
                      [&] { fit_exact(gram, Precomputed{}, exact).model.reconstruct(gram); }),
                  "precomputed"));
  const InputMaps projected{.projection = random_projection(3, 2)};
  const Model behind =
      fit_exact(projected.apply(points), Gaussian{.gamma = 1}, exact).model.with_input(projected);
  EXPECT_TRUE(has(refusal(behind), "random projection"));
  EXPECT_TRUE(has(testing::message_of<InvalidArgument>([&] { learn_preimage(behind); }),
                  "random projection"));
  const Model polynomial = fit_exact(points, Polynomial{.gamma = 1, .degree = 2}, exact).model;
  EXPECT_TRUE(has(refusal(polynomial), "distance alone"));
  const Model laplacian = fit_exact(points, Laplacian{.gamma = 1}, exact).model;
  EXPECT_TRUE(has(refusal(laplacian), "no bound"));
  EXPECT_TRUE(has(refusal(laplacian, {.method = Preimage::ridge}), "learn_preimage"));
  EXPECT_EQ(refusal(learn_preimage(polynomial), {.method = Preimage::ridge}), "no error");
  EXPECT_TRUE(has(testing::message_of<InvalidArgument>(
                      [&] { learn_preimage(fit_exact(points, Linear{}, exact).model); }),
                  "exactly"));
  EXPECT_TRUE(has(testing::message_of<DataError>([&] {
                    learn_preimage(polynomial).reconstruct(gram, {.method = Preimage::ridge});
                  }),
                  "columns"));
}

TEST(Preimage, OptionsOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PreimageOptions{.tolerance = 0}.validate(), InvalidArgument);
  EXPECT_THROW(PreimageOptions{.tolerance = nan}.validate(), InvalidArgument);
  EXPECT_THROW(PreimageOptions{.max_iterations = 0}.validate(), InvalidArgument);
  EXPECT_THROW(PreimageOptions{.neighbors = 1}.validate(), InvalidArgument);
  EXPECT_THROW(PreimageOptions{.cutoff = 1}.validate(), InvalidArgument);
  const Model model = difference_model();
  for (const double alpha : {0.0, -1.0, nan}) {
    EXPECT_THROW(learn_preimage(model, alpha), InvalidArgument);
  }
  EXPECT_THROW(learn_preimage(model, 1, {.memory_limit_bytes = 16}), MemoryLimitError);
}

}  // namespace
}  // namespace mercer
