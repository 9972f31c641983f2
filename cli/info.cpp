#include <filesystem>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/block_model.h>
#include <mercer/cover.h>
#include <mercer/error.h>
#include <mercer/files.h>
#include <mercer/incremental.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>
#include <mercer/sparse_distance.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"

namespace mercer::cli {
namespace {

struct InfoFlags {
  std::string file;
  std::string json;
};

std::string column_text(const ColumnRules& rules, std::size_t column) {
  return rules.names.empty() ? std::to_string(column + 1)
                             : fmt::format("{} ({})", column + 1, rules.names[column]);
}

std::string columns_text(const ColumnRules& rules) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const std::size_t column : rules.left_out | std::views::take(kMost))
    names.push_back(column_text(rules, column));
  const std::string more = rules.left_out.size() > kMost
                               ? fmt::format(" and {} more", rules.left_out.size() - kMost)
                               : "";
  return fmt::format("{}{}", fmt::join(names, ", "), more);
}

/// How new tables are read, in the words of the options of `fit`.
std::string input_text(const InputMaps& input, std::size_t point_columns) {
  const ColumnRules& rules = input.columns;
  std::string text = fmt::format("{} numbers per row", input.row_columns(point_columns));
  if (!rules.empty()) text += fmt::format(", from tables with {} columns", rules.table_columns);
  if (!rules.left_out.empty()) text += "; left out: " + columns_text(rules);
  for (const auto& rule : rules.one_hot)
    text += fmt::format("; column {} stands for {} categories", column_text(rules, rule.column),
                        rule.categories.size());
  if (!input.scaling.empty()) text += "; scaled";
  if (!input.projection.empty()) text += fmt::format("; projected on {}", point_columns);
  return text;
}

std::string kernel_text(const Kernel& kernel) {
  std::string text = kernel_name(kernel);
  for (const auto& [name, value] : kernel_parameters(kernel))
    text += fmt::format(", {} = {:.6g}", name, value);
  return text;
}

void print_line(const char* label, const std::string& text) {
  fmt::print("  {:<15}{}\n", label, text);
}

void show(const InfoFlags& flags, const Model& model, const std::string& size) {
  if (!flags.json.empty()) write_or_print(flags.json, model.summary().json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}: a model of {}\n\n{}\n", flags.file, size, model.summary().full());
  print_line("takes",
             input_text(model.input(), model.input().point_columns(model.input_columns())));
  if (model.has_preimage_map())
    print_line("gives back", "points, by a map learned from the library (mercer reconstruct)");
}

void show(const InfoFlags& flags, const SparseDistance& distances, const std::string& size) {
  if (!flags.json.empty()) write_or_print(flags.json, distances.summary().json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}: distances to {} items, {}\n\n{}\n", flags.file, distances.items(), size,
             distances.summary().full());
  if (distances.input_columns() > 0)
    print_line("takes", input_text(distances.input(),
                                   distances.input().point_columns(distances.input_columns())));
}

void require_model_for_json(const InfoFlags& flags) {
  if (flags.json.empty()) return;
  throw UsageError(
      fmt::format("{} holds a part of the data, which has no summary yet; mercer merge makes a "
                  "model of it",
                  flags.file));
}

void show(const InfoFlags& flags, const LandmarkPart& part, const std::string& size) {
  require_model_for_json(flags);
  fmt::print("{}: sums of a part of the data, {}; mercer merge makes a model of them\n\n",
             flags.file, size);
  print_line("rows", std::to_string(part.rows()));
  print_line("weight", fmt::format("{:.15g}", part.total_weight()));
  print_line("landmarks", std::to_string(part.landmarks()));
  print_line("kernel", kernel_text(part.kernel()));
  print_line("takes", input_text(part.input(), part.library().cols()));
}

void show(const InfoFlags& flags, const Cover& cover, const std::string& size) {
  require_model_for_json(flags);
  fmt::print("{}: a cover of a part of the data, {}; mercer merge makes a model of it\n\n",
             flags.file, size);
  print_line("rows", std::to_string(cover.rows()));
  print_line("weight", fmt::format("{:.15g}", cover.total_weight()));
  print_line("centres", std::to_string(cover.centers()));
  print_line("radius", fmt::format("{:.6g}; every row is nearer than {:.6g} to its centre",
                                   cover.radius(), cover.reach()));
  print_line("kernel", kernel_text(cover.kernel()));
  print_line("takes", input_text(cover.input(), cover.set().centers.cols()));
}

void print_block(const BlockModel& block) {
  print_line("rows", std::to_string(block.rows()));
  print_line("weight", fmt::format("{:.15g}", block.total_weight()));
  if (block.library_size() > 0) print_line("library", std::to_string(block.library_size()));
  print_line("components",
             fmt::format("{}{}", block.components(), block.centered() ? "" : ", not centred"));
  print_line("left out", fmt::format("{:.3g} of the squared norm of a row by the libraries, {:.3g} "
                                     "with components and points given up",
                                     block.residual() / block.total_weight(),
                                     (block.lost() + block.lost_mean()) / block.total_weight()));
  print_line("kernel", kernel_text(block.kernel()));
  print_line("takes", input_text(block.input(), block.columns()));
}

void show(const InfoFlags& flags, const BlockModel& block, const std::string& size) {
  require_model_for_json(flags);
  fmt::print("{}: kernel PCA of a part of the data, {}; mercer merge makes a model of it\n\n",
             flags.file, size);
  print_block(block);
}

void show(const InfoFlags& flags, const IncrementalFit& stream, const std::string& size) {
  require_model_for_json(flags);
  fmt::print(
      "{}: the state of a stream, {}; mercer update adds rows, mercer merge makes a model of "
      "it\n\n",
      flags.file, size);
  print_line("blocks", std::to_string(stream.blocks()));
  print_block(stream.block());
  print_line("limits",
             fmt::format("a library of at most {} points", stream.options().library_limit));
}

void run(const InfoFlags& flags) {
  const FileKind kind = file_kind(flags.file);
  const std::string size =
      format_bytes(static_cast<double>(std::filesystem::file_size(flags.file)));
  switch (kind) {
    case FileKind::model:
      return show(flags, Model::load(flags.file), size);
    case FileKind::landmark_part:
      return show(flags, LandmarkPart::load(flags.file), size);
    case FileKind::cover:
      return show(flags, Cover::load(flags.file), size);
    case FileKind::block:
      return show(flags, BlockModel::load(flags.file), size);
    case FileKind::distance:
      return show(flags, SparseDistance::load(flags.file), size);
    case FileKind::stream:
      return show(flags, IncrementalFit::load(flags.file), size);
  }
}

}  // namespace

void add_info(Program& program) {
  auto flags = std::make_shared<InfoFlags>();
  Arguments arguments =
      program.add({.name = "info",
                   .help = "Show what a model is and how it was fitted, or what a part holds",
                   .examples = "  mercer info points.mercer\n"
                               "  mercer info points.mercer --json - | jq .eigenvalues\n"
                               "  mercer info monday.part",
                   .run = [flags] { run(*flags); }});
  arguments.positional("FILE", flags->file,
                       "A model, a part from mercer summarize, or a state of mercer update");
  arguments.option("--json", "FILE", flags->json,
                   "Write the summary of the fit as JSON; - prints it and nothing else");
}

}  // namespace mercer::cli
