#include "model/model_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>
#include <mercer/model.h>

#include "model/container.h"
#include "model/model_state.h"
#include "model/strict_json.h"

namespace mercer {
namespace {

using Json = nlohmann::ordered_json;
using model::Container;
using model::ObjectReader;
using model::TensorView;

constexpr const char* kKind = "model";

std::string kernel_json(const Kernel& kernel) {
  Json parameters = Json::object();
  for (const auto& [name, value] : kernel_parameters(kernel)) parameters[name] = value;
  Json json{{"name", kernel_name(kernel)}, {"parameters", std::move(parameters)}};
  if (const auto* custom = std::get_if<Custom>(&kernel)) json["function"] = custom->name;
  return json.dump();
}

std::string columns_json(const ColumnRules& rules) {
  Json one_hot = Json::array();
  for (const auto& rule : rules.one_hot)
    one_hot.push_back({{"column", rule.column}, {"categories", rule.categories}});
  return Json{{"table_columns", rules.table_columns},
              {"left_out", rules.left_out},
              {"one_hot", std::move(one_hot)},
              {"names", rules.names}}
      .dump();
}

std::string scalars_json(const ModelParts& parts) {
  return Json{{"centered", parts.centered},
              {"total_weight", parts.total_weight},
              {"mean_norm2", parts.mean_norm2}}
      .dump();
}

TensorView as_tensor(const char* name, const Matrix<double>& matrix) {
  return {.name = name,
          .shape = {matrix.rows(), matrix.cols()},
          .values = std::span(matrix.data(), matrix.size())};
}

TensorView as_tensor(const char* name, const std::vector<double>& values) {
  return {.name = name, .shape = {values.size()}, .values = values};
}

/// A checked container, taken apart member by member. Messages begin with the file's name.
class ModelReader {
 public:
  ModelReader(Container container, std::string file)
      : container_(std::move(container)), file_(std::move(file)) {
    if (container_.kind != kKind)
      throw FileError(fmt::format("{}: holds a {}, not a model", file_, container_.kind));
  }

  Kernel kernel() const {
    const Json json = parse("kernel");
    const ObjectReader reader(json, file_ + ": kernel");
    const std::string name = reader.text("name");
    if (name == "custom") return Custom{.function = {}, .name = reader.text("function")};
    try {
      return make_kernel(name, reader.object("parameters").all_numbers());
    } catch (const InvalidArgument& e) {
      throw FileError(fmt::format("{}: {}", file_, e.what()));
    }
  }

  ModelParts parts(Kernel kernel) {
    ModelParts parts;
    parts.kernel = std::move(kernel);
    parts.input.columns = column_rules();
    parts.input.scaling.shift = vector("input_shift");
    parts.input.scaling.multiply = vector("input_multiply");
    parts.library = matrix("library");
    parts.frequencies = matrix("frequencies");
    parts.coefficients = matrix("coefficients");
    parts.offset = vector("offset");
    parts.eigenvalues = vector("eigenvalues");
    parts.mean_coefficients = vector("mean_coefficients");
    const Json scalars = parse("scalars");
    const ObjectReader reader(scalars, file_ + ": scalars");
    parts.centered = reader.flag("centered");
    parts.total_weight = reader.number("total_weight");
    parts.mean_norm2 = reader.number("mean_norm2");
    parts.summary = summary();
    if (!container_.tensors.empty())
      throw FileError(
          fmt::format("{}: unknown tensor '{}'", file_, container_.tensors.begin()->first));
    return parts;
  }

 private:
  const std::string& metadata(const char* key) const {
    const auto it = container_.metadata.find(key);
    if (it == container_.metadata.end())
      throw FileError(fmt::format("{}: the metadata have no '{}'", file_, key));
    return it->second;
  }

  Json parse(const char* key) const {
    return model::parse_strict_json(metadata(key), fmt::format("{}: {}", file_, key));
  }

  ColumnRules column_rules() const {
    ColumnRules rules;
    if (!container_.metadata.contains("columns")) return rules;
    const Json json = parse("columns");
    const ObjectReader reader(json, file_ + ": columns");
    rules.table_columns = reader.count("table_columns");
    rules.left_out = reader.counts("left_out");
    for (const ObjectReader& rule : reader.objects("one_hot"))
      rules.one_hot.push_back(
          {.column = rule.count("column"), .categories = rule.texts("categories")});
    rules.names = reader.texts("names");
    return rules;
  }

  Summary summary() const {
    const std::string& text = metadata("summary");
    try {
      return Summary::from_json(text);
    } catch (const FileError& e) {
      throw FileError(fmt::format("{}: {}", file_, e.what()));
    }
  }

  /// Moves a tensor out, or gives nothing when the file has none of that name.
  Matrix<double> take(const char* name, std::size_t dimensions) {
    auto node = container_.tensors.extract(name);
    if (node.empty()) return {};
    if (node.mapped().shape.size() != dimensions)
      throw FileError(fmt::format("{}: tensor '{}' must have {} dimension{}", file_, name,
                                  dimensions, dimensions == 1 ? "" : "s"));
    return std::move(node.mapped().values);
  }

  Matrix<double> matrix(const char* name) { return take(name, 2); }

  std::vector<double> vector(const char* name) {
    const Matrix<double> values = take(name, 1);
    return {values.data(), values.data() + values.size()};
  }

  Container container_;
  std::string file_;
};

/// The kernel of the file, or `given` in the place of a custom one.
Kernel choose_kernel(Kernel saved, const Custom* given, const std::string& file) {
  const auto* custom = std::get_if<Custom>(&saved);
  if (custom == nullptr && given == nullptr) return saved;
  if (custom == nullptr)
    throw FileError(fmt::format(
        "{}: the model uses the {} kernel, not a custom one; load it with Model::load(path)", file,
        kernel_name(saved)));
  if (given == nullptr)
    throw FileError(fmt::format(
        "{}: the model uses the custom kernel '{}', whose function no file can hold; load it with "
        "Model::load(path, kernel)",
        file, custom->name));
  if (custom->name != given->name)
    throw FileError(fmt::format("{}: the model uses the custom kernel '{}', not '{}'", file,
                                custom->name, given->name));
  return *given;
}

}  // namespace

Model model::model_from_container(Container container, const std::string& file,
                                  const Custom* custom) {
  ModelReader reader(std::move(container), file);
  ModelParts parts = reader.parts(choose_kernel(reader.kernel(), custom, file));
  try {
    return Model(std::move(parts));
  } catch (const InvalidArgument& e) {
    // What does not fit together is the file's fault, not the caller's.
    throw FileError(fmt::format("{}: {}", file, e.what()));
  }
}

void Model::save(const std::filesystem::path& path) const {
  const ModelParts& parts = state_->fitted->parts;
  const InputMaps& input = state_->input;
  std::map<std::string, std::string> metadata{{"kernel", kernel_json(parts.kernel)},
                                              {"method", parts.summary.method},
                                              {"scalars", scalars_json(parts)},
                                              {"summary", parts.summary.json()}};
  if (!input.columns.empty()) metadata["columns"] = columns_json(input.columns);

  std::vector<TensorView> tensors{as_tensor("coefficients", parts.coefficients),
                                  as_tensor("offset", parts.offset),
                                  as_tensor("eigenvalues", parts.eigenvalues)};
  if (!parts.library.empty()) tensors.push_back(as_tensor("library", parts.library));
  if (!parts.frequencies.empty()) tensors.push_back(as_tensor("frequencies", parts.frequencies));
  if (!parts.mean_coefficients.empty())
    tensors.push_back(as_tensor("mean_coefficients", parts.mean_coefficients));
  if (!input.scaling.empty()) {
    tensors.push_back(as_tensor("input_shift", input.scaling.shift));
    tensors.push_back(as_tensor("input_multiply", input.scaling.multiply));
  }
  model::write_container(path, kKind, metadata, tensors);
}

Model Model::load(const std::filesystem::path& path) {
  return model::model_from_container(model::read_container(path), path.string());
}

Model Model::load(const std::filesystem::path& path, const Custom& kernel) {
  if (!kernel.function)
    throw InvalidArgument(fmt::format("the custom kernel '{}' has no function", kernel.name));
  return model::model_from_container(model::read_container(path), path.string(), &kernel);
}

}  // namespace mercer
