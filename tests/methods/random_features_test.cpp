#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/random_features.h>

#include "engine/fourier_features.h"
#include "engine/kernel_value.h"
#include "model/error_message.h"
#include "model/json_schema.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::largest_difference;
using testing::largest_difference_up_to_sign;
using testing::message_of;
using testing::normal_matrix;
using testing::same_bits;

Matrix<double> features_of(const Model& model, MatrixView<const double> points) {
  engine::Workers workers(RunOptions{.threads = 1});
  return engine::FourierFeatures(model.frequencies()).rows(points, workers);
}

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {Gaussian{0.2},    Laplacian{0.5},
                                          LaplacianL1{0.3}, Matern32{1.5},
                                          Matern52{2},      RationalQuadratic{1.2, 0.7}};
  return all;
}

TEST(FitRandomFeatures, IsOrdinaryPcaOfTheFeatures) {
  const auto points = normal_matrix(170, 4, 1);
  const auto fresh = normal_matrix(30, 4, 2);
  for (const Kernel& kernel : kernels()) {
    for (const bool center : {true, false}) {
      SCOPED_TRACE(kernel_name(kernel) + (center ? " centred" : " uncentred"));
      const auto fit =
          fit_random_features(points, kernel, {.components = 4, .center = center, .features = 90});
      const auto phi = features_of(fit.model, points);
      const auto expected = fit_exact(phi, Linear{}, {.components = 4, .center = center});
      for (std::size_t j = 0; j < 4; ++j) {
        EXPECT_NEAR(fit.summary.eigenvalues[j], expected.summary.eigenvalues[j], 1e-9);
      }
      EXPECT_NEAR(fit.summary.total_variance->low, expected.summary.total_variance->low, 1e-9);
      EXPECT_NEAR(fit.summary.total_variance->high, expected.summary.total_variance->high, 1e-9);
      EXPECT_LT(
          largest_difference_up_to_sign(fit.model.transform(fresh),
                                        expected.model.transform(features_of(fit.model, fresh))),
          1e-9);
      const auto residual = fit.model.residual(fresh);
      const auto expected_residual = expected.model.residual(features_of(fit.model, fresh));
      for (std::size_t i = 0; i < residual.size(); ++i) {
        EXPECT_NEAR(residual[i], expected_residual[i], 1e-9);
      }
      EXPECT_LT(*fit.summary.solver_residual, 1e-12);
    }
  }
}

TEST(FitRandomFeatures, TrainingScoresHaveMeanZeroAndTheEigenvaluesAsSquaredNorms) {
  const auto points = normal_matrix(500, 6, 1);
  const auto fit = fit_random_features(points, Gaussian{}, {.components = 6, .features = 256});
  const auto z = fit.model.transform(points);
  for (std::size_t j = 0; j < z.cols(); ++j) {
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

TEST(FitRandomFeatures, ApproachesExactKernelPca) {
  const auto points = normal_matrix(400, 3, 1);
  const auto exact = fit_exact(points, Gaussian{0.1}, {.components = 3});
  const auto error = [&](std::size_t features, bool orthogonal) {
    const auto fit = fit_random_features(
        points, Gaussian{0.1}, {.components = 3, .features = features, .orthogonal = orthogonal});
    double worst = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      worst =
          std::max(worst, std::abs(fit.summary.eigenvalues[j] / exact.summary.eigenvalues[j] - 1));
    }
    return worst;
  };
  EXPECT_LT(error(4096, false), 0.1);
  EXPECT_LT(error(4096, true), 0.1);
}

TEST(FitRandomFeatures, WeightsEqualRepetition) {
  const auto points = normal_matrix(120, 3, 1);
  std::vector<double> weights;
  for (std::size_t i = 0; i < 120; ++i) weights.push_back(1 + static_cast<double>(i % 3));
  const auto repeated = testing::repeat_rows(points, weights);
  const auto weighted = fit_random_features(points, Matern52{1.5},
                                            {.components = 5, .weights = weights, .features = 100});
  const auto plain =
      fit_random_features(repeated, Matern52{1.5}, {.components = 5, .features = 100});
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(weighted.summary.eigenvalues[j], plain.summary.eigenvalues[j], 1e-10);
  }
  EXPECT_EQ(weighted.summary.total_weight, 240);
  EXPECT_LT(largest_difference(weighted.model.transform(points), plain.model.transform(points)),
            1e-9);
}

TEST(FitRandomFeatures, StreamAndMemoryGiveTheSameBits) {
  const auto points = normal_matrix(4500, 5, 1);
  std::vector<double> weights;
  for (std::size_t i = 0; i < points.rows(); ++i) weights.push_back(1 + 0.1 * (i % 7));
  const RandomFeatureOptions options{.components = 4, .features = 130};
  auto with_weights = options;
  with_weights.weights = weights;
  const auto memory = fit_random_features(points, Gaussian{}, with_weights, {.threads = 1});
  const auto source = rows_in_memory(points, weights);
  const auto stream = fit_random_features(*source, Gaussian{}, options, {.threads = 3});
  EXPECT_EQ(memory.summary.eigenvalues, stream.summary.eigenvalues);
  EXPECT_EQ(memory.summary.kernel_parameters, stream.summary.kernel_parameters);
  EXPECT_EQ(memory.summary.bounds[0].value, stream.summary.bounds[0].value);
  EXPECT_TRUE(same_bits(memory.model.coefficients(), stream.model.coefficients()));
  EXPECT_TRUE(same_bits(memory.model.frequencies(), stream.model.frequencies()));
}

TEST(FitRandomFeatures, SeedsChangeTheFrequencies) {
  const auto points = normal_matrix(50, 5, 1);
  const RandomFeatureOptions options{.components = 2, .features = 16};
  const auto one = fit_random_features(points, Gaussian{0.1}, options, {.seed = 1});
  const auto two = fit_random_features(points, Gaussian{0.1}, options, {.seed = 2});
  EXPECT_FALSE(same_bits(one.model.frequencies(), two.model.frequencies()));
}

TEST(FitRandomFeatures, EstimatesTheErrorOfTheKernel) {
  const auto points = normal_matrix(300, 4, 1);  // fewer than the sample: every pair counts
  const Kernel kernel = Gaussian{0.1};
  const auto fit = fit_random_features(points, kernel, {.components = 2, .features = 64});
  const auto phi = features_of(fit.model, points);
  double squares = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double product =
          std::inner_product(phi.row(i).begin(), phi.row(i).end(), phi.row(j).begin(), 0.0);
      const double k = engine::kernel_value(kernel, points.row(i), points.row(j));
      squares += (k - product) * (k - product);
    }
  }
  ASSERT_EQ(fit.summary.bounds.size(), 1U);
  EXPECT_EQ(fit.summary.bounds[0].name, "kernel_error_rms");
  EXPECT_FALSE(fit.summary.bounds[0].rigorous);
  EXPECT_NEAR(fit.summary.bounds[0].value, std::sqrt(squares / (300 * 299 / 2)), 1e-12);
}

TEST(FitRandomFeatures, WeightsCountInTheErrorEstimate) {
  const auto points = normal_matrix(60, 4, 1);
  std::vector<double> heavy(60, 1e-9);
  heavy[3] = heavy[4] = 1;
  const auto fit = fit_random_features(points, Gaussian{0.1},
                                       {.components = 1, .weights = heavy, .features = 64});
  const auto phi = features_of(fit.model, points);
  const double product =
      std::inner_product(phi.row(3).begin(), phi.row(3).end(), phi.row(4).begin(), 0.0);
  const double k = engine::kernel_value(Gaussian{0.1}, points.row(3), points.row(4));
  EXPECT_NEAR(fit.summary.bounds[0].value, std::abs(k - product), 1e-5);
}

TEST(FitRandomFeatures, SummaryTellsWhatWasDone) {
  const auto points = normal_matrix(1200, 4, 1);
  const auto fit = fit_random_features(points, Gaussian{}, {.components = 3, .features = 128});
  const Summary& s = fit.summary;
  EXPECT_EQ(s.method, "random_features");
  EXPECT_EQ(s.features, 128U);
  EXPECT_EQ(s.library_size, 0U);
  EXPECT_EQ(s.n, 1200U);
  EXPECT_EQ(s.d, 4U);
  EXPECT_FALSE(s.residual_trace_fraction);
  EXPECT_EQ(s.choices[0].what, "gamma");
  EXPECT_GE(s.kernel_evaluations, 1000U * 999 / 2);
  EXPECT_LE(s.kernel_evaluations, 1000U * 1100 / 2);
  EXPECT_NE(s.full().find("3, centred, from 128 random features"), std::string::npos) << s.full();
  EXPECT_EQ(testing::summary_violations(s.json()), std::vector<std::string>{});
}

TEST(FitRandomFeatures, ComesBackFromAFile) {
  const auto points = normal_matrix(150, 4, 1);
  const auto fit = fit_random_features(points, Laplacian{0.4},
                                       {.components = 3, .features = 70, .orthogonal = true});
  const testing::TemporaryFolder folder;
  fit.model.save(folder / "a.mercer");
  const Model loaded = Model::load(folder / "a.mercer");
  EXPECT_TRUE(same_bits(loaded.frequencies(), fit.model.frequencies()));
  EXPECT_TRUE(same_bits(loaded.transform(points), fit.model.transform(points)));
  EXPECT_EQ(loaded.residual(points), fit.model.residual(points));
  EXPECT_EQ(loaded.summary().features, 70U);
}

TEST(FitRandomFeatures, RetainAndMinEigenvalueChooseTheCount) {
  const auto points = normal_matrix(300, 3, 1);
  const auto all = fit_random_features(points, Gaussian{0.3}, {.components = 40, .features = 80});
  const auto& ratio = all.summary.explained_variance_ratio;
  const double nine = std::accumulate(ratio.begin(), ratio.begin() + 9, 0.0);
  EXPECT_EQ(fit_random_features(points, Gaussian{0.3}, {.retain = nine - 1e-6, .features = 80})
                .summary.components,
            9U);
  EXPECT_EQ(fit_random_features(points, Gaussian{0.3}, {.retain = 1.0, .features = 80})
                .summary.components,
            80U);
  const auto& values = all.summary.eigenvalues;
  EXPECT_EQ(fit_random_features(points, Gaussian{0.3},
                                {.min_eigenvalue = (values[35] + values[36]) / 2, .features = 80})
                .summary.components,
            36U);
}

TEST(FitRandomFeatures, FewerDirectionsThanAskedAreReported) {
  const auto points = normal_matrix(5, 3, 1);
  const auto fit = fit_random_features(points, Gaussian{0.3}, {.features = 64});
  EXPECT_EQ(fit.summary.components, 4U);
  EXPECT_EQ(fit.summary.termination.reason, TerminationReason::fewer_components);
  EXPECT_THROW(fit_random_features(normal_matrix(1, 3, 1), Gaussian{0.3}, {.features = 64}),
               NumericalError);
}

TEST(FitRandomFeatures, RefusesBadOptions) {
  const auto points = normal_matrix(20, 3, 1);
  const auto refusal = [&](const Kernel& kernel, const RandomFeatureOptions& options) {
    return message_of<InvalidArgument>([&] { fit_random_features(points, kernel, options); });
  };
  EXPECT_NE(refusal(Gaussian{}, {.features = 7}).find("features is 7"), std::string::npos);
  EXPECT_NE(refusal(Gaussian{}, {.features = 0}).find("features is 0"), std::string::npos);
  EXPECT_NE(refusal(Gaussian{}, {.components = 0}).find("components"), std::string::npos);
  EXPECT_NE(refusal(Gaussian{}, {.retain = 2.0}).find("retain"), std::string::npos);
  EXPECT_NE(refusal(Gaussian{}, {.weights = {1, 2}}).find("2 weights for 20"), std::string::npos);
  EXPECT_NE(refusal(Gaussian{-1.0}, {}).find("gamma"), std::string::npos);
  EXPECT_NE(refusal(Polynomial{}, {}).find("polynomial"), std::string::npos);
  EXPECT_NE(refusal(LaplacianL1{}, {.orthogonal = true}).find("orthogonal"), std::string::npos);
  const auto source = rows_in_memory(points);
  EXPECT_THROW(fit_random_features(*source, Gaussian{}, {.weights = {1}}), InvalidArgument);
}

TEST(FitRandomFeatures, RefusesBadData) {
  auto points = normal_matrix(20, 3, 1);
  EXPECT_THROW(fit_random_features(Matrix<double>(0, 3), Gaussian{0.1}), DataError);
  EXPECT_THROW(fit_random_features(Matrix<double>(3, 0), Gaussian{0.1}), DataError);
  points(3, 1) = std::nan("");
  EXPECT_EQ(message_of<DataError>([&] {
              fit_random_features(points, Gaussian{0.1});
            }).find("row 4, column 2"),
            0U);
}

TEST(FitRandomFeatures, RespectsTheMemoryLimitAndCancellation) {
  const auto points = normal_matrix(2000, 3, 1);
  EXPECT_THROW(fit_random_features(points, Gaussian{0.1}, {.features = 4096},
                                   {.memory_limit_bytes = 100 << 20}),
               MemoryLimitError);
  RunOptions run;
  run.cancelled = [] { return true; };
  EXPECT_THROW(fit_random_features(points, Gaussian{0.1}, {.features = 64}, run), Cancelled);
}

}  // namespace
}  // namespace mercer
