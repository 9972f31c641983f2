#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/graph_reference.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;
using testing::same_bits;
using testing::weighted_set;

NormalizedCutOptions options_of(std::size_t clusters) {
  NormalizedCutOptions options;
  options.clusters = clusters;
  return options;
}

/// Row i belongs to blob i % blobs.
Matrix<double> blobs(std::size_t n, std::size_t count, double distance, std::uint64_t seed) {
  auto points = normal_matrix(n, 2, seed);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(i % count) / static_cast<double>(count);
    points(i, 0) += distance * std::cos(angle);
    points(i, 1) += distance * std::sin(angle);
  }
  return points;
}

/// Whether labels and truth are the same partition.
bool same_partition(const std::vector<std::size_t>& labels, std::size_t truth_modulus) {
  std::map<std::size_t, std::size_t> there;
  std::map<std::size_t, std::size_t> back;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::size_t truth = i % truth_modulus;
    if (there.emplace(labels[i], truth).first->second != truth) return false;
    if (back.emplace(truth, labels[i]).first->second != labels[i]) return false;
  }
  return true;
}

TEST(NormalizedCut, RecoversSeparatedClusters) {
  for (const std::size_t count : {2U, 3U, 5U}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto points = blobs(150, count, 8, seed);
      const auto cut = fit_normalized_cut(weighted_set(points), Gaussian{0.5}, options_of(count));
      EXPECT_TRUE(same_partition(cut.labels, count)) << count << " " << seed;
      EXPECT_EQ(cut.cluster_centers.rows(), count);
      EXPECT_EQ(cut.cluster_centers.cols(), count - 1);
      EXPECT_EQ(cut.fit.model.components(), count - 1);
      EXPECT_EQ(cut.fit.summary.method, "normalized_cut");
      EXPECT_EQ(label_rows(cut.fit.model, cut.cluster_centers, points), cut.labels);
    }
  }
}

TEST(NormalizedCut, SeparatesRingsThatKMeansCannot) {
  Matrix<double> points(400, 2);
  const auto noise = normal_matrix(400, 2, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    const double radius = i % 2 == 0 ? 1 : 3;
    const double angle = 2 * std::numbers::pi * static_cast<double>(i / 2) / 200;
    points(i, 0) = radius * std::cos(angle) + 0.05 * noise(i, 0);
    points(i, 1) = radius * std::sin(angle) + 0.05 * noise(i, 1);
  }
  const auto cut = fit_normalized_cut(weighted_set(points), Gaussian{8.0}, options_of(2));
  EXPECT_TRUE(same_partition(cut.labels, 2));
}

TEST(NormalizedCut, OfAReducedSetLabelsAllRows) {
  const auto points = blobs(600, 3, 8, 4);
  const auto set = testing::shadow_set(points, 0.5);
  ASSERT_LT(set.size(), 400U);
  for (const bool self_loops : {true, false}) {
    auto options = options_of(3);
    options.self_loops = self_loops;
    const auto cut = fit_normalized_cut(set, Gaussian{0.5}, options);
    EXPECT_EQ(cut.labels.size(), set.size());
    const auto labels = label_rows(cut.fit.model, cut.cluster_centers, points);
    EXPECT_TRUE(same_partition(labels, 3));
    for (std::size_t i = 0; i < points.rows(); ++i) EXPECT_EQ(labels[i], cut.labels[set.map[i]]);
  }
}

TEST(NormalizedCut, RowsFarFromEverythingHaveNoLabel) {
  const auto points = blobs(60, 2, 6, 1);
  const auto cut = fit_normalized_cut(weighted_set(points), Gaussian{0.5}, options_of(2));
  Matrix<double> rows(3, 2);
  std::ranges::copy(points.row(0), rows.row(0).begin());
  rows(1, 0) = 1e5;
  std::ranges::copy(points.row(1), rows.row(2).begin());
  EXPECT_EQ(label_rows(cut.fit.model, cut.cluster_centers, rows),
            (std::vector<std::size_t>{cut.labels[0], kNoLabel, cut.labels[1]}));
}

TEST(NormalizedCut, ClusterCentresAreMeansByWeight) {
  const auto points = blobs(90, 3, 4, 2);
  const auto weights = testing::small_integers(90);
  const auto cut = fit_normalized_cut(weighted_set(points, weights), Gaussian{0.5}, options_of(3));
  const auto z = cut.fit.model.transform(points);
  Matrix<double> means(3, z.cols());
  std::vector<double> totals(3, 0.0);
  for (std::size_t i = 0; i < 90; ++i) {
    totals[cut.labels[i]] += weights[i];
    for (std::size_t j = 0; j < z.cols(); ++j) means(cut.labels[i], j) += weights[i] * z(i, j);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    for (double& value : means.row(c)) value /= totals[c];
  }
  EXPECT_LT(testing::largest_difference(means, cut.cluster_centers), 1e-12);
}

/// Sum of squared distances of the nodes from the centres of their clusters.
double inertia(const NormalizedCut& cut, MatrixView<const double> points) {
  const auto z = cut.fit.model.transform(points);
  double sum = 0;
  for (std::size_t i = 0; i < z.rows(); ++i) {
    for (std::size_t j = 0; j < z.cols(); ++j) {
      const double difference = z(i, j) - cut.cluster_centers(cut.labels[i], j);
      sum += difference * difference;
    }
  }
  return sum;
}

TEST(NormalizedCut, TheBestRestartWins) {
  const auto points = blobs(200, 12, 4, 1);
  bool better = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    auto options = options_of(8);
    options.restarts = 1;
    const auto one =
        fit_normalized_cut(weighted_set(points), Gaussian{0.5}, options, {.seed = seed});
    options.restarts = 10;
    const auto ten =
        fit_normalized_cut(weighted_set(points), Gaussian{0.5}, options, {.seed = seed});
    EXPECT_LE(inertia(ten, points), inertia(one, points) * (1 + 1e-12));
    better = better || inertia(ten, points) < 0.99 * inertia(one, points);
  }
  EXPECT_TRUE(better);
}

TEST(NormalizedCut, BitsDoNotDependOnTheThreads) {
  const auto points = blobs(700, 4, 5, 3);
  const auto fit = [&](std::size_t threads) {
    return fit_normalized_cut(weighted_set(points), Gaussian{0.5}, options_of(4),
                              {.threads = threads, .seed = 5});
  };
  const auto one = fit(1);
  const auto three = fit(3);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_TRUE(same_bits(one.cluster_centers, three.cluster_centers));
}

TEST(NormalizedCut, TellsItsPhasesToModelAndSummary) {
  const auto cut =
      fit_normalized_cut(weighted_set(blobs(60, 2, 6, 1)), Gaussian{0.5}, options_of(2));
  EXPECT_EQ(cut.fit.summary.phases.back().name, "kmeans");
  EXPECT_EQ(cut.fit.model.summary().json(), cut.fit.summary.json());
}

TEST(NormalizedCut, FewerNodesThanClustersAreReported) {
  const auto set = weighted_set(normal_matrix(3, 2, 1), {5, 5, 5});
  const auto cut = fit_normalized_cut(set, Gaussian{0.5}, options_of(6));
  EXPECT_EQ(cut.cluster_centers.rows(), 3U);
  EXPECT_FALSE(cut.fit.summary.warnings.empty());
}

TEST(NormalizedCut, BadArgumentsAreRefused) {
  const auto set = weighted_set(blobs(30, 2, 6, 1));
  const auto refuse = [&](auto change) {
    auto options = options_of(2);
    change(options);
    EXPECT_THROW(fit_normalized_cut(set, Gaussian{0.5}, options), InvalidArgument);
  };
  refuse([](auto& o) { o.clusters = 0; });
  refuse([](auto& o) { o.clusters = 1; });
  refuse([](auto& o) { o.components = 0; });
  refuse([](auto& o) { o.restarts = 0; });
  refuse([](auto& o) { o.iterations = 0; });
  refuse([](auto& o) { o.weights = {1}; });
  refuse([](auto& o) { o.reduction.method = Reduction::kmeans; });
  const auto cut = fit_normalized_cut(set, Gaussian{0.5}, options_of(2));
  EXPECT_THROW(label_rows(cut.fit.model, Matrix<double>(2, 7), set.centers), InvalidArgument);
  EXPECT_THROW(label_rows(cut.fit.model, Matrix<double>(0, 2), set.centers), InvalidArgument);
}

}  // namespace
}  // namespace mercer
