#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/compare.h>
#include <mercer/data.h>

#include "cli/commands.h"
#include "cli/comparison_page.h"
#include "cli/contenders.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/table_flags.h"
#include "cli/training_data.h"

namespace mercer::cli {
namespace {

struct CompareFlags {
  std::string data;
  std::string output;
  std::string csv;
  std::string json;
  ContenderFlags contenders;
  std::optional<std::size_t> repeats;
  std::optional<double> test_fraction;
  std::optional<std::size_t> folds;
  std::optional<std::size_t> neighbors;
  KernelFlags kernel;
  TableFlags table;
  RunFlags run;

  CompareOptions options() const {
    if (folds && test_fraction)
      throw UsageError("--folds and --test-fraction are two ways to split: choose one");
    CompareOptions options;
    options.repeats = repeats.value_or(folds ? 1 : options.repeats);
    options.test_fraction = test_fraction.value_or(options.test_fraction);
    options.folds = folds.value_or(0);
    options.neighbors = neighbors.value_or(options.neighbors);
    options.validate();
    return options;
  }
};

void require_good_outputs(const CompareFlags& flags) {
  std::vector<std::filesystem::path> others{flags.data};
  for (const std::string& path : {flags.output, flags.csv, flags.json}) {
    if (path.empty() || is_standard_output(path)) continue;
    require_other_file(path, others);
    require_writable(path);
    others.emplace_back(path);
  }
}

void run(const CompareFlags& flags) {
  CompareOptions options = flags.options();
  const Kernel kernel = flags.kernel.kernel();
  flags.contenders.contenders(std::size_t(-1));  // mistakes come out before the table is read
  require_good_outputs(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const bool labelled = flags.table.label_column != "none" || !flags.table.labels_file.empty();
  const TrainingData data(flags.data, flags.table,
                          {.in_memory = true, .want_labels = labelled, .run = run_options});
  if (!data.weights().empty())
    throw UsageError("comparisons have no weights; leave out --sample-weight-column");
  data.check_labels(data.points().rows());
  const auto contenders = flags.contenders.contenders(data.points().rows() / 2);
  options.baseline = flags.contenders.baseline_among(contenders);
  const Comparison comparison =
      compare(data.points(), data.labels().code, kernel, contenders, options, run_options);
  bar.clear();
  throw_if_interrupted();
  if (!flags.output.empty()) {
    const std::string title = fmt::format("Methods compared on {}",
                                          std::filesystem::path(flags.data).filename().string());
    write_text(flags.output, comparison_page(title, comparison, data.labels()));
  }
  if (!flags.csv.empty()) write_or_print(flags.csv, comparison.csv());
  if (!flags.json.empty()) write_or_print(flags.json, comparison.json());
  if (is_standard_output(flags.csv) || is_standard_output(flags.json)) return;
  fmt::print("{}", comparison.text());
}

}  // namespace

void add_compare(Program& program) {
  auto flags = std::make_shared<CompareFlags>();
  Arguments arguments = program.add(
      {.name = "compare",
       .help = "Measure methods side by side on a table: speed, size, accuracy",
       .examples =
           "  mercer compare points.csv --label-column last -o report.html\n"
           "  mercer compare points.npy --methods landmarks,greedy --landmarks 100,400 --csv "
           "m.csv\n"
           "  mercer compare iris.csv --label-column last --folds 10 --standardize\n\n"
           "All methods get the same rows and the same kernel. Speed-ups are over the baseline;\n"
           "the embedding error is the part of the baseline's components, over rows that were\n"
           "not fitted on, that cannot be had from a method's own; kept are library points as a\n"
           "share of the rows. Labels are used to classify by nearest neighbours among the scores.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The table: csv, npy, libsvm, idx, images; also .gz");
  arguments.option("-o,--output", "FILE", flags->output,
                   "Also write a page with pictures and the table, for any browser: .html");
  arguments.option("--csv", "FILE", flags->csv,
                   "Also write every measurement as CSV; - prints it and nothing else");
  arguments.option("--json", "FILE", flags->json,
                   "Also write everything as JSON; - prints it and nothing else");
  flags->run.add_quiet(arguments, "No progress bar");
  flags->contenders.add(arguments);
  arguments.group("Splits");
  arguments.option("--repeats", "R", flags->repeats,
                   "Random splits, with a seed each (default 3; 1 with --folds)");
  arguments.option("--test-fraction", "F", flags->test_fraction, "Rows to test on (default 0.3)");
  arguments.option("--folds", "F", flags->folds, "Cross-validation instead");
  arguments.option("--neighbors", "K", flags->neighbors,
                   "Of the nearest neighbour classifier (default 3)");
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
