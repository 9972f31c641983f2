#include "model/block_file.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <mercer/error.h>

#include "model/option_names.h"
#include "model/temporary_folder.h"

namespace mercer::model {
namespace {

BlockNumbers example() {
  BlockNumbers block;
  block.kernel = Gaussian{.gamma = 0.5};
  block.columns = 2;
  block.library = Matrix<double>(3, 2);
  block.library(1, 0) = 1;
  block.library(2, 1) = 2;
  block.components = Matrix<double>(3, 2);
  block.components(0, 0) = 1;
  block.components(2, 1) = -1;
  block.singular_values = {2, 1};
  block.mean_coefficients = {0.5, 0.25, 0.25};
  block.mean_scores = {0.125, -0.5};
  block.mean_norm2 = 0.75;
  block.rows = 10;
  block.weight = 12;
  block.trace = 15;
  block.residual = 0.5;
  block.lost = 0.25;
  block.lost_mean = 0.25;
  block.deviation = 1.5;
  block.kernel_evaluations = 1234;
  return block;
}

TEST(BlockFile, ABlockWithoutComponentsOrLibraryIsReadBack) {
  const testing::TemporaryFolder folder;
  BlockNumbers block = example();
  block.components = Matrix<double>(3, 0);
  block.singular_values.clear();
  block.mean_scores.clear();
  write_block(folder / "point.mercer", block);
  const auto file = read_block(folder / "point.mercer");
  EXPECT_FALSE(file.stream);
  EXPECT_EQ(file.block.components.rows(), 3U);
  EXPECT_EQ(file.block.components.cols(), 0U);
  EXPECT_EQ(file.block.mean_coefficients, block.mean_coefficients);

  BlockNumbers linear = example();
  linear.kernel = Linear{};
  linear.columns = 3;
  linear.library = Matrix<double>(0, 3);
  write_block(folder / "linear.mercer", linear);
  EXPECT_EQ(read_block(folder / "linear.mercer").block.library.rows(), 0U);
}

TEST(BlockFile, NumbersThatDoNotFitTogetherAreRefused) {
  const std::vector<std::function<void(BlockNumbers&)>> mistakes{
      [](BlockNumbers& b) { b.columns = 3; },
      [](BlockNumbers& b) { b.columns = 0; },
      [](BlockNumbers& b) { b.kernel = Linear{}; },
      [](BlockNumbers& b) { b.mean_coefficients.pop_back(); },
      [](BlockNumbers& b) { b.mean_scores.push_back(1); },
      [](BlockNumbers& b) { b.singular_values = {1, 2}; },
      [](BlockNumbers& b) { b.singular_values = {2, -1}; },
      [](BlockNumbers& b) { b.singular_values = {2}; },
      [](BlockNumbers& b) { b.components = Matrix<double>(2, 2); },
      [](BlockNumbers& b) { b.library = Matrix<double>(4, 2); },
      [](BlockNumbers& b) { b.rows = 0; },
      [](BlockNumbers& b) { b.weight = 0; },
      [](BlockNumbers& b) { b.weight = -1; },
      [](BlockNumbers& b) { b.mean_norm2 = -1; },
      [](BlockNumbers& b) { b.trace = -1; },
      [](BlockNumbers& b) { b.residual = -1; },
      [](BlockNumbers& b) { b.lost = -1; },
      [](BlockNumbers& b) { b.lost_mean = -1; },
      [](BlockNumbers& b) { b.deviation = -1; },
      [](BlockNumbers& b) { b.kernel = Gaussian{}; },
      [](BlockNumbers& b) { b.kernel = Precomputed{}; },
      [](BlockNumbers& b) { b.input.scaling = fixed_scaling(3, 1, 2); },
  };
  const testing::TemporaryFolder folder;
  for (std::size_t i = 0; i < mistakes.size(); ++i) {
    SCOPED_TRACE(i);
    BlockNumbers block = example();
    mistakes[i](block);
    write_block(folder / "block.mercer", block);
    EXPECT_THROW(read_block(folder / "block.mercer"), FileError);
  }
  BlockNumbers custom = example();
  custom.kernel = Custom{};
  EXPECT_THROW(write_block(folder / "block.mercer", custom), InvalidArgument);
}

TEST(BlockFile, UnknownOptionsOfAStreamAreRefused) {
  const testing::TemporaryFolder folder;
  write_block(folder / "stream.mercer", example(), StreamNumbers{.blocks = 3, .options = {}});
  const auto file = read_block(folder / "stream.mercer");
  ASSERT_TRUE(file.stream);
  EXPECT_EQ(file.stream->blocks, 3U);
  Container container = read_container(folder / "stream.mercer");
  std::string& stream = container.metadata["stream"];
  stream.replace(stream.find("sampled_best"), 12, "oracle");
  EXPECT_THROW(block_from_container(std::move(container), "stream"), FileError);
}

TEST(OptionNames, ComeBack) {
  for (const PivotRule rule :
       {PivotRule::sampled_best, PivotRule::best, PivotRule::max_residual, PivotRule::random}) {
    EXPECT_EQ(pivot_rule(option_name(rule)), rule);
  }
  for (const DeflationRule rule : {DeflationRule::relative, DeflationRule::cumulative}) {
    EXPECT_EQ(deflation_rule(option_name(rule)), rule);
  }
  for (const MergeForm form : {MergeForm::coefficients, MergeForm::cholesky}) {
    EXPECT_EQ(merge_form(option_name(form)), form);
  }
  EXPECT_FALSE(pivot_rule("Best"));
}

}  // namespace
}  // namespace mercer::model
