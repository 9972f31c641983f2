// DistanceSummary as text and JSON; docs/distance.schema.json is the contract.

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "model/strict_json.h"

namespace mercer {
namespace {

using Json = nlohmann::ordered_json;
using model::ObjectReader;

constexpr std::uint64_t kSchemaVersion = 1;
constexpr const char* kMethod = "sparse_distance";

constexpr TerminationReason kReasons[] = {
    TerminationReason::converged, TerminationReason::fewer_components,
    TerminationReason::not_converged, TerminationReason::tolerance_missed};

// JSON has no NaN and no infinity: such a number is left out.
void put(Json& json, const char* key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) json[key] = *value;
}

std::optional<double> maybe(const ObjectReader& reader, const char* key) {
  return reader.has(key) ? std::optional(reader.number(key)) : std::nullopt;
}

TerminationReason reason_of(const std::string& name) {
  for (const TerminationReason reason : kReasons) {
    if (to_string(reason) == name) return reason;
  }
  throw FileError(fmt::format("summary: unknown termination '{}'", name));
}

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

}  // namespace

std::string DistanceSummary::json() const {
  Json parameters = Json::object();
  for (const auto& [name, value] : metric_parameters) parameters[name] = value;
  Json json{{"schema_version", kSchemaVersion},
            {"method", kMethod},
            {"metric", {{"name", metric}, {"parameters", std::move(parameters)}}},
            {"n", n},
            {"d", d},
            {"landmarks", landmarks.size()},
            {"landmark_items", landmarks},
            {"map", map},
            {"origin", origin},
            {"selection", selection},
            {"sample", sample},
            {"rank", rank}};
  if (!gains.empty()) json["gains"] = gains;
  put(json, "residual_trace_fraction", residual_trace_fraction);
  put(json, "relative_error", relative_error);
  put(json, "coefficient_error", coefficient_error);
  json["hilbertian"] = hilbertian;
  put(json, "negative_share", negative_share);
  if (checked_items > 0) json["checked_items"] = checked_items;
  json["distance_evaluations"] = {{"offline", distance_evaluations.offline},
                                  {"online", distance_evaluations.online}};
  json["seconds"] = seconds;
  json["phases"] = Json::array();
  for (const Phase& phase : phases) {
    json["phases"].push_back({{"name", phase.name}, {"seconds", phase.seconds}});
  }
  json["peak_memory_bytes"] = peak_memory_bytes;
  json["termination"] = {{"reason", to_string(termination.reason)},
                         {"message", termination.message}};
  json["warnings"] = warnings;
  json["choices"] = Json::array();
  for (const Choice& choice : choices) {
    json["choices"].push_back(
        {{"what", choice.what}, {"value", choice.value}, {"why", choice.why}});
  }
  json["threads"] = threads;
  json["simd"] = simd;
  json["seed"] = seed;
  return json.dump(2);
}

DistanceSummary DistanceSummary::from_json(const std::string& text) {
  const Json json = model::parse_strict_json(text, "summary");
  const ObjectReader reader(json, "summary");
  if (reader.count("schema_version") != kSchemaVersion || reader.text("method") != kMethod) {
    throw FileError("summary: not one of sparse distances that this version of mercer knows");
  }
  DistanceSummary s;
  s.metric = reader.object("metric").text("name");
  s.metric_parameters = reader.object("metric").object("parameters").all_numbers();
  s.n = reader.count("n");
  s.d = reader.count("d");
  s.landmarks = reader.counts("landmark_items");
  s.map = reader.text("map");
  s.origin = reader.text("origin");
  s.selection = reader.text("selection");
  s.sample = reader.count("sample");
  s.rank = reader.count("rank");
  if (reader.has("gains")) s.gains = reader.numbers("gains");
  s.residual_trace_fraction = maybe(reader, "residual_trace_fraction");
  s.relative_error = maybe(reader, "relative_error");
  s.coefficient_error = maybe(reader, "coefficient_error");
  s.hilbertian = reader.flag("hilbertian");
  s.negative_share = maybe(reader, "negative_share");
  if (reader.has("checked_items")) s.checked_items = reader.count("checked_items");
  s.distance_evaluations = {.offline = reader.object("distance_evaluations").count("offline"),
                            .online = reader.object("distance_evaluations").count("online")};
  s.seconds = reader.number("seconds");
  for (const ObjectReader& phase : reader.objects("phases")) {
    s.phases.push_back({phase.text("name"), phase.number("seconds")});
  }
  s.peak_memory_bytes = reader.count("peak_memory_bytes");
  s.termination = {reason_of(reader.object("termination").text("reason")),
                   reader.object("termination").text("message")};
  s.warnings = reader.texts("warnings");
  for (const ObjectReader& choice : reader.objects("choices")) {
    s.choices.push_back({choice.text("what"), choice.text("value"), choice.text("why")});
  }
  s.threads = reader.count("threads");
  s.simd = reader.text("simd");
  s.seed = reader.count("seed");
  return s;
}

std::string DistanceQuerySummary::json() const {
  Json json{{"schema_version", kSchemaVersion}, {"method", kMethod}, {"metric", metric}, {"n", n},
            {"landmarks", landmarks},           {"queries", queries}};
  if (neighbors > 0) {
    json["neighbors"] = neighbors;
    json["search"] = rerank ? "rerank" : "exact";
    if (rerank) json["rerank"] = *rerank;
  } else {
    json["negatives"] = negatives;
  }
  json["distance_evaluations"] = {{"offline", distance_evaluations.offline},
                                  {"online", distance_evaluations.online}};
  // Of what comparing all would take.
  const double all = static_cast<double>(queries) * static_cast<double>(n);
  put(json, "evaluation_share", static_cast<double>(distance_evaluations.online) / all);
  json["seconds"] = seconds;
  return json.dump(2);
}

std::string DistanceSummary::brief() const {
  std::string text = fmt::format("{} distances to {} items from {} landmarks ({}, {})", metric, n,
                                 landmarks.size(), map, selection);
  if (relative_error) {
    text += fmt::format(", relative error of squares {}", percent(*relative_error));
  }
  return text + fmt::format(", {:.2f} s", seconds);
}

std::string DistanceSummary::full() const {
  std::string text = brief() + "\n";
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<22}{}\n", name, value);
  };
  line("origin", origin);
  line("fitted to", fmt::format("{} of {} items", sample, n));
  if (rank < landmarks.size()) line("independent landmarks", fmt::format("{}", rank));
  if (residual_trace_fraction) line("left unexplained", percent(*residual_trace_fraction));
  if (coefficient_error) line("coefficient error", fmt::format("{:.4g}", *coefficient_error));
  line("bounds", hilbertian ? "yes: the distance is Hilbertian" : "no: not known to be Hilbertian");
  if (negative_share) {
    line("negative share",
         fmt::format("{} over {} items", percent(*negative_share), checked_items));
  }
  line("distances measured",
       fmt::format("{} to fit, {} for each query", distance_evaluations.offline,
                   distance_evaluations.online));
  for (const Choice& choice : choices) {
    line(choice.what.c_str(), fmt::format("{}: {}", choice.value, choice.why));
  }
  if (!termination.message.empty()) line("ended", termination.message);
  for (const std::string& warning : warnings) line("warning", warning);
  return text;
}

}  // namespace mercer
