#include "model/distance_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>

#include "model/container_parts.h"
#include "model/input_maps.h"
#include "model/strict_json.h"

namespace mercer::model {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKind = "distance";

std::string metric_json(const DistanceNumbers& numbers) {
  if (!numbers.indexed.empty()) {
    return Json{{"name", "indexed"}, {"function", numbers.indexed}}.dump();
  }
  Json parameters = Json::object();
  for (const auto& [name, value] : distance_parameters(numbers.distance)) parameters[name] = value;
  Json json{{"name", distance_name(numbers.distance)}, {"parameters", std::move(parameters)}};
  if (const auto* custom = std::get_if<CustomDistance>(&numbers.distance)) {
    json["function"] = custom->name;
  }
  return json.dump();
}

void read_metric(const ContainerReader& reader, DistanceNumbers& numbers) {
  const Json json = reader.parse("metric");
  const ObjectReader metric(json, reader.file() + ": metric");
  const std::string name = metric.text("name");
  if (name == "indexed") {
    numbers.indexed = metric.text("function");
    return;
  }
  try {
    numbers.distance = make_distance(name, metric.object("parameters").all_numbers());
    if (auto* kernel = std::get_if<KernelDistance>(&numbers.distance)) {
      kernel->kernel = reader.kernel();
      validate(kernel->kernel);
      if (!is_resolved(kernel->kernel)) throw InvalidArgument("the kernel lacks a parameter");
    } else if (auto* custom = std::get_if<CustomDistance>(&numbers.distance)) {
      custom->name = metric.text("function");
    } else {
      validate(numbers.distance);
    }
  } catch (const InvalidArgument& e) {
    throw FileError(fmt::format("{}: {}", reader.file(), e.what()));
  }
}

bool different_items(std::vector<std::size_t> items, std::size_t n) {
  std::ranges::sort(items);
  return !items.empty() && items.back() < n && std::ranges::adjacent_find(items) == items.end();
}

bool fits_together(const SimplexCoordinates& simplex, std::size_t n, std::size_t m) {
  if (simplex.empty()) return simplex.coordinates.empty() && simplex.lower.empty();
  const std::size_t r = simplex.independent.size();
  const auto above_zero = [&](std::size_t i) { return simplex.lower(i, i) > 0; };
  for (std::size_t i = 0; i < r; ++i) {
    if (simplex.lower.rows() != r || simplex.lower.cols() != r || !above_zero(i)) return false;
  }
  return simplex.accuracy > 0 && simplex.noise >= 0 && simplex.origin_weights.size() == m &&
         simplex.landmark_origins.size() == m &&
         (r == 0 || different_items(simplex.independent, m)) && simplex.residuals.size() == n &&
         simplex.roundings.size() == n &&
         (r == 0 || (simplex.coordinates.rows() == n && simplex.coordinates.cols() == r));
}

bool fits_together(const DistanceNumbers& numbers) {
  const std::size_t n = numbers.n;
  const std::size_t m = numbers.landmarks.size();
  const bool rows =
      numbers.indexed.empty() && !std::holds_alternative<PrecomputedDistance>(numbers.distance);
  const std::size_t kept = rows ? (numbers.all_items ? n : m) : 0;
  return n > 0 && different_items(numbers.landmarks, n) && numbers.weights.rows() == n &&
         numbers.weights.cols() == m && numbers.offset.size() == n &&
         (numbers.sigma.empty() || numbers.sigma.size() == n) && numbers.items.rows() == kept &&
         (kept == 0 || (numbers.columns > 0 && numbers.items.cols() == numbers.columns)) &&
         (numbers.coefficient_gram.empty() ||
          (numbers.coefficient_gram.rows() == m && numbers.coefficient_gram.cols() == m)) &&
         numbers.hilbertian != numbers.simplex.empty() && fits_together(numbers.simplex, n, m);
}

}  // namespace

void write_distance(const std::filesystem::path& path, const DistanceNumbers& numbers) {
  const SimplexCoordinates& simplex = numbers.simplex;
  std::map<std::string, std::string> metadata{
      {"metric", metric_json(numbers)},
      {"method", "sparse_distance"},
      {"scalars", Json{{"n", numbers.n},
                       {"columns", numbers.columns},
                       {"landmarks", numbers.landmarks},
                       {"all_items", numbers.all_items},
                       {"hilbertian", numbers.hilbertian},
                       {"origin_offset", simplex.origin_offset},
                       {"accuracy", simplex.accuracy},
                       {"noise", simplex.noise},
                       {"independent", simplex.independent}}
                      .dump()},
      {"summary", numbers.summary.json()}};
  if (const auto* kernel = std::get_if<KernelDistance>(&numbers.distance)) {
    metadata["kernel"] = kernel_json(kernel->kernel);
  }
  std::vector<TensorView> tensors{as_tensor("weights", numbers.weights),
                                  as_tensor("offset", numbers.offset)};
  const auto add_matrix = [&](const char* name, const Matrix<double>& matrix) {
    if (!matrix.empty()) tensors.push_back(as_tensor(name, matrix));
  };
  const auto add_vector = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) tensors.push_back(as_tensor(name, values));
  };
  add_matrix("items", numbers.items);
  add_vector("sigma", numbers.sigma);
  add_matrix("coefficient_gram", numbers.coefficient_gram);
  add_vector("origin_weights", simplex.origin_weights);
  add_vector("landmark_origins", simplex.landmark_origins);
  add_matrix("lower", simplex.lower);
  add_matrix("coordinates", simplex.coordinates);
  add_vector("residuals", simplex.residuals);
  add_vector("roundings", simplex.roundings);
  add_input(numbers.input, metadata, tensors);
  write_container(path, kKind, metadata, tensors);
}

DistanceNumbers read_distance(const std::filesystem::path& path) {
  return distance_from_container(read_container(path), path.string());
}

DistanceNumbers distance_from_container(Container container, const std::string& file) {
  ContainerReader reader(std::move(container), kKind, file);
  DistanceNumbers numbers;
  read_metric(reader, numbers);
  numbers.input = reader.input();
  const Json json = reader.parse("scalars");
  const ObjectReader scalars(json, reader.file() + ": scalars");
  numbers.n = scalars.count("n");
  numbers.columns = scalars.count("columns");
  numbers.landmarks = scalars.counts("landmarks");
  numbers.all_items = scalars.flag("all_items");
  numbers.hilbertian = scalars.flag("hilbertian");
  SimplexCoordinates& simplex = numbers.simplex;
  simplex.origin_offset = scalars.number("origin_offset");
  simplex.accuracy = scalars.number("accuracy");
  simplex.noise = scalars.number("noise");
  simplex.independent = scalars.counts("independent");
  numbers.weights = reader.matrix("weights");
  numbers.offset = reader.vector("offset");
  numbers.items = reader.matrix("items");
  numbers.sigma = reader.vector("sigma");
  numbers.coefficient_gram = reader.matrix("coefficient_gram");
  simplex.origin_weights = reader.vector("origin_weights");
  simplex.landmark_origins = reader.vector("landmark_origins");
  simplex.lower = reader.matrix("lower");
  simplex.coordinates = reader.matrix("coordinates");
  simplex.residuals = reader.vector("residuals");
  simplex.roundings = reader.vector("roundings");
  reader.require_all_taken();
  try {
    numbers.summary = DistanceSummary::from_json(reader.metadata("summary"));
  } catch (const FileError& e) {
    throw FileError(fmt::format("{}: {}", file, e.what()));
  }
  if (!fits_together(numbers)) {
    throw FileError(fmt::format("{}: the numbers of the distances do not fit together", file));
  }
  if (numbers.simplex.coordinates.empty() && !numbers.simplex.empty()) {
    numbers.simplex.coordinates = Matrix<double>(numbers.n, 0);
  }
  if (numbers.columns > 0) {
    check_input_of_file(numbers.input, Linear{}, numbers.columns, file);
  }
  return numbers;
}

}  // namespace mercer::model
