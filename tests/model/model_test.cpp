#include <cmath>

#include <gtest/gtest.h>

#include <mercer/error.h>
#include <mercer/model.h>

#include "model/error_message.h"
#include "model/example_model.h"

namespace mercer {
namespace {

using testing::example_feature_parts;
using testing::example_graph_parts;
using testing::example_parts;
using testing::message_of;

template <class Change>
std::string refusal(Change change) {
  ModelParts parts = example_parts();
  change(parts);
  return message_of<InvalidArgument>([&] { Model(std::move(parts)); });
}

TEST(Model, ShowsItsParts) {
  const Model model(example_parts());
  EXPECT_EQ(model.components(), 2u);
  EXPECT_EQ(model.input_columns(), 2u);
  EXPECT_EQ(model.library_size(), 3u);
  EXPECT_EQ(kernel_name(model.kernel()), "gaussian");
  EXPECT_EQ(model.library()(2, 1), 0.5);
  EXPECT_EQ(model.coefficients()(0, 0), 1.0 / 3);
  EXPECT_EQ(model.offset()[1], -0.75);
  EXPECT_EQ(model.eigenvalues()[0], 2.5);
  EXPECT_EQ(model.total_weight(), 3);
  EXPECT_TRUE(model.centered());
  EXPECT_EQ(model.summary().method, "exact");
  EXPECT_EQ(model.input().columns.names[1], "x");
}

TEST(Model, CopiesShareTheirNumbers) {
  const Model model(example_parts());
  const Model copy = model;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.library().data(), model.library().data());
}

TEST(Model, LinearModelsNeedNoLibrary) {
  ModelParts parts = example_parts();
  parts.kernel = Linear{};
  parts.library = {};
  parts.input = {};
  const Model model(std::move(parts));
  EXPECT_EQ(model.library_size(), 0u);
  EXPECT_EQ(model.input_columns(), 3u);
}

TEST(Model, PrecomputedModelsTakeAColumnPerTrainingPoint) {
  ModelParts parts = example_parts();
  parts.kernel = Precomputed{};
  parts.library = {};
  parts.input = {};
  EXPECT_EQ(Model(std::move(parts)).input_columns(), 3u);
}

TEST(Model, RandomFeaturesNeedNoLibrary) {
  const Model model(example_feature_parts());
  EXPECT_EQ(model.library_size(), 0u);
  EXPECT_EQ(model.input_columns(), 2u);
  EXPECT_EQ(model.frequencies().rows(), 3u);
  EXPECT_EQ(model.frequencies()(2, 1), 0.5);
  EXPECT_TRUE(Model(example_parts()).frequencies().empty());
}

TEST(Model, RefusesFrequenciesThatDoNotFit) {
  const auto refusal_of = [](auto change) {
    ModelParts parts = example_feature_parts();
    change(parts);
    return message_of<InvalidArgument>([&] { Model(std::move(parts)); });
  };
  EXPECT_EQ(refusal_of([](ModelParts&) {}), "no error");
  EXPECT_EQ(refusal_of([](auto& p) { p.library = Matrix<double>(6, 2); }),
            "model parts: a model has a library or frequencies, not both");
  EXPECT_EQ(refusal_of([](auto& p) { p.kernel = Linear{}; }),
            "model parts: a linear kernel has no random features, but there are frequencies");
  EXPECT_EQ(refusal_of([](auto& p) { p.frequencies = Matrix<double>(4, 2); }),
            "model parts: a column of coefficients has 6 entries instead of 8");
  EXPECT_EQ(refusal_of([](auto& p) { p.frequencies(1, 0) = INFINITY; }),
            "model parts: frequencies holds inf at position 3");
  EXPECT_NE(refusal_of([](auto& p) { p.mean_coefficients.pop_back(); }), "no error");
  EXPECT_EQ(refusal_of([](auto& p) { p.frequencies = Matrix<double>(3, 5); }),
            "input maps: the column rules give 2 columns, the model has 5");
}

TEST(Model, ShowsItsNormalizer) {
  const Model model(example_graph_parts());
  EXPECT_EQ(model.degree_weights()[1], 2);
  EXPECT_EQ(model.degree_shift()[1], 0.25);
  EXPECT_TRUE(Model(example_parts()).degree_weights().empty());
  EXPECT_TRUE(Model(example_parts()).degree_shift().empty());
  EXPECT_EQ(model.with_input({}).degree_weights().data(), model.degree_weights().data());
  EXPECT_EQ(model.with_summary({}).degree_shift().data(), model.degree_shift().data());
}

TEST(Model, RefusesANormalizerThatDoesNotFit) {
  const auto refusal_of = [](auto change) {
    ModelParts parts = example_graph_parts();
    change(parts);
    return message_of<InvalidArgument>([&] { Model(std::move(parts)); });
  };
  EXPECT_EQ(refusal_of([](ModelParts&) {}), "no error");
  EXPECT_EQ(refusal_of([](auto& p) { p.degree_weights.pop_back(); }),
            "model parts: degree_weights has 2 entries instead of 3");
  EXPECT_EQ(refusal_of([](auto& p) { p.degree_weights[1] = NAN; }),
            "model parts: degree_weights holds nan at position 2");
  EXPECT_EQ(refusal_of([](auto& p) { p.degree_shift.push_back(1); }),
            "model parts: degree_shift has 3 entries instead of 2");
  EXPECT_EQ(refusal_of([](auto& p) { p.degree_shift[0] = INFINITY; }),
            "model parts: degree_shift holds inf at position 1");
  EXPECT_EQ(refusal_of([](auto& p) { p.degree_weights.clear(); }),
            "model parts: degree_shift needs degree_weights");
  EXPECT_EQ(refusal_of([](auto& p) { p.mean_coefficients = {1, 1, 1}; }),
            "model parts: a model has degree_weights or mean_coefficients, not both");
  EXPECT_EQ(refusal_of([](auto& p) { p.eigenvalues = {2, 1}; }),
            "model parts: eigenvalues are not in ascending order");
  ModelParts features = example_feature_parts();
  features.mean_coefficients.clear();
  features.degree_weights.assign(6, 1.0);
  EXPECT_EQ(message_of<InvalidArgument>([&] { Model(std::move(features)); }),
            "model parts: degree_weights need a library of points");
}

TEST(Model, MayHaveNoComponents) {
  ModelParts parts = example_parts();
  parts.coefficients = Matrix<double>(3, 0);
  parts.offset.clear();
  parts.eigenvalues.clear();
  EXPECT_EQ(Model(std::move(parts)).components(), 0u);
}

TEST(Model, RefusesPartsThatDoNotFitTogether) {
  EXPECT_EQ(refusal([](ModelParts&) {}), "no error");
  EXPECT_NE(refusal([](auto& p) { p.kernel = Gaussian{}; }).find("parameter without a value"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.kernel = Gaussian{.gamma = -1}; }).find("gamma"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& p) { p.kernel = Custom{}; }).find("has no function"),
            std::string::npos);
  EXPECT_EQ(refusal([](auto& p) { p.library = {}; }),
            "model parts: a gaussian kernel needs a library of points");
  EXPECT_EQ(refusal([](auto& p) { p.kernel = Precomputed{}; }),
            "model parts: a precomputed kernel has no points to keep in a library");
  EXPECT_EQ(refusal([](auto& p) {
              p.coefficients = Matrix<double>(4, 2);
              p.mean_coefficients = {};
            }),
            "model parts: a column of coefficients has 4 entries instead of 3");
  EXPECT_EQ(refusal([](auto& p) { p.coefficients = {}; }), "model parts: coefficients has no rows");
  EXPECT_EQ(refusal([](auto& p) { p.offset.pop_back(); }),
            "model parts: offset has 1 entries instead of 2");
  EXPECT_EQ(refusal([](auto& p) { p.eigenvalues.push_back(0.1); }),
            "model parts: eigenvalues has 3 entries instead of 2");
  EXPECT_EQ(refusal([](auto& p) { p.eigenvalues = {1, 2}; }),
            "model parts: eigenvalues are not in descending order");
  EXPECT_EQ(refusal([](auto& p) { p.mean_coefficients.pop_back(); }),
            "model parts: mean_coefficients has 2 entries instead of 3");
  EXPECT_EQ(refusal([](auto& p) { p.total_weight = 0; }),
            "model parts: total_weight must be positive, it is 0");
}

TEST(Model, RefusesNumbersThatAreNotFinite) {
  const double nan = std::nan("");
  EXPECT_EQ(refusal([&](auto& p) { p.library(1, 0) = nan; }),
            "model parts: library holds nan at position 3");
  EXPECT_NE(refusal([&](auto& p) { p.coefficients(0, 0) = nan; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.offset[0] = INFINITY; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.eigenvalues[1] = nan; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.mean_coefficients[2] = nan; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.mean_norm2 = nan; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.total_weight = nan; }), "no error");
  EXPECT_NE(refusal([&](auto& p) { p.input.scaling.shift[0] = nan; }), "no error");
}

TEST(Model, RefusesInputMapsOfAnotherWidth) {
  EXPECT_EQ(refusal([](auto& p) { p.input.columns.left_out = {}; }),
            "input maps: the column rules give 3 columns, the model has 2");
  EXPECT_EQ(refusal([](auto& p) { p.input.scaling.shift.pop_back(); }),
            "input maps: the scaling has 1 shifts and 2 factors for 2 columns");
  EXPECT_NE(refusal([](auto& p) { p.input.columns.left_out = {9}; }), "no error");
}

TEST(ModelWithInput, ReplacesTheMapsAndSharesTheRest) {
  const Model model(example_parts());
  InputMaps maps;
  maps.scaling = fixed_scaling(2, 5, 6);
  const Model other = model.with_input(maps);
  EXPECT_EQ(other.input().scaling.shift[0], 5);
  EXPECT_TRUE(other.input().columns.empty());
  EXPECT_EQ(model.input().scaling.shift[0], -1);
  EXPECT_EQ(other.library().data(), model.library().data());
  maps.scaling = fixed_scaling(3, 5, 6);
  EXPECT_THROW(model.with_input(maps), InvalidArgument);
}

}  // namespace
}  // namespace mercer
