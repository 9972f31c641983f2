// Models that earlier versions saved must load and give the outputs that they gave then.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

#include <mercer/block_model.h>
#include <mercer/data.h>
#include <mercer/incremental.h>
#include <mercer/model.h>
#include <mercer/sparse_distance.h>

#include "compat/example_models.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

std::filesystem::path models_folder() {
  return MERCER_SOURCE_DIR "/tests/compat/models";
}

std::vector<std::string> versions() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder()))
    names.push_back(entry.path().filename().string());
  return names;
}

bool is_block(const std::string& name) {
  return std::ranges::count(compat::block_names(), name) > 0;
}

Model load(const std::filesystem::path& folder, const std::string& name) {
  if (is_block(name)) return compat::finished(folder / (name + ".block"));
  const auto path = folder / (name + ".mercer");
  return name == "custom" ? Model::load(path, compat::custom_kernel()) : Model::load(path);
}

Matrix<double> read(const std::filesystem::path& path, const ColumnRules& rules = {}) {
  TableOptions options;
  options.rules = rules;
  return read_table(path, options).points;
}

double magnitude(const Matrix<double>& values) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    largest = std::max(largest, std::abs(values.data()[i]));
  return largest;
}

/// The largest deviation from NAME.output.csv, relative to its largest value.
double deviation(const std::filesystem::path& folder, const std::string& name) {
  const Model model = load(folder, name);
  const Matrix<double> points = read(folder / (name + ".input.csv"), model.input().columns);
  const Matrix<double> expected = read(folder / (name + ".output.csv"));
  const Matrix<double> scores = model.transform(points);
  const std::size_t k = model.components();
  std::vector<double> residual;
  if (expected.cols() > k) residual = model.residual(points);
  EXPECT_EQ(scores.rows(), expected.rows());
  EXPECT_EQ(scores.cols() + (residual.empty() ? 0 : 1), expected.cols());
  double largest = 0;
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    for (std::size_t j = 0; j < k; ++j)
      largest = std::max(largest, std::abs(scores(i, j) - expected(i, j)));
    if (!residual.empty()) largest = std::max(largest, std::abs(residual[i] - expected(i, k)));
  }
  return largest / magnitude(expected);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = compat::model_names();
  std::ranges::copy(compat::block_names(), std::back_inserter(names));
  return names;
}

TEST(SavedModels, GiveTheOutputsOfTheirTime) {
  ASSERT_FALSE(versions().empty());
  for (const std::string& version : versions())
    for (const std::string& name : all_names())
      EXPECT_LT(deviation(models_folder() / version, name), 1e-12) << version << "/" << name;
}

TEST(SavedModels, KeepTheirSummaries) {
  for (const std::string& version : versions())
    for (const std::string& name : compat::model_names()) {
      const Model model = load(models_folder() / version, name);
      const bool named =
          name == "random_features" || name == "akfa" || !model.degree_weights().empty();
      EXPECT_EQ(model.summary().method, named ? name : "exact");
      EXPECT_EQ(model.summary().n, 12u);
      EXPECT_EQ(model.summary().components, model.components());
    }
}

TEST(SavedModels, KeepGainsAndTheErrorCurveOfFeatures) {
  for (const std::string& version : versions()) {
    const Model model = load(models_folder() / version, "akfa");
    const Summary& summary = model.summary();
    EXPECT_TRUE(summary.eigenvalues.empty());
    ASSERT_EQ(summary.gains.size(), 3u);
    ASSERT_EQ(summary.error_curve.size(), 4u);
    EXPECT_EQ(summary.error_curve.back().error, summary.reconstruction_error);
    for (std::size_t i = 0; i < 3; ++i) {
      const double drop = summary.error_curve[i].error - summary.error_curve[i + 1].error;
      EXPECT_NEAR(summary.gains[i], drop, 1e-14);
    }
  }
}

TEST(SavedModels, BlocksMergeAndStreamsGoOn) {
  for (const std::string& version : versions()) {
    const auto folder = models_folder() / version;
    const BlockModel part = BlockModel::load(folder / "part.block");
    EXPECT_EQ(part.rows(), 12u);
    EXPECT_EQ(merge(part, part).rows(), 24u);
    EXPECT_EQ(BlockModel::load(folder / "linear_part.block").library_size(), 0u);

    IncrementalFit stream = IncrementalFit::load(folder / "stream.block");
    EXPECT_EQ(stream.blocks(), 2u);
    EXPECT_EQ(stream.rows(), 12u);
    EXPECT_EQ(stream.options().library.mse, 1e-6);
    EXPECT_EQ(stream.options().merge.keep, 0.999);
    EXPECT_EQ(stream.options().library_limit, 8u);
    EXPECT_EQ(stream.options().seed, 7u);
    EXPECT_LE(stream.block().library_size(), 8u);
    EXPECT_GT(stream.block().lost(), 0);
    stream.partial_fit(read(folder / "stream.input.csv"));
    EXPECT_EQ(stream.rows(), 17u);
    EXPECT_EQ(stream.finish({.components = 2}).model.components(), 2u);
  }
}

TEST(SavedModels, DistancesAreThoseOfTheirTime) {
  for (const std::string& version : versions()) {
    const auto folder = models_folder() / version;
    const SparseDistance distances = SparseDistance::load(folder / "distances.mercer");
    const Matrix<double> queries = read(folder / "distances.input.csv");
    const Matrix<double> expected = read(folder / "distances.output.csv");
    const Matrix<double> squared = distances.estimate(queries).squared;
    ASSERT_EQ(squared.cols(), expected.cols());
    for (std::size_t i = 0; i < squared.size(); ++i) {
      EXPECT_NEAR(squared.data()[i], expected.data()[i], 1e-12 * magnitude(expected));
    }
    EXPECT_EQ(distances.summary().landmarks.size(), 4u);
    EXPECT_LE(distances.bounds(queries).lower(2, 7), distances.bounds(queries).upper(2, 7));
    EXPECT_EQ(distances.neighbors(queries, {.neighbors = 12}).items.cols(), 12u);
  }
}

TEST(SavedModels, AreSmall) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(models_folder())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_LT(entry.file_size(), 16384u) << entry.path();
  }
}

TEST(SavedModels, TheWriterStillWritesWhatTheTestReads) {
  const testing::TemporaryFolder folder;
  compat::write_models(folder.path());
  for (const std::string& name : all_names())
    EXPECT_LT(deviation(folder.path(), name), 1e-12) << name;
}

}  // namespace
}  // namespace mercer
