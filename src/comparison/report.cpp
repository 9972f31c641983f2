// A comparison as text, CSV and JSON.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mercer/compare.h>

#include "system/memory.h"

namespace mercer {

namespace {

using Json = nlohmann::ordered_json;

std::string number(double value) {
  return fmt::format("{:.3g}", value);
}

std::string times(const Spread& spread) {
  return fmt::format("{:.{}f}x", spread.mean, spread.mean >= 10 ? 0 : 1);
}

std::string with_deviation(const std::optional<Spread>& spread, double factor, int digits) {
  if (!spread) return "-";
  return fmt::format("{:.{}f} ± {:.{}f}", factor * spread->mean, digits, factor * spread->deviation,
                     digits);
}

/// Columns as wide as their widest cell; all but the first to the right.
std::string layout(const std::vector<std::vector<std::string>>& rows) {
  const auto width_of = [](const std::string& text) {  // a sign of two bytes takes one column
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      widths[j] = std::max(widths[j], width_of(row[j]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::string space(widths[j] - width_of(row[j]), ' ');
      line += j == 0 ? row[j] + space : "  " + space + row[j];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string kernel_text(const Kernel& kernel) {
  std::string text = kernel_name(kernel);
  for (const auto& [name, value] : kernel_parameters(kernel)) {
    text += fmt::format(", {} = {:.6g}", name, value);
  }
  return text;
}

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean}, {"deviation", spread.deviation}};
}

void put(Json& object, const char* name, const std::optional<Spread>& spread) {
  if (spread) object[name] = spread_json(*spread);
}

void put(Json& object, const char* name, const std::optional<double>& value) {
  if (value) object[name] = *value;
}

Json contender_json(const Comparison& comparison, std::size_t number) {
  const Contender& contender = comparison.contenders[number];
  Json object{{"label", comparison.label(number)}, {"method", contender.method}};
  if (!contender.parameter.empty()) {
    object["parameter"] = contender.parameter;
    object["value"] = contender.value;
  }
  return object;
}

Json summary_json(const Comparison& comparison, const ContenderSummary& summary) {
  Json object = contender_json(comparison, summary.contender);
  object["splits"] = summary.splits;
  if (!summary.failure.empty()) object["failure"] = summary.failure;
  if (summary.splits == 0) return object;
  put(object, "fit_seconds", std::optional(summary.fit_seconds));
  put(object, "transform_seconds", std::optional(summary.transform_seconds));
  put(object, "fit_speedup", std::optional(summary.fit_speedup));
  put(object, "transform_speedup", std::optional(summary.transform_speedup));
  put(object, "library_size", std::optional(summary.library_size));
  put(object, "retained", std::optional(summary.retained));
  put(object, "embedding_error", std::optional(summary.embedding_error));
  put(object, "eigenvalue_error", summary.eigenvalue_error);
  put(object, "residual_trace_fraction", summary.residual_trace_fraction);
  put(object, "accuracy", summary.accuracy);
  put(object, "memory_bytes", summary.memory_bytes);
  return object;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_cell(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::string Comparison::text() const {
  std::vector<std::vector<std::string>> table{{"", "fit, s", "speed-up", "transform, s", "speed-up",
                                               "library", "kept", "embedding error",
                                               "eigenvalue error", "trace left", "memory"}};
  if (labelled) table.front().push_back(fmt::format("{}-nn, %", neighbors));
  std::string failures;
  for (const ContenderSummary& one : summaries()) {
    const std::string name = label(one.contender);
    if (!one.failure.empty()) {
      failures += fmt::format("{} failed on {} of {} splits: {}\n", name, splits - one.splits,
                              splits, one.failure);
    }
    if (one.splits == 0) continue;
    table.push_back(
        {name + (one.contender == baseline ? " (baseline)" : ""), number(one.fit_seconds.mean),
         times(one.fit_speedup), number(one.transform_seconds.mean), times(one.transform_speedup),
         fmt::format("{:.0f}", one.library_size.mean),
         fmt::format("{:.1f} %", 100 * one.retained.mean), number(one.embedding_error.mean),
         one.eigenvalue_error ? number(one.eigenvalue_error->mean) : "-",
         one.residual_trace_fraction ? number(one.residual_trace_fraction->mean) : "-",
         one.memory_bytes ? system::format_bytes(one.memory_bytes->mean) : "-"});
    if (labelled) table.back().push_back(with_deviation(one.accuracy, 100, 2));
  }
  return fmt::format("{} x {}, {}; means over {} {}\n\n{}{}{}", rows, columns, kernel_text(kernel),
                     splits, splits == 1 ? "split" : "splits", layout(table),
                     failures.empty() ? "" : "\n", failures);
}

std::string Comparison::csv() const {
  std::string text =
      "method,parameter,value,split,fit_seconds,transform_seconds,fit_speedup,transform_speedup,"
      "library_size,retained,embedding_error,eigenvalue_error,residual_trace_fraction,accuracy,"
      "memory_bytes,failure\n";
  for (const Measurement& one : measurements) {
    const Contender& contender = contenders[one.contender];
    text += fmt::format("{},{},{},{},", csv_cell(contender.method), csv_cell(contender.parameter),
                        contender.parameter.empty() ? "" : fmt::format("{}", contender.value),
                        one.split);
    if (!one.failure.empty()) {
      text += ",,,,,,,,,,," + csv_cell(one.failure) + "\n";
      continue;
    }
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},\n", one.fit_seconds,
                        one.transform_seconds, one.fit_speedup, one.transform_speedup,
                        one.library_size, one.retained, one.embedding_error,
                        csv_cell(one.eigenvalue_error), csv_cell(one.residual_trace_fraction),
                        csv_cell(one.accuracy), csv_cell(one.memory_bytes));
  }
  text.pop_back();
  return text;
}

std::string Comparison::json() const {
  Json parameters = Json::object();
  for (const auto& [name, value] : kernel_parameters(kernel)) parameters[name] = value;
  Json object{{"schema_version", 1},
              {"n", rows},
              {"d", columns},
              {"kernel", {{"name", kernel_name(kernel)}, {"parameters", parameters}}},
              {"splits", splits},
              {"neighbors", neighbors},
              {"labelled", labelled},
              {"baseline", label(baseline)}};
  object["contenders"] = Json::array();
  for (const ContenderSummary& one : summaries()) {
    object["contenders"].push_back(summary_json(*this, one));
  }
  object["measurements"] = Json::array();
  for (const Measurement& one : measurements) {
    Json row = contender_json(*this, one.contender);
    row["split"] = one.split;
    if (!one.failure.empty()) {
      row["failure"] = one.failure;
    } else {
      row["fit_seconds"] = one.fit_seconds;
      row["transform_seconds"] = one.transform_seconds;
      row["fit_speedup"] = one.fit_speedup;
      row["transform_speedup"] = one.transform_speedup;
      row["library_size"] = one.library_size;
      row["retained"] = one.retained;
      row["embedding_error"] = one.embedding_error;
      put(row, "eigenvalue_error", one.eigenvalue_error);
      put(row, "residual_trace_fraction", one.residual_trace_fraction);
      put(row, "accuracy", one.accuracy);
      put(row, "memory_bytes", one.memory_bytes);
    }
    object["measurements"].push_back(std::move(row));
  }
  return object.dump(2);
}

std::string Comparison::pictures_json(std::span<const std::size_t> labels,
                                      const std::vector<std::string>& names) const {
  Json object{{"shown", picture_rows.size()},
              {"of", picture_rows_of},
              {"classes", labels.empty() ? std::vector<std::string>{} : names}};
  object["labels"] = Json::array();
  if (!labels.empty()) {
    for (const std::size_t row : picture_rows) object["labels"].push_back(labels[row]);
  }
  object["points"] = Json::array();
  for (const Matrix<double>& picture : pictures) {
    Json points = Json::array();
    for (std::size_t i = 0; i < picture.rows(); ++i) {
      // Four digits are more than a screen shows.
      const auto rounded = [&](std::size_t j) {
        return Json::parse(fmt::format("{:.4g}", picture(i, j)));
      };
      points.push_back({rounded(0), rounded(1)});
    }
    object["points"].push_back(std::move(points));
  }
  return object.dump();
}

}  // namespace mercer
