#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/landmarks.h>
#include <mercer/partitioned.h>

#include "engine/pivoted_cholesky.h"
#include "golden/golden.h"
#include "methods/block_partition.h"
#include "methods/landmark_set.h"
#include "numbers.h"
#include "summary_fields.h"

namespace mercer {
namespace {

using testing::bound;
using testing::choice;
using testing::largest_difference_up_to_sign;
using testing::normal_matrix;

std::vector<double> sizes_of(const std::vector<std::vector<std::size_t>>& blocks) {
  std::vector<double> sizes;
  for (const auto& block : blocks) sizes.push_back(static_cast<double>(block.size()));
  return sizes;
}

TEST(PartitionRows, EveryRowIsInOneBlock) {
  const engine::RandomStream stream(1);
  for (const std::size_t n : {1U, 7U, 100U, 4001U}) {
    for (const Partition partition : {Partition::random, Partition::in_order}) {
      for (const std::size_t count : {1U, 3U, 10U}) {
        if (count > n) continue;
        const auto blocks =
            methods::partition_rows(n, {.blocks = count, .partition = partition}, stream);
        ASSERT_EQ(blocks.size(), count);
        std::vector<std::size_t> all;
        for (const auto& block : blocks) {
          EXPECT_TRUE(std::ranges::is_sorted(block));
          EXPECT_GE(block.size(), n / count);
          EXPECT_LE(block.size(), n / count + 1);
          all.insert(all.end(), block.begin(), block.end());
        }
        std::ranges::sort(all);
        std::vector<std::size_t> expected(n);
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        EXPECT_EQ(all, expected);
      }
    }
  }
  EXPECT_EQ(sizes_of(methods::partition_rows(25, {.block_size = 10}, stream)),
            (std::vector<double>{10, 10, 5}));
  EXPECT_EQ(sizes_of(methods::partition_rows(4100, {}, stream)),
            (std::vector<double>{2000, 2000, 100}));
  PartitionedOptions labels{.partition = Partition::labels, .labels = {7, 2, 7, 2, 2}};
  const auto blocks = methods::partition_rows(5, labels, stream);
  EXPECT_EQ(blocks[0], (std::vector<std::size_t>{1, 3, 4}));
  EXPECT_EQ(blocks[1], (std::vector<std::size_t>{0, 2}));
}

class PartitionedGolden : public ::testing::Test {
 protected:
  PartitionedGolden() {
    options_.components = 5;
    options_.partition = Partition::labels;
    for (std::size_t i = 0; i < 240; ++i) options_.labels.push_back(i % 4);
    options_.library = {.rule = PivotRule::max_residual, .mse = 1e-2};
  }

  Fit fit(Refine refine) {
    options_.refine = refine;
    return fit_partitioned(points_, kernel_, options_);
  }

  golden::Golden recorded_ = golden::Golden::load("greedy/circle240.txt");
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  const Matrix<double>& points_ = exact_["train"];
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
  PartitionedOptions options_;
};

TEST_F(PartitionedGolden, MergedBlocksHaveTheRecordedVariances) {
  const Fit merged = fit(Refine::none);
  EXPECT_EQ(merged.model.library_size(), 84U);
  const auto variances = recorded_.values("merged.variances");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(merged.summary.eigenvalues[i], variances[i], 2e-9);
  }
  const auto scores = merged.model.transform(exact_["new"]);
  const auto expected = recorded_.values("merged.absolute_new_scores");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(scores(0, i)), expected[i], 2e-9);
  EXPECT_EQ(choice(merged.summary, "blocks"), "4");
}

TEST_F(PartitionedGolden, ReprojectedRowsHaveTheRecordedVariances) {
  const Fit reprojected = fit(Refine::reproject);
  EXPECT_LE(reprojected.model.library_size(), 84U);
  const auto variances = recorded_.values("reprojected.variances");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(reprojected.summary.eigenvalues[i], variances[i], 2e-8);
  }
  EXPECT_NEAR(bound(reprojected.summary, "mean_square_residual"),
              recorded_.number("reprojected.mse"), 1e-9);
}

TEST_F(PartitionedGolden, ASecondChoiceAmongTheLibrariesHasTheRecordedSize) {
  const auto merged = fit(Refine::none);
  engine::Workers workers{{.threads = 1}};
  GreedyOptions options{.components = 2};
  options.library = options_.library;
  const Fit second = fit_greedy(merged.model.library(), kernel_, options);
  EXPECT_EQ(second.model.library_size(),
            static_cast<std::size_t>(recorded_.number("two_level.size")));
  const auto set = methods::independent_landmarks(kernel_, second.model.library(), workers);
  const auto residuals = methods::landmark_residuals(kernel_, set, points_, workers);
  EXPECT_NEAR(std::accumulate(residuals.begin(), residuals.end(), 0.0) / 240,
              recorded_.number("two_level.mse"), 1e-8);
}

// The fit goes on where the libraries promised more than the rows keep, and stops where full greedy
// kernel PCA would, give or take a row.
TEST_F(PartitionedGolden, TwoLevelsReachTheErrorAskedForWithFewRows) {
  const Fit two_level = fit(Refine::two_level);
  EXPECT_LE(bound(two_level.summary, "mean_square_residual"), 1e-2);
  EXPECT_LE(two_level.model.library_size(), 28U);
  EXPECT_EQ(two_level.summary.termination.reason, TerminationReason::converged);
  const auto residuals = two_level.model.residual(points_);
  const double mean = std::accumulate(residuals.begin(), residuals.end(), 0.0) / 240;
  EXPECT_NEAR(*two_level.summary.reconstruction_error, mean, 1e-10);
}

// Blocks that have nothing in common: nearly all of the libraries are needed, and the rows say so
// only after the pass.
TEST(Partitioned, TwoLevelsReachTheErrorAskedForWhereBlocksDiffer) {
  auto points = normal_matrix(1200, 6, 10);
  PartitionedOptions options{.components = 3, .partition = Partition::labels};
  for (std::size_t i = 0; i < points.rows(); ++i) {
    options.labels.push_back(i % 6);
    points(i, i % 6) += 6;
  }
  const Kernel kernel = Gaussian{.gamma = 0.1};
  for (const PivotRule rule : {PivotRule::max_residual, PivotRule::sampled_best}) {
    for (const double mse : {0.3, 0.1, 0.01}) {
      options.library = {.rule = rule, .mse = mse};
      const Fit fit = fit_partitioned(points, kernel, options);
      EXPECT_LE(bound(fit.summary, "mean_square_residual"), mse);
      EXPECT_EQ(fit.summary.termination.reason, TerminationReason::converged);
      // The last point was needed.
      const auto& curve = fit.summary.error_curve;
      EXPECT_GT(curve[curve.size() - 2].error, mse);
    }
  }
  // A limit that the caller sets ends the choice as the mean square does.
  options.library.max_library = 40;
  const Fit few = fit_partitioned(points, kernel, options);
  EXPECT_EQ(few.model.library_size(), 40U);
  EXPECT_EQ(few.summary.termination.reason, TerminationReason::converged);
}

// Projected on all libraries, blocks are landmarks.
TEST_F(PartitionedGolden, ReprojectionIsLandmarksOnTheUnion) {
  const Fit reprojected = fit(Refine::reproject);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < reprojected.model.library_size(); ++i) {
    for (std::size_t row = 0; row < 240; ++row) {
      if (std::ranges::equal(points_.row(row), reprojected.model.library().row(i))) {
        rows.push_back(row);
      }
    }
  }
  LandmarkOptions landmarks{.components = 5};
  landmarks.landmark_rows = rows;
  const Fit same = fit_landmarks(points_, kernel_, landmarks);
  EXPECT_EQ(same.summary.eigenvalues, reprojected.summary.eigenvalues);
}

TEST(Partitioned, TheDefaultIsCloseToExact) {
  const auto points = normal_matrix(3000, 2, 1);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  const Fit fit = fit_partitioned(points, kernel, {.components = 4, .block_size = 500});
  EXPECT_EQ(choice(fit.summary, "blocks"), "6");
  EXPECT_EQ(choice(fit.summary, "refine"), "two_level");
  EXPECT_LE(bound(fit.summary, "mean_square_residual"), 1e-3);
  EXPECT_LT(fit.model.library_size(), 60U);
  const Fit exact = fit_exact(points, kernel, {.components = 4});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit.summary.eigenvalues[i], exact.summary.eigenvalues[i],
                1e-3 * exact.summary.eigenvalues[i]);
    EXPECT_LE(fit.summary.eigenvalue_intervals[i].low, exact.summary.eigenvalues[i]);
    EXPECT_GE(fit.summary.eigenvalue_intervals[i].high, exact.summary.eigenvalues[i]);
  }
  EXPECT_GT(fit.summary.kernel_evaluations, 3000U * fit.model.library_size());
}

TEST(Partitioned, OneBlockMergedIsGreedyKernelPca) {
  const auto points = normal_matrix(200, 3, 2);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  PartitionedOptions options{.components = 4, .blocks = 1, .refine = Refine::none};
  options.library = {.rule = PivotRule::max_residual, .mse = 1e-3};
  GreedyOptions greedy{.components = 4};
  greedy.library = options.library;
  const Fit a = fit_partitioned(points, kernel, options);
  const Fit b = fit_greedy(points, kernel, greedy);
  EXPECT_TRUE(testing::same_bits(a.model.library(), b.model.library()));
  EXPECT_LT(largest_difference_up_to_sign(a.model.transform(points), b.model.transform(points)),
            1e-9);
}

TEST(Partitioned, ThreadsGiveTheSameBits) {
  const auto points = normal_matrix(1000, 4, 3);
  for (const Refine refine : {Refine::none, Refine::reproject, Refine::two_level}) {
    PartitionedOptions options{.components = 3, .blocks = 7, .refine = refine};
    options.library.mse = 1e-2;
    const Fit one = fit_partitioned(points, Gaussian{.gamma = 0.1}, options, {.threads = 1});
    const Fit three = fit_partitioned(points, Gaussian{.gamma = 0.1}, options, {.threads = 3});
    EXPECT_TRUE(testing::same_bits(one.model.library(), three.model.library()));
    EXPECT_TRUE(testing::same_bits(one.model.coefficients(), three.model.coefficients()));
    EXPECT_EQ(one.summary.kernel_evaluations, three.summary.kernel_evaluations);
  }
}

TEST(Partitioned, SourcesGiveTheBitsOfMemory) {
  const auto points = normal_matrix(1000, 4, 4);
  std::vector<double> weights(1000);
  for (std::size_t i = 0; i < 1000; ++i) weights[i] = 1 + static_cast<double>(i % 2);
  for (const Refine refine : {Refine::none, Refine::automatic}) {
    PartitionedOptions options{
        .components = 3, .block_size = 300, .partition = Partition::in_order, .refine = refine};
    options.weights = weights;
    const Fit memory = fit_partitioned(points, Gaussian{}, options);
    options.weights.clear();
    const auto source = rows_in_memory(points, weights);
    const Fit streamed = fit_partitioned(*source, Gaussian{}, options);
    EXPECT_TRUE(testing::same_bits(memory.model.library(), streamed.model.library()));
    EXPECT_TRUE(testing::same_bits(memory.model.coefficients(), streamed.model.coefficients()));
    EXPECT_EQ(memory.summary.total_weight, 1500);
  }
}

/// Rows that can be read once.
std::unique_ptr<RowSource> once(MatrixView<const double> points, std::size_t& next) {
  RowCallbacks callbacks;
  callbacks.cols = points.cols();
  callbacks.next = [points, &next](std::size_t most) -> std::optional<RowBlock> {
    if (next == points.rows()) return std::nullopt;
    const std::size_t count = std::min(most, points.rows() - next);
    RowBlock block{.values = Matrix<double>(points.rows_from(next, count))};
    next += count;
    return block;
  };
  return rows_from_callbacks(callbacks);
}

TEST(Partitioned, RowsThatCanBeReadOnceAreMerged) {
  const auto points = normal_matrix(500, 3, 5);
  std::size_t next = 0;
  const auto source = once(points, next);
  PartitionedOptions options{.components = 3, .block_size = 100};
  const Fit fit = fit_partitioned(*source, Gaussian{.gamma = 0.2}, options);
  EXPECT_EQ(choice(fit.summary, "refine"), "none");
  EXPECT_EQ(fit.summary.n, 500U);
  next = 0;
  const auto again = once(points, next);
  options.refine = Refine::two_level;
  EXPECT_THROW(fit_partitioned(*again, Gaussian{.gamma = 0.2}, options), FileError);
  next = 0;
  const auto counted = once(points, next);
  EXPECT_THROW(fit_partitioned(*counted, Gaussian{.gamma = 0.2}, {.blocks = 3}), InvalidArgument);
}

TEST(Partitioned, LinearModelsAreAxes) {
  const auto points = normal_matrix(300, 5, 6, 2, 4);
  for (const Refine refine : {Refine::none, Refine::reproject, Refine::two_level}) {
    PartitionedOptions options{.components = 5, .blocks = 4, .refine = refine};
    options.library.mse = 1e-10;
    const Fit fit = fit_partitioned(points, Linear{}, options);
    const Fit exact = fit_exact(points, Linear{}, {.components = 5});
    EXPECT_EQ(fit.model.library_size(), 0U);
    EXPECT_LT(
        largest_difference_up_to_sign(fit.model.transform(points), exact.model.transform(points)),
        1e-7);
  }
}

TEST(Partitioned, ReducesToTheNumberOfRowsAskedFor) {
  const auto points = normal_matrix(600, 4, 7);
  PartitionedOptions options{.components = 3, .blocks = 6};
  options.library.max_library = 15;
  const Fit fit = fit_partitioned(points, Gaussian{.gamma = 0.2}, options);
  EXPECT_EQ(fit.model.library_size(), 15U);
  options.refine = Refine::none;
  EXPECT_EQ(fit_partitioned(points, Gaussian{.gamma = 0.2}, options).model.library_size(), 90U);
}

TEST(Partitioned, RefusesWithReasons) {
  const auto points = normal_matrix(20, 2, 8);
  const Kernel kernel = Gaussian{.gamma = 1};
  const auto refuses = [&](const PartitionedOptions& options) {
    EXPECT_THROW(fit_partitioned(points, kernel, options), InvalidArgument);
  };
  refuses({.blocks = 0});
  refuses({.block_size = 0});
  refuses({.blocks = 2, .block_size = 10});
  refuses({.blocks = 21});
  refuses({.partition = Partition::labels});
  refuses({.partition = Partition::labels, .labels = {1, 2}});
  refuses({.labels = {1, 2}});
  refuses({.blocks = 2, .partition = Partition::labels, .labels = std::vector<std::size_t>(20)});
  refuses({.merge = {.keep = 2}});
  refuses({.weights = {1}});
  EXPECT_THROW(fit_partitioned(points, Precomputed{}), InvalidArgument);
  EXPECT_THROW(fit_partitioned(points, Sigmoid{.gamma = 1}), InvalidArgument);
  EXPECT_THROW(fit_partitioned(Matrix<double>(0, 2), kernel), DataError);
  EXPECT_THROW(fit_partitioned(Matrix<double>(9, 2), kernel), NumericalError);
  Matrix<double> broken(points);
  broken(3, 1) = NAN;
  EXPECT_THROW(fit_partitioned(broken, kernel), DataError);
  const auto source = rows_in_memory(points);
  EXPECT_THROW(fit_partitioned(*source, kernel, {.partition = Partition::random}), InvalidArgument);
  EXPECT_THROW(fit_partitioned(*source, kernel, {.weights = {1}}), InvalidArgument);
}

TEST(Partitioned, CanBeCancelledInABlock) {
  const auto points = normal_matrix(2000, 5, 9);
  int polls = 0;
  RunOptions run;
  run.threads = 2;
  run.cancelled = [&] { return ++polls > 30; };
  EXPECT_THROW(fit_partitioned(points, Gaussian{.gamma = 0.2}, {.blocks = 4}, run), Cancelled);
}

}  // namespace
}  // namespace mercer
