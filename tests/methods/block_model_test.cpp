#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include <mercer/block_model.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/files.h>

#include "golden/golden.h"
#include "methods/merge_oracle.h"
#include "model/temporary_folder.h"
#include "numbers.h"

namespace mercer {
namespace {

using testing::normal_matrix;

/// 240 points about a circle, and the four blocks of rows with the same i mod 4.
class BlockGolden : public ::testing::Test {
 protected:
  BlockGolden() {
    BlockOptions options;
    options.library = {.rule = PivotRule::max_residual, .mse = 1e-2};
    for (std::size_t b = 0; b < 4; ++b) {
      rows_.emplace_back(60, 2);
      for (std::size_t i = 0; i < 60; ++i) {
        std::ranges::copy(points_.row(4 * i + b), rows_.back().row(i).begin());
      }
      blocks_.push_back(BlockModel::of_rows(rows_.back(), kernel_, options));
    }
  }

  double number(const std::string& name) { return recorded_.number(name); }

  BlockModel chain(const MergeOptions& options, bool deflate_blocks = false) {
    BlockModel all = deflate_blocks ? blocks_[0].deflated(options) : blocks_[0];
    for (std::size_t b = 1; b < 4; ++b) {
      all = merge(all, deflate_blocks ? blocks_[b].deflated(options) : blocks_[b], options);
    }
    return all;
  }

  void expect_merged(const BlockModel& all, double tolerance) {
    const auto variances = recorded_.values("merged.variances");
    for (std::size_t i = 0; i < variances.size(); ++i) {
      EXPECT_NEAR(std::pow(all.singular_values()[i], 2), variances[i], tolerance);
    }
    // Components below 1e-10 of the largest are given up.
    EXPECT_NEAR(testing::sum_of_variances(all) + all.lost(), number("merged.total"), 2e-9);
    const Fit fit = all.finish({.components = 3});
    const auto scores = fit.model.transform(exact_["new"]);
    const auto expected = recorded_.values("merged.absolute_new_scores");
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(std::abs(scores(0, i)), expected[i], tolerance);
    }
    const auto with_library = engine::reference::kernel_matrix(
        kernel_, exact_["new"].view().rows_from(0, 1), fit.model.library());
    EXPECT_NEAR(testing::dot(with_library.row(0), fit.model.mean_coefficients()),
                number("merged.product_with_mean"), 1e-9);
  }

  golden::Golden recorded_ = golden::Golden::load("greedy/circle240.txt");
  golden::Golden exact_ = golden::Golden::load("exact/circle240.txt");
  const Matrix<double>& points_ = exact_["train"];
  Kernel kernel_ = Gaussian{recorded_.number("gamma")};
  std::vector<Matrix<double>> rows_;
  std::vector<BlockModel> blocks_;
};

TEST_F(BlockGolden, BlocksHaveTheRecordedLibraries) {
  const auto sizes = recorded_.values("blocks.size");
  const auto errors = recorded_.values("blocks.mse");
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(blocks_[b].library_size(), static_cast<std::size_t>(sizes[b]));
    EXPECT_NEAR(blocks_[b].residual() / 60, errors[b], 1e-9);
    EXPECT_EQ(blocks_[b].rows(), 60U);
    EXPECT_LT(testing::inconsistency(blocks_[b]), 1e-9);
    EXPECT_LT(testing::missing_trace(blocks_[b]), 1e-13);
  }
}

TEST_F(BlockGolden, ChainTreeAndBothFormsGiveTheRecordedModel) {
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    const MergeOptions options{.form = form};
    for (const auto& all : {chain(options), merge(blocks_, options)}) {
      EXPECT_EQ(all.library_size(), 84U);
      EXPECT_EQ(all.rows(), 240U);
      expect_merged(all, 2e-9);
      EXPECT_LT(testing::inconsistency(all), 5e-6);
      EXPECT_LT(testing::missing_trace(all), 1e-13);
    }
  }
}

TEST_F(BlockGolden, DeflationKeepsTheRecordedComponents) {
  const MergeOptions most{.keep = 0.999};
  const auto chained = chain(most, true);
  EXPECT_EQ(chained.components(), static_cast<std::size_t>(number("chain_0.999.components")));
  EXPECT_NEAR(testing::sum_of_variances(chained), number("chain_0.999.total"), 1e-8);
  EXPECT_NEAR(chained.lost(), number("chain_0.999.lost"), 1e-8);
  std::vector<BlockModel> deflated;
  for (const auto& block : blocks_) deflated.push_back(block.deflated(most));
  const auto tree = merge(deflated, most);
  EXPECT_EQ(tree.components(), static_cast<std::size_t>(number("tree_0.999.components")));
  EXPECT_NEAR(testing::sum_of_variances(tree), number("tree_0.999.total"), 1e-8);
  EXPECT_NEAR(tree.lost(), number("tree_0.999.lost"), 1e-8);
  const auto twelve = chain({.max_components = 12}, true);
  EXPECT_EQ(twelve.components(), 12U);
  const auto variances = recorded_.values("chain_12.variances");
  for (std::size_t i = 0; i < variances.size(); ++i) {
    EXPECT_NEAR(std::pow(twelve.singular_values()[i], 2), variances[i], 1e-8);
  }
  EXPECT_NEAR(twelve.lost(), number("chain_12.lost"), 1e-8);
}

TEST_F(BlockGolden, MergesAgreeWithThePaperAndWithTheBatch) {
  const testing::FeatureSpace features(kernel_, points_);
  std::vector<Matrix<double>> projected;
  for (std::size_t b = 0; b < 4; ++b) {
    projected.push_back(features.projected(rows_[b], blocks_[b].library()));
  }
  auto literal = testing::pca_of(projected[0]);
  Matrix<double> batch_rows = projected[0];
  for (std::size_t b = 1; b < 4; ++b) {
    literal = testing::literal_merge(literal, projected[b]);
    batch_rows = testing::stack(batch_rows, projected[b]);
  }
  const auto batch = testing::pca_of(batch_rows);
  EXPECT_EQ(literal.right.rows(), 240U + 3);  // V*, with a row for each difference of means
  const auto merged = chain({});
  const auto new_features = features(exact_["new"]);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_NEAR(literal.values[i], batch.values[i], 1e-10);
    EXPECT_NEAR(merged.singular_values()[i], batch.values[i], 1e-10);
  }
  const auto scores = merged.finish({.components = 12}).model.transform(exact_["new"]);
  const auto of_batch = batch.scores(new_features.row(0), 12);
  const auto of_literal = literal.scores(new_features.row(0), 12);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(of_literal[i], of_batch[i], 1e-10);
    EXPECT_NEAR(std::abs(scores(0, i)), of_batch[i], 1e-10);
  }
}

TEST_F(BlockGolden, ReducedLibrariesAccountForWhatTheyLose) {
  const auto all = chain({});
  double before = 0;
  for (const std::size_t size : {84U, 60U, 40U, 25U}) {
    const auto reduced = all.reduced(size);
    EXPECT_EQ(reduced.library_size(), size);
    EXPECT_LT(testing::missing_trace(reduced), 1e-13);
    EXPECT_LT(testing::inconsistency(reduced), 1e-6);
    const double loss = reduced.lost() + reduced.lost_mean();
    EXPECT_GE(loss, before);
    before = loss;
    for (std::size_t i = 0; i < std::min(reduced.components(), all.components()); ++i) {
      EXPECT_LE(reduced.singular_values()[i], all.singular_values()[i] + 1e-9);
    }
  }
  // 40 points for the leading components: the paper's own selection keeps about as much.
  EXPECT_NEAR(std::pow(all.reduced(40).singular_values()[0], 2),
              recorded_.values("merged.variances")[0], 1e-3);
}

TEST_F(BlockGolden, SavedAndLoadedIsTheSame) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "part.mercer";
  const auto all = chain({.keep = 0.999});
  all.save(path);
  EXPECT_EQ(file_kind(path), FileKind::block);
  const auto loaded = BlockModel::load(path);
  EXPECT_TRUE(testing::same_bits(all.library(), loaded.library()));
  EXPECT_TRUE(testing::same_bits(all.coefficients(), loaded.coefficients()));
  EXPECT_TRUE(std::ranges::equal(all.singular_values(), loaded.singular_values()));
  EXPECT_TRUE(std::ranges::equal(all.mean_coefficients(), loaded.mean_coefficients()));
  EXPECT_TRUE(std::ranges::equal(all.mean_scores(), loaded.mean_scores()));
  EXPECT_EQ(all.rows(), loaded.rows());
  EXPECT_EQ(all.total_weight(), loaded.total_weight());
  EXPECT_EQ(all.mean_norm2(), loaded.mean_norm2());
  EXPECT_EQ(all.trace(), loaded.trace());
  EXPECT_EQ(all.residual(), loaded.residual());
  EXPECT_EQ(all.lost(), loaded.lost());
  EXPECT_EQ(all.lost_mean(), loaded.lost_mean());
  EXPECT_EQ(all.deviation(), loaded.deviation());
  EXPECT_EQ(all.kernel_evaluations(), loaded.kernel_evaluations());
  const auto a = merge(all, blocks_[0]);
  const auto b = merge(loaded, blocks_[0]);
  EXPECT_TRUE(testing::same_bits(a.coefficients(), b.coefficients()));
}

BlockOptions fine() {
  BlockOptions options;
  options.library = {.rule = PivotRule::max_residual, .mse = 1e-11};
  return options;
}

TEST(BlockModel, PointsAloneHaveNoComponentsAndStillMerge) {
  const auto points = normal_matrix(2, 3, 1);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  const auto a = BlockModel::of_rows(points.view().rows_from(0, 1), kernel);
  const auto b = BlockModel::of_rows(points.view().rows_from(1, 1), kernel);
  EXPECT_EQ(a.components(), 0U);
  EXPECT_EQ(a.library_size(), 1U);
  EXPECT_DOUBLE_EQ(a.mean_norm2(), 1);
  EXPECT_THROW(a.finish(), NumericalError);
  const double k = engine::reference::kernel_matrix(kernel, points, points)(0, 1);
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    const auto both = merge(a, b, {.form = form});
    ASSERT_EQ(both.components(), 1U);
    EXPECT_NEAR(std::pow(both.singular_values()[0], 2), 1 - k, 1e-14);
    EXPECT_NEAR(both.mean_norm2(), (1 + k) / 2, 1e-14);
    EXPECT_LT(testing::inconsistency(both), 1e-14);
  }
}

TEST(BlockModel, RowsOneByOneGiveTheBatch) {
  const auto points = normal_matrix(25, 2, 2);
  const Kernel kernel = Gaussian{.gamma = 0.3};
  auto all = BlockModel::of_rows(points.view().rows_from(0, 1), kernel);
  for (std::size_t i = 1; i < 25; ++i) {
    all = merge(all, BlockModel::of_rows(points.view().rows_from(i, 1), kernel));
  }
  const Fit exact = fit_exact(points, kernel, {.components = 5});
  const Fit fit = all.finish({.components = 5});
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(fit.summary.eigenvalues[i], exact.summary.eigenvalues[i], 1e-9);
  }
  EXPECT_LT(testing::largest_difference_up_to_sign(fit.model.transform(points),
                                                   exact.model.transform(points)),
            1e-6);
}

TEST(BlockModel, MergedWithItselfDoublesWeightsAndKeepsTheMean) {
  const auto points = normal_matrix(80, 3, 3);
  const auto block = BlockModel::of_rows(points, Gaussian{.gamma = 0.1}, fine());
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    const auto twice = merge(block, block, {.form = form});
    EXPECT_EQ(twice.total_weight(), 160);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(std::pow(twice.singular_values()[i], 2),
                  2 * std::pow(block.singular_values()[i], 2), 1e-9);
    }
    EXPECT_NEAR(twice.mean_norm2(), block.mean_norm2(), 1e-10);
    // Only the Cholesky form sees that the second library adds nothing.
    EXPECT_EQ(twice.library_size(), (form == MergeForm::cholesky ? 1 : 2) * block.library_size());
    const auto scores = twice.finish({.components = 4}).model.transform(points);
    const auto once = block.finish({.components = 4}).model.transform(points);
    EXPECT_LT(testing::largest_difference_up_to_sign(scores, once), 1e-6);
  }
}

TEST(BlockModel, IntegerWeightsEqualRepetition) {
  const auto points = normal_matrix(40, 2, 4);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  BlockOptions weighted = fine();
  for (std::size_t i = 0; i < 40; ++i) weighted.weights.push_back(1 + static_cast<double>(i % 3));
  const auto a = BlockModel::of_rows(points, kernel, weighted);
  const auto b =
      BlockModel::of_rows(testing::repeat_rows(points, weighted.weights), kernel, fine());
  EXPECT_EQ(a.total_weight(), b.total_weight());
  EXPECT_NEAR(a.mean_norm2(), b.mean_norm2(), 1e-10);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(a.singular_values()[i], b.singular_values()[i], 1e-9);
  }
}

TEST(BlockModel, UncentredBlocksMergeToo) {
  const auto points = normal_matrix(60, 2, 5);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  BlockOptions options = fine();
  options.center = false;
  const auto all = merge(BlockModel::of_rows(points.view().rows_from(0, 25), kernel, options),
                         BlockModel::of_rows(points.view().rows_from(25, 35), kernel, options));
  const Fit exact = fit_exact(points, kernel, {.components = 4, .center = false});
  const Fit fit = all.finish({.components = 4});
  EXPECT_FALSE(fit.model.centered());
  EXPECT_LT(testing::largest_difference_up_to_sign(fit.model.transform(points),
                                                   exact.model.transform(points)),
            1e-6);
  EXPECT_LT(testing::missing_trace(all), 1e-13);
}

// Incremental PCA is the case of the linear kernel: axes of d entries, whatever the rows.
TEST(BlockModel, LinearBlocksKeepAxesAndMergeExactly) {
  const auto points = normal_matrix(90, 5, 6, 2, 7);
  BlockOptions options;
  options.library.mse = 1e-12;
  std::vector<BlockModel> blocks;
  for (std::size_t first = 0; first < 90; first += 30) {
    blocks.push_back(BlockModel::of_rows(points.view().rows_from(first, 30), Linear{}, options));
    EXPECT_EQ(blocks.back().library_size(), 0U);
    EXPECT_EQ(blocks.back().coefficients().rows(), 5U);
  }
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    const auto all = merge(blocks, {.form = form});
    EXPECT_EQ(all.coefficients().rows(), 5U);
    EXPECT_LT(testing::inconsistency(all), 1e-12);
    const Fit fit = all.finish({.components = 5});
    const Fit exact = fit_exact(points, Linear{}, {.components = 5});
    EXPECT_LT(testing::largest_difference_up_to_sign(fit.model.transform(points),
                                                     exact.model.transform(points)),
              1e-9);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(fit.summary.eigenvalues[i], exact.summary.eigenvalues[i],
                  1e-11 * exact.summary.eigenvalues[0]);
    }
  }
  EXPECT_EQ(blocks[0].reduced(1).coefficients().rows(), 5U);
}

TEST(BlockModel, InputMapsTravelWithTheModel) {
  const auto points = normal_matrix(50, 3, 7);
  const Kernel kernel = Gaussian{.gamma = 0.2};
  InputMaps input;
  input.scaling = standard_scaling(points);
  const auto raw = BlockModel::of_rows(points, kernel, fine(), {}, input);
  Matrix<double> scaled(points);
  input.scaling.apply(scaled);
  const auto plain = BlockModel::of_rows(scaled, kernel, fine());
  EXPECT_TRUE(testing::same_bits(raw.library(), plain.library()));
  EXPECT_TRUE(testing::same_bits(raw.finish().model.transform(points),
                                 plain.finish().model.transform(scaled)));
  EXPECT_THROW(merge(raw, plain), InvalidArgument);
}

TEST(BlockModel, RefusesWithReasons) {
  const auto points = normal_matrix(10, 2, 8);
  const Kernel kernel = Gaussian{.gamma = 1};
  const auto block = BlockModel::of_rows(points, kernel);
  EXPECT_THROW(BlockModel::of_rows(Matrix<double>(0, 2), kernel), DataError);
  EXPECT_THROW(BlockModel::of_rows(points, Gaussian{}), InvalidArgument);
  EXPECT_THROW(BlockModel::of_rows(points, Sigmoid{.gamma = 1}), InvalidArgument);
  EXPECT_THROW(BlockModel::of_rows(points, Precomputed{}), InvalidArgument);
  Matrix<double> broken(points);
  broken(1, 1) = INFINITY;
  EXPECT_THROW(BlockModel::of_rows(broken, kernel), DataError);
  EXPECT_THROW(merge(block, BlockModel::of_rows(points, Gaussian{.gamma = 2})), InvalidArgument);
  EXPECT_THROW(merge(block, BlockModel::of_rows(normal_matrix(5, 3, 1), kernel)), InvalidArgument);
  EXPECT_THROW(merge(block, BlockModel::of_rows(points, kernel, {.center = false})),
               InvalidArgument);
  EXPECT_THROW(merge(std::span<const BlockModel>()), InvalidArgument);
  EXPECT_THROW(merge(block, block, {.keep = 0}), InvalidArgument);
  EXPECT_THROW(merge(block, block, {.keep = 1.5}), InvalidArgument);
  EXPECT_THROW(merge(block, block, {.max_components = 0}), InvalidArgument);
  EXPECT_THROW(merge(block, block, {}, {.memory_limit_bytes = 100}), MemoryLimitError);
  EXPECT_THROW(block.reduced(0), InvalidArgument);
  const auto custom = BlockModel::of_rows(
      points, Custom{[](auto x, auto y) { return std::exp(-std::abs(x[0] - y[0])); }});
  EXPECT_THROW(custom.save("custom.mercer"), InvalidArgument);
}

// Cosines of zero rows vanish: a block without any direction, which still counts.
TEST(BlockModel, RowsWithoutAnyFeatureCount) {
  const Matrix<double> zeros(4, 2);
  const auto nothing = BlockModel::of_rows(zeros, Cosine{});
  EXPECT_EQ(nothing.library_size(), 0U);
  EXPECT_EQ(nothing.components(), 0U);
  const auto something = BlockModel::of_rows(normal_matrix(20, 2, 9), Cosine{});
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    EXPECT_EQ(merge(nothing, nothing, {.form = form}).rows(), 8U);
    const auto both = merge(nothing, something, {.form = form});
    EXPECT_EQ(both.rows(), 24U);
    EXPECT_LT(testing::inconsistency(both), 1e-9);
    EXPECT_LT(testing::missing_trace(both), 1e-12);
    EXPECT_EQ(merge(something, nothing, {.form = form}).components(), both.components());
  }
}

}  // namespace
}  // namespace mercer
