#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/exact.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scatter_plot.h"
#include "cli/table_flags.h"

namespace mercer::cli {
namespace {

struct FitFlags {
  std::string data;
  std::string output;
  std::string json;
  std::string scores;
  bool plot = false;

  std::string method = "exact";
  KernelFlags kernel;
  TableFlags table;
  RunFlags run;

  std::size_t components = ExactOptions{}.components;
  std::optional<double> retain;
  std::optional<double> min_eigenvalue;
  bool no_center = false;
  std::string precision = "double";
  std::string solver = "auto";
  double solver_tolerance = ExactOptions{}.solver_tolerance;
  std::string storage = "auto";
};

ExactOptions exact_options(const FitFlags& flags) {
  ExactOptions options;
  options.components = flags.components;
  options.retain = flags.retain;
  options.min_eigenvalue = flags.min_eigenvalue;
  options.center = !flags.no_center;
  options.precision = flags.precision == "float" ? Precision::float32 : Precision::float64;
  if (flags.solver == "dense") options.solver = EigenSolver::dense;
  if (flags.solver == "krylov") options.solver = EigenSolver::block_krylov;
  if (flags.storage == "stored") options.storage = GramStorage::stored;
  if (flags.storage == "matrix_free") options.storage = GramStorage::matrix_free;
  options.solver_tolerance = flags.solver_tolerance;
  options.validate();
  return options;
}

void require_good_outputs(const FitFlags& flags) {
  require_other_file(flags.output, {flags.data});
  require_writable(flags.output);
  if (!flags.json.empty() && !is_standard_output(flags.json)) {
    require_other_file(flags.json, {flags.data, flags.output});
    require_writable(flags.json);
  }
  if (flags.scores.empty()) return;
  output_format(flags.scores);
  require_other_file(flags.scores, {flags.data, flags.output, flags.json});
  require_writable(flags.scores);
}

void print_results(const FitFlags& flags, const Summary& summary, const Labels& labels,
                   MatrixView<const double> scores) {
  if (!flags.json.empty()) write_or_print(flags.json, summary.json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}\n", flags.run.quiet ? summary.brief() : summary.full());
  if (!labels.empty() && !flags.run.quiet)
    fmt::print("  {:<15}{} classes, not used in the fit\n", "labels", labels.names.size());
  if (flags.plot)
    fmt::print("\n{}", scatter_plot(scores, labels, {.color = isatty(STDOUT_FILENO) == 1}));
}

void run(const FitFlags& flags) {
  const Kernel kernel = flags.kernel.kernel();
  ExactOptions options = exact_options(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  require_good_outputs(flags);

  const auto start = std::chrono::steady_clock::now();
  Table table = flags.table.read(flags.data, run_options.memory_limit_bytes);
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  throw_if_interrupted();
  InputMaps input{.columns = table.rules, .scaling = flags.table.scaling(table.points)};
  input.columns.validate();
  input.scaling.apply(table.points);
  options.weights = table.weights;

  Fit fit = fit_exact(table.points, kernel, options, run_options);
  // The scores first: they may still be interrupted, and the model should not come without them.
  Matrix<double> scores;
  if (!flags.scores.empty() || flags.plot) scores = fit.model.transform(table.points, run_options);
  bar.clear();
  throw_if_interrupted();
  if (!flags.scores.empty())
    write_points(flags.scores, scores, numbered_names("component_", scores.cols()));
  fit.model.with_input(std::move(input)).save(flags.output);
  fit.summary.phases.insert(fit.summary.phases.begin(), {"read", reading.count()});
  print_results(flags, fit.summary, table.labels, scores);
}

void add_problem(FitFlags& flags, Arguments& arguments) {
  arguments.group("What to compute");
  arguments.option("--method", "NAME", flags.method, "exact (default): all pairs of rows")
      .one_of({"exact"});
  const Argument components =
      arguments.option("--components", "K", flags.components, "How many components (default 10)");
  const Argument retain =
      arguments.option("--retain", "FRACTION", flags.retain,
                       "As many components as explain this fraction of the variance, e.g. 0.95");
  arguments
      .option("--min-eigenvalue", "T", flags.min_eigenvalue,
              "All components with an eigenvalue (of the kernel matrix) of at least T")
      .excludes(components)
      .excludes(retain);
  retain.excludes(components);
  arguments.flag("--no-center", flags.no_center, "Do not subtract the mean in feature space");
}

void add_solver(FitFlags& flags, Arguments& arguments) {
  arguments.group("Running");
  arguments
      .option("--precision", "TYPE", flags.precision,
              "Arithmetic of the kernel values: double (default), float (faster, about 1e-5)")
      .one_of({"double", "float"});
  arguments
      .option("--solver", "NAME", flags.solver,
              "auto (default), dense (all eigenvalues, n^3), krylov (the largest only)")
      .one_of({"auto", "dense", "krylov"});
  arguments.option("--solver-tolerance", "T", flags.solver_tolerance,
                   "Largest residual, relative to the first eigenvalue (default 1e-12)");
  arguments
      .option("--storage", "HOW", flags.storage,
              "Kernel matrix: auto (default), stored, matrix_free (computed again when needed)")
      .one_of({"auto", "stored", "matrix_free"});
  flags.run.add_threads_and_memory(arguments);
  flags.run.add_seed(arguments);
}

}  // namespace

void add_fit(Program& program) {
  auto flags = std::make_shared<FitFlags>();
  Arguments arguments = program.add(
      {.name = "fit",
       .help = "Fit kernel PCA to a table and save the model",
       .examples =
           "  mercer fit points.csv -o points.mercer --components 10\n"
           "  mercer fit iris.csv -o iris.mercer --label-column last --standardize --plot\n"
           "  mercer fit digits.npy -o digits.mercer --kernel polynomial --degree 2 --retain 0.9\n"
           "  mercer fit points.csv -o points.mercer --gamma 0.5 -q --json - > summary.json\n\n"
           "A scale that is not given (--gamma, --length) is chosen from the data and reported.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The table: csv, npy, libsvm, idx, images; also .gz");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--scores", "FILE", flags->scores,
                   "Also write the components of the rows: .npy or .csv");
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  arguments.flag("--plot", flags->plot, "Draw the first two components with characters");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  add_problem(*flags, arguments);
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  add_solver(*flags, arguments);
}

}  // namespace mercer::cli
