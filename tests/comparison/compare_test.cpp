#include <cmath>

#include <gtest/gtest.h>

#include <mercer/compare.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/feature_analysis.h>
#include <mercer/generate.h>
#include <mercer/landmarks.h>

#include "engine/random.h"

namespace mercer {
namespace {

struct Clusters {
  Matrix<double> points;
  std::vector<std::size_t> labels;
};

Clusters three_clusters(std::size_t n) {
  Clusters made{.points = Matrix<double>(n, 2), .labels = {}};
  const engine::RandomStream stream(5);
  for (std::size_t i = 0; i < n; ++i) {
    made.labels.push_back(i % 3);
    for (std::size_t j = 0; j < 2; ++j) {
      made.points(i, j) = 4.0 * static_cast<double>(i % 3 == j) + 0.3 * stream.normal(2 * i + j);
    }
  }
  return made;
}

Contender exact(std::size_t components) {
  return {.method = "exact",
          .fit = [components](auto points, const Kernel& kernel, const RunOptions& run) {
            ExactOptions options;
            options.components = components;
            return fit_exact(points, kernel, options, run);
          }};
}

Contender landmarks(std::size_t components, std::size_t count) {
  return {.method = "landmarks",
          .parameter = "landmarks",
          .value = static_cast<double>(count),
          .fit = [=](auto points, const Kernel& kernel, const RunOptions& run) {
            LandmarkOptions options;
            options.components = components;
            options.landmarks = count;
            return fit_landmarks(points, kernel, options, run);
          }};
}

Contender features(std::size_t count) {
  return {.method = "akfa",
          .fit = [count](auto points, const Kernel& kernel, const RunOptions& run) {
            return fit_feature_analysis(points, kernel, {.features = count}, run);
          }};
}

TEST(Compare, TheBaselineIsItself) {
  const auto data = three_clusters(90);
  const auto result = compare(data.points, data.labels, Gaussian{}, {landmarks(3, 8), exact(3)},
                              {.baseline = 1, .repeats = 2});
  EXPECT_EQ(result.splits, 2u);
  EXPECT_EQ(result.measurements.size(), 4u);
  EXPECT_TRUE(is_resolved(result.kernel));
  const auto all = result.summaries();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_LT(all[1].embedding_error.mean, 1e-12);
  EXPECT_EQ(all[1].eigenvalue_error->mean, 0);
  EXPECT_EQ(all[1].fit_speedup.mean, 1);
  EXPECT_EQ(all[1].fit_speedup.deviation, 0);
  EXPECT_EQ(all[1].retained.mean, 1);
  EXPECT_EQ(all[1].library_size.mean, 63);
  EXPECT_EQ(all[0].library_size.mean, 8);
  EXPECT_NEAR(all[0].retained.mean, 8.0 / 63, 1e-15);
}

TEST(Compare, MoreLandmarksAreNearer) {
  const auto data = three_clusters(150);
  const auto all = compare(data.points, {}, Gaussian{},
                           {exact(4), landmarks(4, 5), landmarks(4, 20), landmarks(4, 105)})
                       .summaries();
  EXPECT_GT(all[1].embedding_error.mean, all[2].embedding_error.mean);
  EXPECT_LT(all[3].embedding_error.mean, 1e-6);
  EXPECT_GT(all[1].eigenvalue_error->mean, all[3].eigenvalue_error->mean);
  EXPECT_GT(all[1].residual_trace_fraction->mean, all[2].residual_trace_fraction->mean);
  for (const auto& one : all) {
    EXPECT_FALSE(one.accuracy);
    EXPECT_EQ(one.splits, 3u);
    EXPECT_GT(one.fit_seconds.mean, 0);
    EXPECT_GT(one.transform_seconds.mean, 0);
  }
}

TEST(Compare, LabelsAreClassified) {
  const auto data = three_clusters(90);
  const auto result = compare(data.points, data.labels, Gaussian{}, {exact(2), features(2)},
                              {.repeats = 1, .folds = 3});
  EXPECT_EQ(result.splits, 3u);
  EXPECT_TRUE(result.labelled);
  for (const auto& one : result.summaries()) EXPECT_EQ(one.accuracy->mean, 1);
  EXPECT_FALSE(result.summaries()[1].eigenvalue_error) << "features have no eigenvalues";
}

TEST(Compare, SameSeedSameResults) {
  const auto data = three_clusters(60);
  const auto errors = [&](std::uint64_t seed) {
    std::vector<double> list;
    for (const auto& one :
         compare(data.points, {}, Gaussian{}, {exact(2), landmarks(2, 6)}, {}, {.seed = seed})
             .measurements) {
      list.push_back(one.embedding_error);
    }
    return list;
  };
  EXPECT_EQ(errors(3), errors(3));
  EXPECT_NE(errors(3), errors(4));
}

TEST(Compare, WhoFailsIsRecordedWithTheReason) {
  const auto data = three_clusters(60);
  Contender bad{.method = "bad", .fit = [](auto, const Kernel&, const RunOptions&) -> Fit {
                  throw NumericalError("it did not work");
                }};
  const auto result =
      compare(data.points, {}, Gaussian{}, {exact(2), bad, landmarks(2, 5)}, {.repeats = 2});
  const auto all = result.summaries();
  EXPECT_EQ(all[1].splits, 0u);
  EXPECT_EQ(all[1].failure, "it did not work");
  EXPECT_EQ(all[2].splits, 2u);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {bad, exact(2)}), NumericalError);
}

TEST(Compare, CancellationIsPassedOn) {
  const auto data = three_clusters(60);
  EXPECT_THROW(
      compare(data.points, {}, Gaussian{}, {exact(2)}, {}, {.cancelled = [] { return true; }}),
      Cancelled);
}

TEST(Compare, LabelsOfContenders) {
  Comparison result;
  result.contenders = {
      exact(2), landmarks(2, 500), {.method = "shadow", .parameter = "ell", .value = 3.5}};
  EXPECT_EQ(result.label(0), "exact");
  EXPECT_EQ(result.label(1), "landmarks 500");
  EXPECT_EQ(result.label(2), "shadow, ell 3.5");
}

TEST(Compare, MistakesAreNamed) {
  const auto data = three_clusters(30);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {}), InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {{.method = "none"}}), InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {exact(2)}, {.baseline = 1}), InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {exact(2)}, {.repeats = 0}), InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {exact(2)}, {.folds = 1}), InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {exact(2)}, {.test_fraction = 1}),
               InvalidArgument);
  EXPECT_THROW(compare(data.points, {}, Gaussian{}, {exact(2)}, {.neighbors = 0}), InvalidArgument);
  EXPECT_THROW(compare(data.points.view().rows_from(0, 3), {}, Gaussian{}, {exact(2)}), DataError);
  EXPECT_THROW(compare(data.points, std::vector<std::size_t>{1, 2}, Gaussian{}, {exact(2)}),
               DataError);
}

}  // namespace
}  // namespace mercer
