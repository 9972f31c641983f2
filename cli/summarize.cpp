#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"

namespace mercer::cli {
namespace {

struct SummarizeFlags {
  std::string data;
  std::string output;
  std::string method = "landmarks";
  std::string landmarks_from;
  std::optional<std::string> weight_column;
  RunFlags run;
};

LandmarkPart empty_part(const std::string& path, const Model& model) {
  try {
    return LandmarkPart(model);
  } catch (const InvalidArgument& e) {
    throw UsageError(fmt::format("{}: {}", path, e.what()));
  }
}

/// The rules of a model say which columns to leave out, but not which of them were weights.
void require_weights(const SummarizeFlags& flags, const Summary& fit) {
  if (flags.weight_column || fit.total_weight == static_cast<double>(fit.n)) return;
  throw UsageError(
      fmt::format("the rows of {} had weights; name the column with --sample-weight-column, or "
                  "say none",
                  flags.landmarks_from));
}

void run(const SummarizeFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  require_other_file(flags.output, {flags.data, flags.landmarks_from});
  require_writable(flags.output);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const Model model = Model::load(flags.landmarks_from);
  LandmarkPart part = empty_part(flags.landmarks_from, model);
  require_weights(flags, model.summary());

  TableOptions options;
  options.rules = model.input().columns;
  options.weight = ColumnName::parse(flags.weight_column.value_or("none"));
  options.memory_limit_bytes = run_options.memory_limit_bytes;
  options.cancelled = interrupted;
  const auto rows = open_rows(flags.data, options);
  if (rows->cols() != model.input_columns())
    throw DataError(fmt::format("{} has {} columns, but the landmarks have {}", flags.data,
                                rows->cols(), model.input_columns()));
  part.add(*rows, run_options);
  bar.clear();
  throw_if_interrupted();
  part.save(flags.output);
  if (flags.run.quiet) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} rows, weight {:.15g}, {} landmarks in {}\n", flags.output, part.rows(),
             part.total_weight(), part.landmarks(), format_seconds(seconds.count()));
}

}  // namespace

void add_summarize(Program& program) {
  auto flags = std::make_shared<SummarizeFlags>();
  Arguments arguments = program.add(
      {.name = "summarize",
       .help = "Sum up a part of the data, to be merged with other parts",
       .examples =
           "  mercer fit sample.npy -o sample.mercer --landmarks 500\n"
           "  mercer summarize monday.npy --landmarks-from sample.mercer -o monday.part\n"
           "  mercer summarize tuesday.npy --landmarks-from sample.mercer -o tuesday.part\n"
           "  mercer merge monday.part tuesday.part -o both.mercer\n\n"
           "Parts may be summed up at different times and on different machines. All have to use\n"
           "the same model: its landmarks, its kernel, its columns and their scaling.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The part: csv, npy, libsvm, idx, images; also .gz");
  arguments
      .option("--landmarks-from", "FILE", flags->landmarks_from,
              "A model from mercer fit --method landmarks, the same for all parts")
      .required();
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the sums").required();
  arguments.option("--method", "NAME", flags->method, "landmarks (default)").one_of({"landmarks"});
  arguments.option("--sample-weight-column", "COLUMN", flags->weight_column,
                   "Positive weights of the rows: one of the columns that the model leaves out");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
