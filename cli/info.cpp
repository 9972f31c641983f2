#include <filesystem>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"

namespace mercer::cli {
namespace {

struct InfoFlags {
  std::string model;
  std::string json;
};

std::string column_text(const Model& model, std::size_t column) {
  const ColumnRules& rules = model.input().columns;
  return rules.names.empty() ? std::to_string(column + 1)
                             : fmt::format("{} ({})", column + 1, rules.names[column]);
}

std::string columns_text(const Model& model, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const std::size_t column : columns | std::views::take(kMost))
    names.push_back(column_text(model, column));
  const std::string more =
      columns.size() > kMost ? fmt::format(" and {} more", columns.size() - kMost) : "";
  return fmt::format("{}{}", fmt::join(names, ", "), more);
}

/// How new tables are read, in the words of the options of `fit`.
std::string input_text(const Model& model) {
  const ColumnRules& rules = model.input().columns;
  std::string text = fmt::format("{} numbers per row", model.input_columns());
  if (!rules.empty()) text += fmt::format(", from tables with {} columns", rules.table_columns);
  if (!rules.left_out.empty()) text += "; left out: " + columns_text(model, rules.left_out);
  for (const auto& rule : rules.one_hot)
    text += fmt::format("; column {} stands for {} categories", column_text(model, rule.column),
                        rule.categories.size());
  if (!model.input().scaling.empty()) text += "; scaled";
  return text;
}

void run(const InfoFlags& flags) {
  const Model model = Model::load(flags.model);
  if (!flags.json.empty()) write_or_print(flags.json, model.summary().json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}: a model of {}\n\n{}\n  {:<15}{}\n", flags.model,
             format_bytes(static_cast<double>(std::filesystem::file_size(flags.model))),
             model.summary().full(), "takes", input_text(model));
}

}  // namespace

void add_info(Program& program) {
  auto flags = std::make_shared<InfoFlags>();
  Arguments arguments =
      program.add({.name = "info",
                   .help = "Show what a model is and how it was fitted",
                   .examples = "  mercer info points.mercer\n"
                               "  mercer info points.mercer --json - | jq .eigenvalues",
                   .run = [flags] { run(*flags); }});
  arguments.positional("MODEL", flags->model, "A .mercer file");
  arguments.option("--json", "FILE", flags->json,
                   "Write the summary of the fit as JSON; - prints it and nothing else");
}

}  // namespace mercer::cli
