#include "model/container_parts.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "model/strict_json.h"

namespace mercer::model {

using Json = nlohmann::ordered_json;

namespace {

std::string with_article(const std::string& kind) {
  const bool vowel = !kind.empty() && std::string_view("aeiou").find(kind[0]) != std::string::npos;
  return (vowel ? "an " : "a ") + kind;
}

}  // namespace

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

TensorView as_tensor(const char* name, const Matrix<double>& matrix) {
  return {.name = name,
          .shape = {matrix.rows(), matrix.cols()},
          .values = std::span(matrix.data(), matrix.size())};
}

TensorView as_tensor(const char* name, const std::vector<double>& values) {
  return {.name = name, .shape = {values.size()}, .values = values};
}

void add_input(const InputMaps& input, std::map<std::string, std::string>& metadata,
               std::vector<TensorView>& tensors) {
  if (!input.columns.empty()) metadata["columns"] = columns_json(input.columns);
  if (!input.scaling.empty()) {
    tensors.push_back(as_tensor("input_shift", input.scaling.shift));
    tensors.push_back(as_tensor("input_multiply", input.scaling.multiply));
  }
  if (!input.projection.empty())
    tensors.push_back(as_tensor("input_projection", input.projection.matrix));
}

ContainerReader::ContainerReader(Container container, const char* kind, std::string file)
    : container_(std::move(container)), file_(std::move(file)) {
  if (container_.kind != kind)
    throw FileError(fmt::format("{}: holds {}, not {}", file_, with_article(container_.kind),
                                with_article(kind)));
}

const std::string& ContainerReader::metadata(const char* key) const {
  const auto it = container_.metadata.find(key);
  if (it == container_.metadata.end())
    throw FileError(fmt::format("{}: the metadata have no '{}'", file_, key));
  return it->second;
}

Json ContainerReader::parse(const char* key) const {
  return parse_strict_json(metadata(key), fmt::format("{}: {}", file_, key));
}

Kernel ContainerReader::kernel() const {
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

InputMaps ContainerReader::input() {
  InputMaps input;
  input.columns = column_rules();
  input.scaling.shift = vector("input_shift");
  input.scaling.multiply = vector("input_multiply");
  input.projection.matrix = matrix("input_projection");
  return input;
}

ColumnRules ContainerReader::column_rules() const {
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

Matrix<double> ContainerReader::take(const char* name, std::size_t dimensions) {
  auto node = container_.tensors.extract(name);
  if (node.empty()) return {};
  if (node.mapped().shape.size() != dimensions)
    throw FileError(fmt::format("{}: tensor '{}' must have {} dimension{}", file_, name, dimensions,
                                dimensions == 1 ? "" : "s"));
  return std::move(node.mapped().values);
}

std::vector<double> ContainerReader::vector(const char* name) {
  const Matrix<double> values = take(name, 1);
  return {values.data(), values.data() + values.size()};
}

void ContainerReader::require_all_taken() const {
  if (container_.tensors.empty()) return;
  throw FileError(fmt::format("{}: unknown tensor '{}'", file_, container_.tensors.begin()->first));
}

}  // namespace mercer::model
