#include "model/block_file.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container_parts.h"
#include "model/input_maps.h"
#include "model/option_names.h"
#include "model/strict_json.h"

namespace mercer::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "block";

bool not_negative(double value) {
  return value >= 0 && std::isfinite(value);
}

bool fits_together(const BlockNumbers& block) {
  const std::size_t terms = block.linear() ? block.columns : block.library.rows();
  const std::size_t components = block.singular_values.size();
  return block.columns > 0 && block.terms() == terms && block.components.rows() == terms &&
         (block.library.rows() == 0 ||
          (!block.linear() && block.library.cols() == block.columns)) &&
         block.components.cols() == components && block.mean_scores.size() == components &&
         std::ranges::all_of(block.singular_values, [](double s) { return s > 0; }) &&
         std::ranges::is_sorted(block.singular_values, std::greater<>{}) && block.rows > 0 &&
         block.weight > 0 && std::isfinite(block.weight) && not_negative(block.mean_norm2) &&
         not_negative(block.trace) && not_negative(block.residual) && not_negative(block.lost) &&
         not_negative(block.lost_mean) && not_negative(block.deviation);
}

template <class Value>
void put(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

std::string stream_json(const StreamNumbers& stream) {
  const IncrementalOptions& options = stream.options;
  Json json{{"blocks", stream.blocks},
            {"seed", options.seed},
            {"seeded", options.seeded},
            {"library_limit", options.library_limit},
            {"rule", option_name(options.library.rule)},
            {"candidates", options.library.candidates},
            {"form", option_name(options.merge.form)},
            {"keep", options.merge.keep},
            {"deflation", option_name(options.merge.rule)}};
  put(json, "library_target", options.library_target);
  put(json, "mse", options.library.mse);
  put(json, "max_error", options.library.max_error);
  put(json, "max_library", options.library.max_library);
  put(json, "max_components", options.merge.max_components);
  return json.dump();
}

/// The option of this name.
template <class Option>
Option option(const ObjectReader& reader, const char* key,
              std::optional<Option> (*by_name)(std::string_view), const std::string& file) {
  const auto found = by_name(reader.text(key));
  if (found) return *found;
  throw FileError(fmt::format("{}: stream: '{}' is no {}", file, reader.text(key), key));
}

StreamNumbers read_stream(const ContainerReader& container, bool centered) {
  const Json json = container.parse("stream");
  const ObjectReader reader(json, container.file() + ": stream");
  const auto number = [&](const char* key) {
    return reader.has(key) ? std::optional(reader.number(key)) : std::nullopt;
  };
  const auto count = [&](const char* key) {
    return reader.has(key) ? std::optional<std::size_t>(reader.count(key)) : std::nullopt;
  };
  StreamNumbers stream;
  stream.blocks = reader.count("blocks");
  IncrementalOptions& options = stream.options;
  options.center = centered;
  options.seed = reader.count("seed");
  options.seeded = reader.flag("seeded");
  options.library_limit = reader.count("library_limit");
  options.library_target = count("library_target");
  options.library = {.rule = option(reader, "rule", pivot_rule, container.file()),
                     .candidates = reader.count("candidates"),
                     .mse = number("mse"),
                     .max_error = number("max_error"),
                     .max_library = count("max_library")};
  options.merge = {.form = option(reader, "form", merge_form, container.file()),
                   .keep = reader.number("keep"),
                   .rule = option(reader, "deflation", deflation_rule, container.file()),
                   .max_components = count("max_components")};
  return stream;
}

}  // namespace

void write_block(const std::filesystem::path& path, const BlockNumbers& block,
                 const std::optional<StreamNumbers>& stream) {
  if (std::holds_alternative<Custom>(block.kernel)) {
    throw InvalidArgument(
        "a block over a custom kernel cannot be saved: no file can hold its function");
  }
  std::map<std::string, std::string> metadata{
      {"kernel", kernel_json(block.kernel)},
      {"method", "partitioned"},
      {"scalars", Json{{"columns", block.columns},
                       {"centered", block.centered},
                       {"mean_norm2", block.mean_norm2},
                       {"rows", block.rows},
                       {"total_weight", block.weight},
                       {"trace", block.trace},
                       {"residual", block.residual},
                       {"lost", block.lost},
                       {"lost_mean", block.lost_mean},
                       {"deviation", block.deviation},
                       {"kernel_evaluations", block.kernel_evaluations}}
                      .dump()}};
  if (stream) metadata["stream"] = stream_json(*stream);
  // Tensors without entries are left out: one point has no components, a linear kernel no library.
  std::vector<TensorView> tensors;
  const auto add = [&](const TensorView& tensor) {
    if (!tensor.values.empty()) tensors.push_back(tensor);
  };
  add(as_tensor("library", block.library));
  add(as_tensor("components", block.components));
  add(as_tensor("singular_values", block.singular_values));
  add(as_tensor("mean_coefficients", block.mean_coefficients));
  add(as_tensor("mean_scores", block.mean_scores));
  add_input(block.input, metadata, tensors);
  write_container(path, kKind, metadata, tensors);
}

BlockFile read_block(const std::filesystem::path& path) {
  return block_from_container(read_container(path), path.string());
}

BlockFile block_from_container(Container container, const std::string& file) {
  BlockFile result;
  const bool is_stream = container.metadata.contains("stream");
  ContainerReader reader(std::move(container), kKind, file);
  BlockNumbers& block = result.block;
  block.kernel = reader.kernel();
  if (std::holds_alternative<Custom>(block.kernel) ||
      std::holds_alternative<Precomputed>(block.kernel) || !is_resolved(block.kernel)) {
    throw FileError(fmt::format("{}: the kernel is not one of a block", reader.file()));
  }
  block.input = reader.input();
  block.library = reader.matrix("library");
  block.components = reader.matrix("components");
  block.singular_values = reader.vector("singular_values");
  block.mean_coefficients = reader.vector("mean_coefficients");
  block.mean_scores = reader.vector("mean_scores");
  const Json scalars = reader.parse("scalars");
  const ObjectReader numbers(scalars, reader.file() + ": scalars");
  block.columns = numbers.count("columns");
  block.centered = numbers.flag("centered");
  block.mean_norm2 = numbers.number("mean_norm2");
  block.rows = numbers.count("rows");
  block.weight = numbers.number("total_weight");
  block.trace = numbers.number("trace");
  block.residual = numbers.number("residual");
  block.lost = numbers.number("lost");
  block.lost_mean = numbers.number("lost_mean");
  block.deviation = numbers.number("deviation");
  block.kernel_evaluations = numbers.count("kernel_evaluations");
  if (is_stream) result.stream = read_stream(reader, block.centered);
  reader.require_all_taken();
  if (block.components.empty()) block.components = Matrix<double>(block.terms(), 0);
  if (!fits_together(block)) {
    throw FileError(fmt::format("{}: the numbers of the block do not fit together", reader.file()));
  }
  check_input_of_file(block.input, block.kernel, block.columns, reader.file());
  return result;
}

}  // namespace mercer::model
