// Summary <-> JSON; docs/summary.schema.json is the contract.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>
#include <mercer/summary.h>

#include "model/strict_json.h"

namespace mercer {
namespace {

using Json = nlohmann::ordered_json;
using model::ObjectReader;

constexpr std::uint64_t kSchemaVersion = 1;
constexpr const char* kWhat = "summary";

constexpr std::array kReasons = {TerminationReason::converged, TerminationReason::fewer_components,
                                 TerminationReason::not_converged,
                                 TerminationReason::tolerance_missed};

// JSON has no NaN and no infinity: a number that is neither finite nor known is left out.
void put(Json& json, const char* key, double value) {
  if (std::isfinite(value)) json[key] = value;
}

void put(Json& json, const char* key, const std::optional<double>& value) {
  if (value) put(json, key, *value);
}

void put(Json& json, const char* key, const std::vector<double>& values) {
  if (std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) json[key] = values;
}

Json kernel_json(const Summary& summary) {
  Json parameters = Json::object();
  for (const auto& [name, value] : summary.kernel_parameters) put(parameters, name.c_str(), value);
  return {{"name", summary.kernel}, {"parameters", std::move(parameters)}};
}

void put_quality(Json& json, const Summary& summary) {
  put(json, "eigenvalues", summary.eigenvalues);
  if (const auto& negative = summary.negative_eigenvalues)
    json["negative_eigenvalues"] = {{"count", negative->count},
                                    {"smallest", negative->smallest},
                                    {"all_seen", negative->all_seen}};
  if (!summary.gains.empty()) put(json, "gains", summary.gains);
  if (!summary.explained_variance_ratio.empty())
    put(json, "explained_variance_ratio", summary.explained_variance_ratio);
  if (const auto& total = summary.total_variance;
      total && std::isfinite(total->low) && std::isfinite(total->high))
    json["total_variance"] = {{"low", total->low}, {"high", total->high}};
  put(json, "residual_trace_fraction", summary.residual_trace_fraction);
  for (const Interval& interval : summary.eigenvalue_intervals)
    json["eigenvalue_intervals"].push_back({{"low", interval.low}, {"high", interval.high}});
  if (summary.landmarks) json["landmarks"] = *summary.landmarks;
  put(json, "subspace_error_estimate", summary.subspace_error_estimate);
  for (const ErrorAt& point : summary.error_curve)
    json["error_curve"].push_back({{"size", point.size}, {"error", point.error}});
  put(json, "reconstruction_error", summary.reconstruction_error);
  put(json, "solver_residual", summary.solver_residual);
  for (const Bound& bound : summary.bounds)
    if (std::isfinite(bound.value))
      json["bounds"][bound.name] = {{"value", bound.value}, {"rigorous", bound.rigorous}};
  if (!summary.certified_ratio.empty()) put(json, "certified_ratio", summary.certified_ratio);
}

Json error_json(const ComponentError& error) {
  return {
      {"expected", error.expected}, {"within_95", error.within_95}, {"measured", error.measured}};
}

Json compression_json(const Compression& compression) {
  Json components = Json::array();
  for (const ComponentError& error : compression.components)
    components.push_back(error_json(error));
  return {{"by", compression.by},
          {"library_size_before", compression.library_size_before},
          {"error", error_json(compression.all)},
          {"components", std::move(components)}};
}

void put_cost(Json& json, const Summary& summary) {
  json["kernel_evaluations"] = summary.kernel_evaluations;
  if (summary.distance_evaluations) json["distance_evaluations"] = *summary.distance_evaluations;
  put(json, "seconds", summary.seconds);
  json["phases"] = Json::array();
  for (const Phase& phase : summary.phases)
    json["phases"].push_back({{"name", phase.name}, {"seconds", phase.seconds}});
  if (summary.peak_memory_bytes != 0) json["peak_memory_bytes"] = summary.peak_memory_bytes;
  if (summary.memory_limit_bytes != 0) json["memory_limit_bytes"] = summary.memory_limit_bytes;
}

void put_circumstances(Json& json, const Summary& summary) {
  json["termination"] = {{"reason", to_string(summary.termination.reason)},
                         {"message", summary.termination.message}};
  json["warnings"] = summary.warnings;
  json["choices"] = Json::array();
  for (const Choice& choice : summary.choices)
    json["choices"].push_back(
        {{"what", choice.what}, {"value", choice.value}, {"why", choice.why}});
  if (summary.threads != 0) json["threads"] = summary.threads;
  if (!summary.simd.empty()) json["simd"] = summary.simd;
  if (!summary.blas.empty()) json["blas"] = summary.blas;
  json["seed"] = summary.seed;
  if (summary.features) json["features"] = *summary.features;
  if (summary.compression) json["compression"] = compression_json(*summary.compression);
}

/// One member a line. Texts that are not UTF-8 (a warning may quote a file) lose the bad bytes.
std::string pretty(const Json& json) {
  const auto compact = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{\n";
  for (const auto& [key, value] : json.items()) {
    if (text.size() > 2) text += ",\n";
    text += fmt::format("  {}: {}", compact(key), compact(value));
  }
  return text + "\n}";
}

TerminationReason parse_reason(const std::string& text) {
  for (const TerminationReason reason : kReasons)
    if (text == to_string(reason)) return reason;
  throw FileError(fmt::format("{}: '{}' is no reason for termination", kWhat, text));
}

void read_identity(const ObjectReader& reader, Summary& summary) {
  summary.method = reader.text("method");
  const ObjectReader kernel = reader.object("kernel");
  summary.kernel = kernel.text("name");
  summary.kernel_parameters = kernel.object("parameters").all_numbers();
  summary.n = reader.count("n");
  summary.d = reader.count("d");
  if (reader.has("total_weight")) summary.total_weight = reader.number("total_weight");
  summary.components = reader.count("components");
  summary.library_size = reader.count("library_size");
  summary.centered = reader.flag("centered");
}

void read_quality(const ObjectReader& reader, Summary& summary) {
  const auto optional_number = [&](const char* key) {
    return reader.has(key) ? std::optional(reader.number(key)) : std::nullopt;
  };
  if (reader.has("eigenvalues")) summary.eigenvalues = reader.numbers("eigenvalues");
  if (reader.has("negative_eigenvalues")) {
    const ObjectReader negative = reader.object("negative_eigenvalues");
    summary.negative_eigenvalues = NegativeEigenvalues{.count = negative.count("count"),
                                                       .smallest = negative.number("smallest"),
                                                       .all_seen = negative.flag("all_seen")};
  }
  if (reader.has("gains")) summary.gains = reader.numbers("gains");
  if (reader.has("explained_variance_ratio"))
    summary.explained_variance_ratio = reader.numbers("explained_variance_ratio");
  if (reader.has("total_variance")) {
    const ObjectReader total = reader.object("total_variance");
    summary.total_variance = Interval{.low = total.number("low"), .high = total.number("high")};
  }
  summary.residual_trace_fraction = optional_number("residual_trace_fraction");
  if (reader.has("eigenvalue_intervals"))
    for (const ObjectReader& interval : reader.objects("eigenvalue_intervals"))
      summary.eigenvalue_intervals.push_back(
          {.low = interval.number("low"), .high = interval.number("high")});
  if (reader.has("landmarks")) summary.landmarks = reader.count("landmarks");
  summary.subspace_error_estimate = optional_number("subspace_error_estimate");
  if (reader.has("error_curve"))
    for (const ObjectReader& point : reader.objects("error_curve"))
      summary.error_curve.push_back({.size = point.count("size"), .error = point.number("error")});
  summary.reconstruction_error = optional_number("reconstruction_error");
  summary.solver_residual = optional_number("solver_residual");
  if (reader.has("certified_ratio")) summary.certified_ratio = reader.numbers("certified_ratio");
  if (!reader.has("bounds")) return;
  for (const auto& [name, bound] : reader.object("bounds").all_objects())
    summary.bounds.push_back(
        {.name = name, .value = bound.number("value"), .rigorous = bound.flag("rigorous")});
}

void read_cost(const ObjectReader& reader, Summary& summary) {
  const auto optional_count = [&](const char* key) {
    return reader.has(key) ? reader.count(key) : 0;
  };
  summary.kernel_evaluations = reader.count("kernel_evaluations");
  if (reader.has("distance_evaluations"))
    summary.distance_evaluations = reader.count("distance_evaluations");
  if (reader.has("seconds")) summary.seconds = reader.number("seconds");
  for (const ObjectReader& phase : reader.objects("phases"))
    summary.phases.push_back({.name = phase.text("name"), .seconds = phase.number("seconds")});
  summary.peak_memory_bytes = optional_count("peak_memory_bytes");
  summary.memory_limit_bytes = optional_count("memory_limit_bytes");
  summary.threads = optional_count("threads");
}

ComponentError read_error(const ObjectReader& reader) {
  return {.expected = reader.number("expected"),
          .within_95 = reader.number("within_95"),
          .measured = reader.number("measured")};
}

Compression read_compression(const ObjectReader& reader) {
  Compression compression{.by = reader.text("by"),
                          .library_size_before = reader.count("library_size_before"),
                          .all = read_error(reader.object("error")),
                          .components = {}};
  for (const ObjectReader& error : reader.objects("components"))
    compression.components.push_back(read_error(error));
  return compression;
}

void read_circumstances(const ObjectReader& reader, Summary& summary) {
  const ObjectReader termination = reader.object("termination");
  summary.termination = {.reason = parse_reason(termination.text("reason")),
                         .message = termination.text("message")};
  summary.warnings = reader.texts("warnings");
  for (const ObjectReader& choice : reader.objects("choices"))
    summary.choices.push_back(
        {.what = choice.text("what"), .value = choice.text("value"), .why = choice.text("why")});
  if (reader.has("simd")) summary.simd = reader.text("simd");
  if (reader.has("blas")) summary.blas = reader.text("blas");
  summary.seed = reader.count("seed");
  if (reader.has("features")) summary.features = reader.count("features");
  if (reader.has("compression"))
    summary.compression = read_compression(reader.object("compression"));
}

}  // namespace

std::string to_string(TerminationReason reason) {
  switch (reason) {
    case TerminationReason::converged:
      return "converged";
    case TerminationReason::fewer_components:
      return "fewer_components";
    case TerminationReason::not_converged:
      return "not_converged";
    case TerminationReason::tolerance_missed:
      return "tolerance_missed";
  }
  return {};
}

std::string Summary::json() const {
  Json json = Json::object();
  json["schema_version"] = kSchemaVersion;
  json["method"] = method;
  json["kernel"] = kernel_json(*this);
  json["n"] = n;
  json["d"] = d;
  put(json, "total_weight", total_weight);
  json["components"] = components;
  json["library_size"] = library_size;
  json["centered"] = centered;
  put_quality(json, *this);
  put_cost(json, *this);
  put_circumstances(json, *this);
  return pretty(json);
}

Summary Summary::from_json(const std::string& text) {
  const Json json = model::parse_strict_json(text, kWhat);
  const ObjectReader reader(json, kWhat);
  if (const std::uint64_t version = reader.count("schema_version"); version != kSchemaVersion)
    throw FileError(fmt::format("{}: schema version {}, but this library reads version {}", kWhat,
                                version, kSchemaVersion));
  Summary summary;
  read_identity(reader, summary);
  read_quality(reader, summary);
  read_cost(reader, summary);
  read_circumstances(reader, summary);
  return summary;
}

}  // namespace mercer
