#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/cover.h>
#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/files.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>

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
  ComponentFlags components;
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
  require_other_file(flags.output, seen);
  require_writable(flags.output);
  if (flags.json.empty() || is_standard_output(flags.json)) return;
  seen.emplace_back(flags.output);
  require_other_file(flags.json, seen);
  require_writable(flags.json);
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

Fit merge_landmark_parts(const MergeFlags& flags, const RunOptions& run) {
  if (!flags.second_pass.empty())
    throw UsageError("--second-pass is for covers; sums over landmarks are exact already");
  LandmarkOptions options;
  flags.components.apply(options);
  options.validate();
  return merged<LandmarkPart>(flags.parts).finish(options, run);
}

Fit merge_covers(const MergeFlags& flags, const RunOptions& run) {
  ReducedSetOptions options;
  flags.components.apply(options);
  options.validate();
  Cover cover = merged<Cover>(flags.parts, run);
  if (!flags.second_pass.empty()) {
    cover = cover.emptied();
    for (const std::string& path : flags.second_pass) {
      TableOptions table;
      table.rules = cover.input().columns;
      table.memory_limit_bytes = run.memory_limit_bytes;
      table.cancelled = interrupted;
      cover.add(*open_rows(path, table), run);
    }
  }
  return cover.finish(options, run);
}

void run(const MergeFlags& flags) {
  require_good_files(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const FileKind kind = file_kind(flags.parts.front());
  if (kind == FileKind::model)
    throw UsageError(
        fmt::format("{} is a model; merge takes parts from mercer summarize", flags.parts.front()));
  const Fit fit = kind == FileKind::cover ? merge_covers(flags, run_options)
                                          : merge_landmark_parts(flags, run_options);
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
           "The parts come from mercer summarize, all with the same landmarks or the same\n"
           "radius. The model of landmarks is the one that a fit of all rows gives. Rows of\n"
           "merged covers may be twice the radius from their centre; a second pass over the\n"
           "rows makes it once.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positionals("PART", flags->parts, "Files from mercer summarize");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  arguments.repeated_option("--second-pass", "FILE", flags->second_pass,
                            "Covers: assign the rows of this table anew; once for every part");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  arguments.group("What to compute");
  flags->components.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
