#include "model/model_file.h"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mercer/error.h>

#include "model/error_message.h"
#include "model/example_model.h"
#include "model/example_summary.h"
#include "model/temporary_folder.h"

namespace mercer {
namespace {

using testing::example_parts;
using testing::message_of;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

template <class T>
std::vector<double> values(const T& range) {
  return {range.data(), range.data() + range.size()};
}

std::vector<double> values(MatrixView<const double> view) {
  return {view.data(), view.data() + view.rows() * view.cols()};
}

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(kernel_name(a.kernel()), kernel_name(b.kernel()));
  EXPECT_EQ(kernel_parameters(a.kernel()), kernel_parameters(b.kernel()));
  EXPECT_EQ(a.components(), b.components());
  EXPECT_EQ(a.library_size(), b.library_size());
  EXPECT_EQ(a.input_columns(), b.input_columns());
  EXPECT_EQ(values(a.library()), values(b.library()));
  EXPECT_EQ(values(a.frequencies()), values(b.frequencies()));
  EXPECT_EQ(values(a.coefficients()), values(b.coefficients()));
  EXPECT_EQ(values(a.offset()), values(b.offset()));
  EXPECT_EQ(values(a.eigenvalues()), values(b.eigenvalues()));
  EXPECT_EQ(values(a.degree_weights()), values(b.degree_weights()));
  EXPECT_EQ(values(a.degree_shift()), values(b.degree_shift()));
  EXPECT_EQ(a.total_weight(), b.total_weight());
  EXPECT_EQ(a.centered(), b.centered());
  EXPECT_EQ(a.summary().json(), b.summary().json());
  EXPECT_EQ(a.input().scaling.shift, b.input().scaling.shift);
  EXPECT_EQ(a.input().scaling.multiply, b.input().scaling.multiply);
  const ColumnRules& rules = a.input().columns;
  const ColumnRules& other = b.input().columns;
  EXPECT_EQ(rules.table_columns, other.table_columns);
  EXPECT_EQ(rules.left_out, other.left_out);
  EXPECT_EQ(rules.names, other.names);
  ASSERT_EQ(rules.one_hot.size(), other.one_hot.size());
  for (std::size_t i = 0; i < rules.one_hot.size(); ++i) {
    EXPECT_EQ(rules.one_hot[i].column, other.one_hot[i].column);
    EXPECT_EQ(rules.one_hot[i].categories, other.one_hot[i].categories);
  }
}

void expect_round_trip(ModelParts parts) {
  const TemporaryFolder folder;
  const Model model(std::move(parts));
  model.save(folder / "first.mercer");
  const Model loaded = Model::load(folder / "first.mercer");
  expect_equal(model, loaded);
  // Saving again shows that also what has no accessor came back.
  loaded.save(folder / "second.mercer");
  EXPECT_EQ(read_bytes(folder / "first.mercer"), read_bytes(folder / "second.mercer"));
}

TEST(ModelFile, RoundTripKeepsEverything) {
  ModelParts parts = example_parts();
  parts.summary = testing::full_summary();
  parts.centered = false;
  expect_round_trip(std::move(parts));
}

TEST(ModelFile, RoundTripKeepsRandomFeatures) {
  expect_round_trip(testing::example_feature_parts());
}

TEST(ModelFile, RoundTripKeepsTheNormalizer) {
  expect_round_trip(testing::example_graph_parts());
  ModelParts parts = testing::example_graph_parts();
  parts.degree_shift.clear();
  parts.eigenvalues = {0.5, 0.25};
  expect_round_trip(std::move(parts));
}

TEST(ModelFile, TheNormalizerIsChecked) {
  const TemporaryFolder folder;
  Model(testing::example_graph_parts()).save(folder / "a.mercer");
  const auto load_changed = [&](auto change) {
    model::Container container = model::read_container(folder / "a.mercer");
    change(container.tensors);
    return message_of<FileError>(
        [&] { model::model_from_container(std::move(container), "a.mercer"); });
  };
  EXPECT_EQ(load_changed([](auto&) {}), "no error");
  EXPECT_EQ(load_changed([](auto& tensors) { tensors.at("degree_weights").shape = {1, 3}; }),
            "a.mercer: tensor 'degree_weights' must have 1 dimension");
  EXPECT_EQ(load_changed([](auto& tensors) { tensors.erase("degree_weights"); }),
            "a.mercer: model parts: degree_shift needs degree_weights");
  EXPECT_EQ(load_changed([](auto& tensors) { tensors.erase("degree_shift"); }),
            "a.mercer: model parts: eigenvalues are not in descending order");
}

TEST(ModelFile, FrequenciesAreChecked) {
  const TemporaryFolder folder;
  Model(testing::example_feature_parts()).save(folder / "a.mercer");
  const auto load_changed = [&](auto change) {
    model::Container container = model::read_container(folder / "a.mercer");
    change(container.tensors.at("frequencies"));
    return message_of<FileError>(
        [&] { model::model_from_container(std::move(container), "a.mercer"); });
  };
  EXPECT_EQ(load_changed([](auto&) {}), "no error");
  EXPECT_EQ(load_changed([](auto& tensor) { tensor.shape = {6}; }),
            "a.mercer: tensor 'frequencies' must have 2 dimensions");
  EXPECT_EQ(load_changed([](auto& tensor) { tensor.values = Matrix<double>(2, 2); }),
            "a.mercer: model parts: a column of coefficients has 6 entries instead of 4");
}

TEST(ModelFile, RoundTripKeepsOneHotCategoriesWithOddNames) {
  ModelParts parts = example_parts();
  parts.input.columns = {.table_columns = 2,
                         .left_out = {},
                         .one_hot = {{.column = 1, .categories = {"a \"quoted\"\n\\ one"}}},
                         .names = {}};
  expect_round_trip(std::move(parts));
}

TEST(ModelFile, RoundTripOfEveryKernelWithParameters) {
  for (const std::string& name : kernel_names()) {
    if (name == "custom") continue;
    ModelParts parts = example_parts();
    for (const char* parameter : {"gamma", "length"}) try {
        parts.kernel = make_kernel(name, {{parameter, 1.0 / 3}});
      } catch (const InvalidArgument&) {
        continue;
      }
    if (kernel_name(parts.kernel) != name) parts.kernel = make_kernel(name, {});
    if (name == "linear" || name == "precomputed") {
      parts.library = {};
      parts.input = {};
    }
    SCOPED_TRACE(name);
    ASSERT_EQ(kernel_name(parts.kernel), name);
    expect_round_trip(std::move(parts));
  }
}

TEST(ModelFile, RoundTripWithoutComponentsMeanOrInputMaps) {
  ModelParts parts = example_parts();
  parts.coefficients = Matrix<double>(3, 0);
  parts.offset.clear();
  parts.eigenvalues.clear();
  parts.mean_coefficients.clear();
  parts.input = {};
  expect_round_trip(std::move(parts));
}

TEST(ModelFile, CustomKernelsAreLoadedWithTheirFunction) {
  const TemporaryFolder folder;
  const auto path = folder / "custom.mercer";
  const Custom kernel{
      .function = [](std::span<const double> x, std::span<const double> y) { return x[0] * y[0]; },
      .name = "first column"};
  ModelParts parts = example_parts();
  parts.kernel = kernel;
  const Model model(std::move(parts));
  model.save(path);
  expect_equal(model, Model::load(path, kernel));
  EXPECT_NE(message_of<FileError>([&] { Model::load(path); })
                .find("custom kernel 'first column', whose function no file can hold; load it with "
                      "Model::load(path, kernel)"),
            std::string::npos);
  Custom other = kernel;
  other.name = "second column";
  EXPECT_NE(message_of<FileError>([&] {
              Model::load(path, other);
            }).find("custom kernel 'first column', not 'second column'"),
            std::string::npos);
  EXPECT_THROW(Model::load(path, Custom{.function = {}, .name = "first column"}), InvalidArgument);
}

TEST(ModelFile, OtherKernelsAreNotReplacedByACustomOne) {
  const TemporaryFolder folder;
  Model(example_parts()).save(folder / "a.mercer");
  const Custom kernel{.function = [](auto, auto) { return 1.0; }};
  EXPECT_NE(message_of<FileError>([&] {
              Model::load(folder / "a.mercer", kernel);
            }).find("uses the gaussian kernel, not a custom one"),
            std::string::npos);
}

TEST(ModelFile, EveryFlippedByteIsNoticed) {
  const TemporaryFolder folder;
  Model(example_parts()).save(folder / "a.mercer");
  std::string bytes = read_bytes(folder / "a.mercer");
  const auto load = [&] {
    model::model_from_container(model::parse_container(std::as_bytes(std::span(bytes)), "a"), "a");
  };
  ASSERT_NO_THROW(load());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(~bytes[i]);
    EXPECT_THROW(load(), FileError) << "byte " << i;
    bytes[i] = static_cast<char>(~bytes[i]);
  }
}

/// The container of the example with one thing changed.
template <class Change>
std::string refusal(Change change) {
  const TemporaryFolder folder;
  Model(example_parts()).save(folder / "a.mercer");
  model::Container container = model::read_container(folder / "a.mercer");
  change(container);
  return message_of<FileError>(
      [&] { model::model_from_container(std::move(container), "a.mercer"); });
}

TEST(ModelFile, WhatDoesNotFitIsTheFilesFault) {
  using model::Container;
  EXPECT_EQ(refusal([](Container&) {}), "no error");
  EXPECT_EQ(refusal([](Container& c) { c.kind = "cover"; }),
            "a.mercer: holds a cover, not a model");
  for (const char* key : {"kernel", "summary", "scalars"})
    EXPECT_EQ(refusal([&](Container& c) { c.metadata.erase(key); }),
              fmt::format("a.mercer: the metadata have no '{}'", key));
  for (const char* key : {"kernel", "summary", "scalars", "columns"}) {
    EXPECT_NE(refusal([&](Container& c) { c.metadata[key] = "{"; }).find("not valid JSON"),
              std::string::npos);
    EXPECT_NE(refusal([&](Container& c) { c.metadata[key] = "[]"; }).find("must be a JSON object"),
              std::string::npos);
  }
  EXPECT_NE(refusal([](Container& c) {
              c.metadata["kernel"] = R"({"name":"quantum","parameters":{}})";
            }).find("a.mercer: there is no kernel 'quantum'"),
            std::string::npos);
  EXPECT_NE(refusal([](Container& c) {
              c.metadata["kernel"] = R"({"name":"gaussian","parameters":{}})";
            }).find("parameter without a value"),
            std::string::npos);
  EXPECT_EQ(refusal([](Container& c) { c.tensors.erase("coefficients"); }),
            "a.mercer: model parts: coefficients has no rows");
  EXPECT_EQ(refusal([](Container& c) { c.tensors.at("offset").shape = {1, 2}; }),
            "a.mercer: tensor 'offset' must have 1 dimension");
  EXPECT_EQ(refusal([](Container& c) { c.tensors["extra"] = {.shape = {0}, .values = {}}; }),
            "a.mercer: unknown tensor 'extra'");
  EXPECT_NE(refusal([](Container& c) {
              c.metadata["columns"] =
                  R"({"table_columns":18446744073709551615,"left_out":[],"one_hot":[],"names":[]})";
            }).find("the column rules give"),
            std::string::npos);
}

TEST(ModelFile, AFailedSaveKeepsTheOldFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(Model(example_parts()).save(folder / "missing" / "a.mercer"), FileError);
  EXPECT_THROW(Model(example_parts()).save("/dev/full"), FileError);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(ModelFile, SavingLeavesNothingElseBehind) {
  const TemporaryFolder folder;
  Model(example_parts()).save(folder / "a.mercer");
  Model(example_parts()).save(folder / "a.mercer");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(ModelFile, PlainPythonReadsTheTensors) {
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "python3-numpy is not installed";
  const TemporaryFolder folder;
  Model(example_parts()).save(folder / "a.mercer");
  const std::string command = fmt::format(
      "/usr/bin/python3 '{}' '{}' > '{}'", MERCER_SOURCE_DIR "/tests/model/read_model.py",
      (folder / "a.mercer").string(), (folder / "out").string());
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_bytes(folder / "out"),
            "kind model\n"
            "gamma 0.1\n"
            "names label x colour \xc3\xbcy\n"
            "coefficients [[0.3333333333333333, 0.25], [0.2, 0.16666666666666666], "
            "[0.14285714285714285, 0.125]]\n"
            "offset [0.25, -0.75]\n"
            "input_multiply [2.0, 0.3333333333333333]\n"
            "checksum right\n");
}

}  // namespace
}  // namespace mercer
