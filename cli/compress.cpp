#include <memory>
#include <string>

#include <fmt/format.h>

#include <mercer/compress.h>
#include <mercer/error.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"

namespace mercer::cli {
namespace {

constexpr const char* kRounding = "rounding";
constexpr const char* kProjection = "projection";

struct CompressFlags {
  std::string model;
  std::string output;
  std::string json;
  std::string by = kRounding;
  double error = 0;
  bool per_component = false;
  RunFlags run;
};

void require_good_outputs(const CompressFlags& flags) {
  require_other_file(flags.output, {flags.model});
  require_writable(flags.output);
  if (flags.json.empty() || is_standard_output(flags.json)) return;
  require_other_file(flags.json, {flags.model, flags.output});
  require_writable(flags.json);
}

void run(const CompressFlags& flags) {
  if (flags.per_component && flags.by != kRounding)
    throw UsageError("--per-component is an option of --by rounding");
  CompressOptions options;
  options.by = flags.by == kRounding ? CompressBy::rounding : CompressBy::projection;
  options.error = flags.error;
  options.per_component = flags.per_component;
  options.validate();
  require_good_outputs(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const Fit small = compress(Model::load(flags.model), options, run_options);
  bar.clear();
  throw_if_interrupted();
  small.model.save(flags.output);
  if (!flags.json.empty()) write_or_print(flags.json, small.summary.json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}\n", flags.run.quiet ? small.summary.brief() : small.summary.full());
}

}  // namespace

void add_compress(Program& program) {
  auto flags = std::make_shared<CompressFlags>();
  Arguments arguments = program.add(
      {.name = "compress",
       .help = "Make a model cheaper to apply: fewer points in its library",
       .examples =
           "  mercer compress big.mercer -o small.mercer --error 0.05 --by projection\n"
           "  mercer compress big.mercer -o small.mercer --error 0.2 --seed 7\n\n"
           "A new point costs a kernel value for every point of the library. Projection keeps the\n"
           "points that represent the components best and fits the coefficients anew; it needs "
           "far\n"
           "fewer of them than rounding, which takes any kernel and is right in expectation.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("MODEL", flags->model, "A .mercer file, from mercer fit");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the smaller model")
      .required();
  arguments
      .option("--error", "E", flags->error,
              "Root mean square error of the scores over the library, as a fraction of their root "
              "mean square: expected for rounding, reached by projection")
      .required();
  arguments
      .option("--by", "HOW", flags->by,
              "rounding (default: coefficients to zero or up at random) or projection (few points, "
              "coefficients fitted anew)")
      .one_of({kRounding, kProjection});
  arguments.flag(
      "--per-component", flags->per_component,
      "Rounding: a draw for every coefficient instead of every point; keeps more points");
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
