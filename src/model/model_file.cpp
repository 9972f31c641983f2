#include "model/model_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>
#include <mercer/model.h>

#include "model/container.h"
#include "model/container_parts.h"
#include "model/model_state.h"
#include "model/strict_json.h"

namespace mercer {
namespace {

using Json = nlohmann::ordered_json;
using model::as_tensor;
using model::Container;
using model::ContainerReader;
using model::ObjectReader;
using model::TensorView;

constexpr const char* kKind = "model";

std::string scalars_json(const ModelParts& parts) {
  return Json{{"centered", parts.centered},
              {"total_weight", parts.total_weight},
              {"mean_norm2", parts.mean_norm2}}
      .dump();
}

Summary read_summary(const ContainerReader& reader) {
  const std::string& text = reader.metadata("summary");
  try {
    return Summary::from_json(text);
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: {}", reader.file(), e.what()));
  }
}

ModelParts read_parts(ContainerReader& reader, Kernel kernel) {
  ModelParts parts;
  parts.kernel = std::move(kernel);
  parts.input = reader.input();
  parts.library = reader.matrix("library");
  parts.frequencies = reader.matrix("frequencies");
  parts.coefficients = reader.matrix("coefficients");
  parts.offset = reader.vector("offset");
  parts.eigenvalues = reader.vector("eigenvalues");
  parts.mean_coefficients = reader.vector("mean_coefficients");
  parts.degree_weights = reader.vector("degree_weights");
  parts.degree_shift = reader.vector("degree_shift");
  parts.preimage_scores = reader.matrix("preimage_scores");
  parts.preimage_coefficients = reader.matrix("preimage_coefficients");
  const Json scalars = reader.parse("scalars");
  const ObjectReader numbers(scalars, reader.file() + ": scalars");
  parts.centered = numbers.flag("centered");
  parts.total_weight = numbers.number("total_weight");
  parts.mean_norm2 = numbers.number("mean_norm2");
  parts.summary = read_summary(reader);
  reader.require_all_taken();
  return parts;
}

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
  ContainerReader reader(std::move(container), kKind, file);
  ModelParts parts = read_parts(reader, choose_kernel(reader.kernel(), custom, file));
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
  std::map<std::string, std::string> metadata{{"kernel", model::kernel_json(parts.kernel)},
                                              {"method", state_->summary.method},
                                              {"scalars", scalars_json(parts)},
                                              {"summary", state_->summary.json()}};

  std::vector<TensorView> tensors{as_tensor("coefficients", parts.coefficients),
                                  as_tensor("offset", parts.offset)};
  if (!parts.eigenvalues.empty()) tensors.push_back(as_tensor("eigenvalues", parts.eigenvalues));
  if (!parts.library.empty()) tensors.push_back(as_tensor("library", parts.library));
  if (!parts.frequencies.empty()) tensors.push_back(as_tensor("frequencies", parts.frequencies));
  if (!parts.mean_coefficients.empty())
    tensors.push_back(as_tensor("mean_coefficients", parts.mean_coefficients));
  if (!parts.degree_weights.empty())
    tensors.push_back(as_tensor("degree_weights", parts.degree_weights));
  if (!parts.degree_shift.empty()) tensors.push_back(as_tensor("degree_shift", parts.degree_shift));
  if (!parts.preimage_scores.empty()) {
    tensors.push_back(as_tensor("preimage_scores", parts.preimage_scores));
    tensors.push_back(as_tensor("preimage_coefficients", parts.preimage_coefficients));
  }
  model::add_input(input, metadata, tensors);
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
