// The experiment of Chin & Suter 2006 on Abalone, with the choices that their paper leaves open:
// columns scaled to [-1, 1] over all rows, the sex as three columns, sigma = 2. Skipped where the
// data are absent.

#include <cmath>
#include <cstdio>
#include <optional>

#include <gtest/gtest.h>

#include <mercer/mercer.h>

#include "engine/random.h"
#include "methods/block_partition.h"
#include "methods/landmark_set.h"
#include "real_data.h"

namespace mercer {
namespace {

constexpr std::size_t kTrainingRows = 3000;

class Abalone : public ::testing::Test {
 protected:
  void load(const std::filesystem::path& file) {
    TableOptions options;
    options.label = ColumnName::parse("last");
    options.one_hot = parse_columns("1");
    const Table table = read_table(file, options);
    points_ = table.points;
    minmax_scaling(points_).apply(points_);
    for (const std::size_t code : table.labels.code) {
      labels_.push_back(std::stoi(table.labels.names[code]) > 10 ? 1 : 0);
    }
  }

  MatrixView<const double> train() const { return points_.view().rows_from(0, kTrainingRows); }
  MatrixView<const double> rest() const {
    return points_.view().rows_from(kTrainingRows, points_.rows() - kTrainingRows);
  }
  double accuracy(const Model& model) const {
    return knn_accuracy(model.transform(train()), std::span(labels_).first(kTrainingRows),
                        model.transform(rest()), std::span(labels_).subspan(kTrainingRows), 1);
  }

  Matrix<double> points_;
  std::vector<std::size_t> labels_;
  Kernel kernel_ = Gaussian::from_sigma(2);
};

double mean_square(const Summary& summary) {
  for (const auto& bound : summary.bounds) {
    if (bound.name == "mean_square_residual") return bound.value;
  }
  return NAN;
}

TEST_F(Abalone, MergedBlocksClassifyAsWellAsExactKernelPca) {
  REQUIRE_DATA(file, "abalone/abalone.data.gz");
  load(file);
  ASSERT_EQ(points_.rows(), 4177U);
  ASSERT_EQ(points_.cols(), 10U);
  PartitionedOptions options{.components = 1000, .blocks = 10, .partition = Partition::random};
  options.library = {.rule = PivotRule::max_residual, .mse = 1e-3};
  options.merge.keep = 0.9999;
  options.refine = Refine::none;
  constexpr std::uint64_t kSeeds = 20;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Fit fit = fit_partitioned(train(), kernel_, options, {.seed = seed});
    sum += static_cast<double>(fit.model.library_size());
    if (seed >= 3) continue;
    const Fit exact = fit_exact(train(), kernel_, {.components = fit.model.components()});
    const double of_merged = accuracy(fit.model);
    const double of_exact = accuracy(exact.model);
    EXPECT_NEAR(of_merged, of_exact, 0.005);
    for (std::size_t i = 0; i < fit.model.components(); ++i) {
      EXPECT_LE(fit.summary.eigenvalue_intervals[i].low, exact.summary.eigenvalues[i]);
      EXPECT_GE(fit.summary.eigenvalue_intervals[i].high, exact.summary.eigenvalues[i]);
    }
    std::printf("library %zu, %zu components, 1-nn %.4f (exact %.4f), %.3f s\n",
                fit.model.library_size(), fit.model.components(), of_merged, of_exact,
                fit.summary.seconds);
  }
  std::printf("mean library of %d seeds: %.2f\n", static_cast<int>(kSeeds),
              sum / static_cast<double>(kSeeds));
  EXPECT_NEAR(sum / static_cast<double>(kSeeds), 282, 3);
}

// The paper merges one block after another. That deflates more often than a tree, and leaves fewer
// components.
TEST_F(Abalone, AChainOfMergesKeepsTheComponentsOnRecord) {
  REQUIRE_DATA(file, "abalone/abalone.data.gz");
  load(file);
  const MergeOptions deflation{.keep = 0.9999};
  BlockOptions options;
  options.library = {.rule = PivotRule::max_residual, .mse = 1e-3};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::optional<BlockModel> all;
    for (const auto& rows :
         methods::partition_rows(kTrainingRows, {.blocks = 10, .partition = Partition::random},
                                 engine::RandomStream(seed))) {
      const auto block = BlockModel::of_rows(methods::pick_rows(train(), rows), kernel_, options)
                             .deflated(deflation);
      all = all ? merge(*all, block, deflation) : block;
    }
    // 37 to 39 are on record for other seeds.
    EXPECT_NEAR(static_cast<double>(all->components()), 38, 2);
    std::printf("chain: library %zu, %zu components\n", all->library_size(), all->components());
    double kept = 0;
    for (const double value : all->singular_values()) kept += value * value;
    EXPECT_NEAR(kept / (kept + all->lost() + all->residual()), 0.9977, 5e-4);
  }
}

TEST_F(Abalone, TwoLevelsNeedAFifthOfTheLibrary) {
  REQUIRE_DATA(file, "abalone/abalone.data.gz");
  load(file);
  for (const PivotRule rule : {PivotRule::max_residual, PivotRule::sampled_best}) {
    PartitionedOptions options{.components = 38, .blocks = 10, .partition = Partition::random};
    options.library = {.rule = rule, .mse = 1e-3};
    const Fit fit = fit_partitioned(train(), kernel_, options);
    EXPECT_LE(fit.model.library_size(), 60U);
    EXPECT_LE(mean_square(fit.summary), 1e-3);
    GreedyOptions greedy{.components = 38};
    greedy.library = options.library;
    const Fit whole = fit_greedy(train(), kernel_, greedy);
    const Fit exact = fit_exact(train(), kernel_, {.components = fit.model.components()});
    EXPECT_NEAR(accuracy(fit.model), accuracy(exact.model), 0.01);
    std::printf(
        "two levels: library %zu, mean square %.3g, 1-nn %.4f (exact %.4f), %.3f s; one block: "
        "library %zu, %.3f s\n",
        fit.model.library_size(), mean_square(fit.summary), accuracy(fit.model),
        accuracy(exact.model), fit.summary.seconds, whole.model.library_size(),
        whole.summary.seconds);
  }
}

TEST_F(Abalone, AStreamOfBlocksKeepsOneSmallLibrary) {
  REQUIRE_DATA(file, "abalone/abalone.data.gz");
  load(file);
  IncrementalOptions options;
  options.library.mse = 1e-4;
  IncrementalFit fit(kernel_, options);
  for (std::size_t first = 0; first < kTrainingRows; first += 300) {
    fit.partial_fit(train().rows_from(first, 300));
  }
  const Fit model = fit.finish({.components = 38});
  const Fit exact = fit_exact(train(), kernel_, {.components = model.model.components()});
  EXPECT_LE(model.model.library_size(), 120U);
  EXPECT_NEAR(accuracy(model.model), accuracy(exact.model), 0.01);
  std::printf("stream: library %zu, 1-nn %.4f (exact %.4f)\n", model.model.library_size(),
              accuracy(model.model), accuracy(exact.model));
}

}  // namespace
}  // namespace mercer
