#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/model.h>
#include <mercer/preimage.h>

#include "cli/commands.h"
#include "cli/named_values.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scores.h"

namespace mercer::cli {
namespace {

constexpr Names<Preimage, 4> kMethods{{{"mika", Preimage::mika},
                                       {"one_step", Preimage::one_step},
                                       {"kwok_tsang", Preimage::kwok_tsang},
                                       {"ridge", Preimage::ridge}}};

struct ReconstructFlags {
  std::string model;
  std::string data;
  std::string output;
  std::optional<std::string> method;
  std::optional<std::size_t> iterations;
  std::optional<std::size_t> neighbors;
  RunFlags run;

  PreimageOptions options() const {
    PreimageOptions options;
    assign_named(method, kMethods, options.method);
    if (iterations && options.method != Preimage::mika)
      throw UsageError("--max-iterations is an option of --preimage mika");
    if (neighbors && options.method != Preimage::kwok_tsang)
      throw UsageError("--neighbors is an option of --preimage kwok_tsang");
    options.max_iterations = iterations.value_or(options.max_iterations);
    options.neighbors = neighbors.value_or(options.neighbors);
    options.validate();
    return options;
  }
};

/// Names of the numbers of a row: those of the table where it has any.
std::vector<std::string> column_names(const Model& model) {
  const ColumnRules& rules = model.input().columns;
  if (rules.names.empty()) return numbered_names("x", model.input_columns());
  std::vector<std::string> names;
  for (std::size_t column = 0; column < rules.table_columns; ++column) {
    if (std::ranges::count(rules.left_out, column) > 0) continue;
    const auto rule = std::ranges::find(rules.one_hot, column, &ColumnRules::OneHot::column);
    if (rule == rules.one_hot.end()) {
      names.push_back(rules.names[column]);
    } else {
      for (const std::string& category : rule->categories)
        names.push_back(rules.names[column] + "=" + category);
    }
  }
  return names;
}

struct Done {
  std::size_t rows = 0;
  double squares = 0;  ///< of what changed
  PreimageReport report;
};

Done reconstruct_all(const ReconstructFlags& flags, const Model& model,
                     const PreimageOptions& options) {
  const auto source = open_new_rows(flags.data, model, flags.run);
  ProgressBar bar(!flags.run.quiet);
  RunOptions run = flags.run.options(bar);
  run.progress = nullptr;  // a block is short; the bar counts rows
  RowWriter writer(flags.output, model.input_columns(), column_names(model));
  Done done;
  done.rows =
      for_each_block(model, *source, "reconstruct", bar, [&](MatrixView<const double> points) {
        const Reconstruction result = model.reconstruct(points, options, run);
        done.report.add(result.report);
        for (std::size_t i = 0; i < points.rows(); ++i)
          for (std::size_t j = 0; j < points.cols(); ++j) {
            const double change = result.points(i, j) - points(i, j);
            done.squares += change * change;
          }
        writer.write(result.points);
      });
  writer.finish();
  return done;
}

void run(const ReconstructFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  const PreimageOptions options = flags.options();
  require_other_file(flags.output, {flags.model, flags.data});
  const Model model = Model::load(flags.model);
  const Done done = reconstruct_all(flags, model, options);
  if (flags.run.quiet) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const auto numbers =
      static_cast<double>(std::max<std::size_t>(done.rows * model.input_columns(), 1));
  fmt::print("{}: {} rows in {}, mean square change of a number {:.4g}\n", flags.output, done.rows,
             format_seconds(seconds.count()), done.squares / numbers);
  if (done.report.most_iterations > 0)
    fmt::print("at most {} iterations\n", done.report.most_iterations);
  for (const std::string& warning : done.report.warnings()) fmt::print("warning: {}\n", warning);
}

}  // namespace

void add_reconstruct(Program& program) {
  auto flags = std::make_shared<ReconstructFlags>();
  Arguments arguments = program.add(
      {.name = "reconstruct",
       .help = "Give back what a model keeps of data, as points: without noise, or compared",
       .examples =
           "  mercer reconstruct digits.mercer noisy.csv -o clean.csv\n"
           "  mercer reconstruct digits.mercer noisy.npy -o clean.npy --preimage kwok_tsang\n\n"
           "Rows go into feature space, are projected on the components, and the points whose\n"
           "images come nearest are written, in the units of the rows. Gaussian, matern and\n"
           "rational quadratic kernels; any kernel with ridge, whose map mercer fit\n"
           "--learn-preimage puts into the model; a linear kernel gives the projection itself.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("MODEL", flags->model, "A .mercer file, from mercer fit");
  arguments.positional("DATA", flags->data, "Rows to reconstruct: csv, npy, libsvm, idx, images");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write: .npy or .csv").required();
  arguments
      .option("--preimage", "HOW", flags->method,
              "mika (default: the nearest image, by iteration), one_step (its first step), "
              "kwok_tsang (by distances to library points) or ridge (the learned map)")
      .one_of(all_names(kMethods));
  arguments.option("--max-iterations", "N", flags->iterations,
                   "mika: most iterations of a row (default 100)");
  arguments.option("--neighbors", "N", flags->neighbors,
                   "kwok_tsang: library points that give distances (default 50)");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
