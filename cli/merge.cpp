#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>
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

LandmarkPart merged(const std::vector<std::string>& paths) {
  LandmarkPart all = LandmarkPart::load(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    throw_if_interrupted();
    const LandmarkPart part = LandmarkPart::load(paths[i]);
    try {
      all.merge(part);
    } catch (const InvalidArgument& e) {
      throw UsageError(
          fmt::format("{} does not go with {}: {}", paths[i], paths.front(), e.what()));
    }
  }
  return all;
}

void run(const MergeFlags& flags) {
  LandmarkOptions options;
  flags.components.apply(options);
  options.validate();
  require_good_files(flags);
  ProgressBar bar(!flags.run.quiet);
  const Fit fit = merged(flags.parts).finish(options, flags.run.options(bar));
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
       .examples = "  mercer merge monday.part tuesday.part -o both.mercer\n"
                   "  mercer merge *.part -o all.mercer --retain 0.95 --json summary.json\n\n"
                   "The parts come from mercer summarize, all with the same landmarks. The model "
                   "is the\none that a fit of all rows with these landmarks gives.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positionals("PART", flags->parts, "Files from mercer summarize");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  arguments.group("What to compute");
  flags->components.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
