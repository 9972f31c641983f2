#include <cmath>

#include <gtest/gtest.h>

#include <mercer/compress.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/manifold.h>
#include <mercer/random_features.h>

#include "model/error_message.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::message_of;
using testing::normal_matrix;
using testing::same_bits;

constexpr CompressOptions kProjection{.by = CompressBy::projection, .error = 0.05};

TEST(Compress, RefusesModelsWithoutALibrary) {
  const Matrix<double> points = normal_matrix(50, 3, 1);
  EXPECT_EQ(message_of<InvalidArgument>([&] { compress(fit_exact(points, Linear{}).model); }),
            "the model has no library: with the linear kernel it keeps none");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { compress(fit_random_features(points, Gaussian{1.0}).model); }),
            "the model has no library but random features: fit it with fewer of them");
  Matrix<double> gram(2, 2);
  gram(0, 0) = gram(1, 1) = 1;
  EXPECT_THROW(compress(fit_exact(gram, Precomputed{}, {.components = 1}).model), InvalidArgument);
}

TEST(Compress, RefusesModelsThatDivideByTheDegree) {
  const Model maps = fit_diffusion_maps(normal_matrix(50, 3, 1), Gaussian{0.5}).model;
  for (const CompressOptions& options : {CompressOptions{}, kProjection}) {
    EXPECT_NE(message_of<InvalidArgument>([&] {
                compress(maps, options);
              }).find("fit the model on fewer weighted centres"),
              std::string::npos);
  }
}

TEST(Compress, RoundsIndefiniteKernelsButDoesNotProjectThem) {
  const Model model =
      fit_exact(normal_matrix(60, 3, 1), Sigmoid{0.2, 0.0}, {.components = 2}).model;
  EXPECT_LE(compress(model, {.error = 0.3}).model.library_size(), 60u);
  EXPECT_NE(message_of<InvalidArgument>([&] {
              compress(model, kProjection);
            }).find("not positive semi-definite, which projections need"),
            std::string::npos);
}

TEST(Compress, ChecksItsOptions) {
  const Model model = fit_exact(normal_matrix(20, 2, 1), Gaussian{1.0}).model;
  for (const double error : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THROW(compress(model, {.error = error}), InvalidArgument);
  }
  EXPECT_THROW(compress(model, {.scale = 0.0}), InvalidArgument);
  EXPECT_THROW(compress(model, {.scale = std::nan("")}), InvalidArgument);
  EXPECT_THROW(compress(model, {.by = CompressBy::projection, .scale = 1.0}), InvalidArgument);
  EXPECT_THROW(compress(model, {.by = CompressBy::projection, .per_component = true}),
               InvalidArgument);
}

TEST(Compress, OnePointStays) {
  const Model model =
      fit_exact(normal_matrix(1, 3, 1), Gaussian{1.0}, {.components = 1, .center = false}).model;
  for (const CompressOptions& options : {CompressOptions{.error = 0.9}, kProjection}) {
    const Fit same = compress(model, options);
    EXPECT_EQ(same.model.library_size(), 1u);
  }
}

TEST(Compress, EqualPointsAreTakenOnce) {
  Matrix<double> points = normal_matrix(60, 2, 4);
  for (std::size_t i = 12; i < 60; ++i) {
    std::ranges::copy(std::as_const(points).row(i % 12), points.row(i).begin());
  }
  const Model model = fit_exact(points, Gaussian{2.0}, {.components = 11}).model;
  const Fit small = compress(model, {.by = CompressBy::projection, .error = 1e-6});
  EXPECT_LE(small.model.library_size(), 12u);
  EXPECT_LT(small.summary.compression->all.measured, 1e-6);
}

TEST(Compress, AnErrorBelowRoundingIsReportedAsMissed) {
  Matrix<double> points = normal_matrix(60, 2, 4);
  for (std::size_t i = 12; i < 60; ++i) {
    std::ranges::copy(std::as_const(points).row(i % 12), points.row(i).begin());
  }
  const Model model = fit_exact(points, Gaussian{2.0}, {.components = 11}).model;
  const Fit small = compress(model, {.by = CompressBy::projection, .error = 1e-300});
  EXPECT_EQ(small.summary.termination.reason, TerminationReason::tolerance_missed);
  EXPECT_LT(small.summary.compression->all.measured, 1e-8);
}

TEST(Compress, TheMemoryLimitEndsTheChoiceAndIsReported) {
  const Model model = fit_exact(normal_matrix(2000, 6, 5), Gaussian{0.3}, {.components = 10}).model;
  const RunOptions tight{.memory_limit_bytes = 2'000'000};
  const Fit small = compress(model, {.by = CompressBy::projection, .error = 1e-5}, tight);
  EXPECT_EQ(small.summary.termination.reason, TerminationReason::tolerance_missed);
  EXPECT_LT(small.model.library_size(), 60u);
  EXPECT_THROW(compress(model, kProjection, {.memory_limit_bytes = 100'000}), MemoryLimitError);
}

TEST(Compress, KeepsInputMapsAndEigenvaluesAndIsSaved) {
  InputMaps maps;
  maps.scaling = fixed_scaling(3, 1, 2);
  Matrix<double> points = normal_matrix(100, 3, 6);
  const Matrix<double> raw = points;
  maps.scaling.apply(points);
  const Model model = fit_exact(points, Gaussian{0.1}, {.components = 3}).model.with_input(maps);
  for (const CompressOptions& options : {CompressOptions{.error = 0.3}, kProjection}) {
    const Fit small = compress(model, options);
    EXPECT_EQ(small.model.input().scaling.multiply, maps.scaling.multiply);
    EXPECT_TRUE(std::ranges::equal(small.model.eigenvalues(), model.eigenvalues()));
    EXPECT_EQ(small.summary.method, "exact");
    EXPECT_EQ(small.summary.explained_variance_ratio, model.summary().explained_variance_ratio);
    const testing::TemporaryFolder folder;
    small.model.save(folder / "small.mercer");
    const Model loaded = Model::load(folder / "small.mercer");
    EXPECT_TRUE(same_bits(loaded.transform(raw), small.model.transform(raw)));
    EXPECT_EQ(loaded.summary().compression->components.size(), 3u);
  }
}

TEST(Compress, CustomKernelsAndSmallerModelsOnceMore) {
  const Custom kernel{
      .function = [](std::span<const double> x,
                     std::span<const double> y) { return std::exp(-std::abs(x[0] - y[0])); },
      .name = "one"};
  const Model model = fit_exact(normal_matrix(80, 1, 7), kernel, {.components = 2}).model;
  const Fit first = compress(model, {.by = CompressBy::projection, .error = 0.02});
  const Fit second = compress(first.model, {.by = CompressBy::projection, .error = 0.2});
  EXPECT_LT(first.model.library_size(), 80u);
  EXPECT_LT(second.model.library_size(), first.model.library_size());
  EXPECT_EQ(second.summary.compression->library_size_before, first.model.library_size());
}

TEST(Compress, LandmarksOfACompressedModelAreNoLandmarksOfParts) {
  const Fit fit = fit_landmarks(normal_matrix(300, 3, 8), Gaussian{0.2}, {.landmarks = 40});
  const Fit small = compress(fit.model, kProjection);
  EXPECT_THROW(LandmarkPart{small.model}, InvalidArgument);
}

TEST(Compress, CanBeCancelled) {
  const Model model = fit_exact(normal_matrix(500, 3, 8), Gaussian{0.2}, {.components = 3}).model;
  for (const CompressOptions& options : {CompressOptions{}, kProjection}) {
    EXPECT_THROW(compress(model, options, {.cancelled = [] { return true; }}), Cancelled);
  }
}

}  // namespace
}  // namespace mercer
