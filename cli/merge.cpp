#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/block_model.h>
#include <mercer/cover.h>
#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/files.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>

#include "cli/block_flags.h"
#include "cli/commands.h"
#include "cli/component_flags.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"

namespace mercer::cli {
namespace {

struct MergeFlags {
  std::vector<std::string> parts;
  std::string output;
  std::string json;
  std::vector<std::string> second_pass;
  std::string weight_column = "none";
  ComponentFlags components;
  DeflationFlags deflation;
  RunFlags run;
};

void require_good_files(const MergeFlags& flags) {
  std::vector<std::filesystem::path> seen;
  for (const std::string& part : flags.parts) {
    for (const auto& other : seen) {
      std::error_code ignored;
      if (other == part || std::filesystem::equivalent(other, part, ignored))
        throw UsageError(fmt::format("'{}' is given twice; its rows would count twice", part));
    }
    seen.emplace_back(part);
  }
  for (const std::string& table : flags.second_pass) {
    if (std::ranges::count(flags.second_pass, table) > 1)
      throw UsageError(fmt::format("--second-pass '{}' is given twice", table));
    seen.emplace_back(table);
  }
  require_other_file(flags.output, seen);
  require_writable(flags.output);
  if (flags.json.empty() || is_standard_output(flags.json)) return;
  seen.emplace_back(flags.output);
  require_other_file(flags.json, seen);
  require_writable(flags.json);
}

/// A stream merges like any other block.
FileKind part_kind(const std::string& part) {
  const FileKind kind = file_kind(part);
  return kind == FileKind::stream ? FileKind::block : kind;
}

FileKind common_kind(const std::vector<std::string>& parts) {
  const auto name = [](FileKind kind) {
    return kind == FileKind::cover   ? "a cover"
           : kind == FileKind::block ? "kernel PCA of a block"
                                     : "sums over landmarks";
  };
  const FileKind first = part_kind(parts.front());
  for (const std::string& part : parts) {
    const FileKind kind = part_kind(part);
    if (kind == FileKind::model)
      throw UsageError(fmt::format("{} is a model; merge takes parts from mercer summarize", part));
    if (kind == FileKind::distance)
      throw UsageError(
          fmt::format("{} holds distances; merge takes parts from mercer summarize", part));
    if (kind != first)
      throw UsageError(fmt::format("{} holds {}, but {} {}; merge parts of one kind", part,
                                   name(kind), parts.front(), name(first)));
  }
  return first;
}

/// All parts of one kind, the later ones merged into the first.
template <class Part, class... Run>
Part merged(const std::vector<std::string>& paths, const Run&... run) {
  Part all = Part::load(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    throw_if_interrupted();
    const Part part = Part::load(paths[i]);
    try {
      all.merge(part, run...);
    } catch (const InvalidArgument& e) {
      throw UsageError(
          fmt::format("{} does not go with {}: {}", paths[i], paths.front(), e.what()));
    }
  }
  return all;
}

void refuse_deflation(const MergeFlags& flags) {
  const auto given = flags.deflation.given();
  if (!given.empty())
    throw UsageError(
        fmt::format("{} is for parts from mercer summarize --method partitioned", given.front()));
}

Fit merge_landmark_parts(const MergeFlags& flags, const RunOptions& run) {
  refuse_deflation(flags);
  if (!flags.second_pass.empty())
    throw UsageError("--second-pass is for covers; sums over landmarks are exact already");
  LandmarkOptions options;
  flags.components.apply(options);
  options.validate();
  return merged<LandmarkPart>(flags.parts).finish(options, run);
}

/// The rows of all parts once more, which must be as many and as heavy as the parts say.
Cover covered_again(const Cover& merged, const MergeFlags& flags, const RunOptions& run) {
  Cover cover = merged.emptied();
  for (const std::string& path : flags.second_pass) {
    TableOptions table;
    table.rules = cover.input().columns;
    table.weight = ColumnName::parse(flags.weight_column);
    table.memory_limit_bytes = run.memory_limit_bytes;
    table.cancelled = interrupted;
    cover.add(*open_rows(path, table), run);
  }
  if (cover.rows() != merged.rows())
    throw UsageError(fmt::format(
        "the parts hold {} rows, the tables of --second-pass {}: give the table of every part once",
        merged.rows(), cover.rows()));
  if (std::abs(cover.total_weight() - merged.total_weight()) > 1e-9 * merged.total_weight())
    throw UsageError(fmt::format(
        "the rows of the parts weigh {:.9g}, those of --second-pass {:.9g}: name the column of the "
        "weights with --sample-weight-column",
        merged.total_weight(), cover.total_weight()));
  return cover;
}

Fit merge_covers(const MergeFlags& flags, const RunOptions& run) {
  refuse_deflation(flags);
  ReducedSetOptions options;
  flags.components.apply(options);
  options.validate();
  const Cover cover = merged<Cover>(flags.parts, run);
  return (flags.second_pass.empty() ? cover : covered_again(cover, flags, run))
      .finish(options, run);
}

/// All at once, along a tree: deflating after every part would lose more.
Fit merge_blocks(const MergeFlags& flags, const RunOptions& run) {
  if (!flags.second_pass.empty())
    throw UsageError("--second-pass is for covers; blocks are merged without their rows");
  if (flags.components.no_center)
    throw UsageError("--no-center comes too late: blocks are centred, or not, when summarized");
  const MergeOptions options = flags.deflation.options();
  const BlockFitOptions finish = block_fit_options(flags.components);
  std::vector<BlockModel> blocks;
  for (const std::string& part : flags.parts) {
    throw_if_interrupted();
    blocks.push_back(BlockModel::load(part));
    try {
      require_mergeable(blocks.front(), blocks.back());
    } catch (const InvalidArgument& e) {
      throw UsageError(
          fmt::format("{} does not go with {}: {}", part, flags.parts.front(), e.what()));
    }
  }
  return mercer::merge(blocks, options, run).finish(finish, run);
}

Fit merge_parts(const MergeFlags& flags, const RunOptions& run) {
  switch (common_kind(flags.parts)) {
    case FileKind::cover:
      return merge_covers(flags, run);
    case FileKind::block:
    case FileKind::stream:
      return merge_blocks(flags, run);
    case FileKind::model:
    case FileKind::distance:
    case FileKind::landmark_part:
      break;
  }
  return merge_landmark_parts(flags, run);
}

void run(const MergeFlags& flags) {
  require_good_files(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const Fit fit = merge_parts(flags, run_options);
  bar.clear();
  throw_if_interrupted();
  fit.model.save(flags.output);
  if (!flags.json.empty()) write_or_print(flags.json, fit.summary.json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}\n", flags.run.quiet ? fit.summary.brief() : fit.summary.full());
}

}  // namespace

void add_merge(Program& program) {
  auto flags = std::make_shared<MergeFlags>();
  Arguments arguments = program.add(
      {.name = "merge",
       .help = "Make a model of the sums of parts of the data",
       .examples =
           "  mercer merge monday.part tuesday.part -o both.mercer\n"
           "  mercer merge *.part -o all.mercer --retain 0.95 --json summary.json\n\n"
           "  mercer merge *.part -o all.mercer --second-pass a.npy --second-pass b.npy\n\n"
           "  mercer merge a.block b.block -o all.mercer --deflate 0.9999 --max-components 600\n\n"
           "The parts come from mercer summarize, all with the same landmarks, the same radius or\n"
           "the same kernel. The model of landmarks is the one that a fit of all rows gives. Rows\n"
           "of merged covers may be twice the radius from their centre; a second pass over the\n"
           "rows makes it once. Blocks (partitioned) and states of mercer update merge exactly,\n"
           "but for what deflation gives up.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positionals("PART", flags->parts, "Files from mercer summarize");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  arguments.repeated_option("--second-pass", "FILE", flags->second_pass,
                            "Covers: assign the rows of this table anew; once for every part");
  arguments.option("--sample-weight-column", "COLUMN", flags->weight_column,
                   "Weights in the tables of --second-pass: one of the columns that the parts left "
                   "out");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  arguments.group("What to compute");
  flags->components.add(arguments);
  arguments.group("Blocks (partitioned)");
  flags->deflation.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
