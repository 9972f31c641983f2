#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scores.h"

namespace mercer::cli {
namespace {

struct TransformFlags {
  std::string model;
  std::string data;
  std::string output;
  bool residual = false;
  RunFlags run;
};

std::vector<std::string> header(const Model& model, bool residual) {
  auto names = numbered_names("component_", model.components());
  if (residual) names.emplace_back("residual");
  return names;
}

Matrix<double> with_column(MatrixView<const double> scores, const std::vector<double>& column) {
  auto wide = Matrix<double>::uninitialized(scores.rows(), scores.cols() + 1);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::ranges::copy(scores.row(i), wide.row(i).begin());
    wide(i, scores.cols()) = column[i];
  }
  return wide;
}

struct Transformed {
  std::size_t rows = 0;
  std::size_t far_rows = 0;  ///< too far from all nodes of a graph
};

Transformed transform_all(const TransformFlags& flags, const Model& model) {
  const auto source = open_new_rows(flags.data, model, flags.run);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run = flags.run.options(bar);
  RunOptions quiet = run;
  quiet.progress = nullptr;
  RowWriter writer(flags.output, model.components() + (flags.residual ? 1 : 0),
                   header(model, flags.residual));
  std::size_t far_rows = 0;
  const std::size_t rows = transform_rows(
      model, *source, run, bar,
      [&](MatrixView<const double> points, MatrixView<const double> scores) {
        for (std::size_t i = 0; i < scores.rows(); ++i)
          far_rows += std::isnan(scores(i, 0)) ? 1 : 0;
        writer.write(flags.residual ? with_column(scores, model.residual(points, quiet)).view()
                                    : scores);
      });
  writer.finish();
  return {.rows = rows, .far_rows = far_rows};
}

void run(const TransformFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  require_other_file(flags.output, {flags.model, flags.data});
  const Model model = Model::load(flags.model);
  const Transformed done = transform_all(flags, model);
  if (flags.run.quiet) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} rows, {} components{} in {}\n", flags.output, done.rows, model.components(),
             flags.residual ? " and the residual" : "", format_seconds(seconds.count()));
  if (done.far_rows > 0)
    fmt::print("rows without coordinates, NaN, because they are far from all nodes: {}\n",
               done.far_rows);
}

}  // namespace

void add_transform(Program& program) {
  auto flags = std::make_shared<TransformFlags>();
  Arguments arguments = program.add(
      {.name = "transform",
       .help = "Compute the components of new data with a model",
       .examples =
           "  mercer transform points.mercer new.csv -o z.npy\n"
           "  mercer transform points.mercer new.csv -o z.csv --residual\n\n"
           "The columns are read as they were for the fit; a table that lacks just the label,\n"
           "weight and ignored columns is fine too. Data are read and written in blocks, so\n"
           "files may be larger than the memory.",
       .run = [flags] { run(*flags); }});
  arguments.positional("MODEL", flags->model, "A .mercer file, from mercer fit");
  arguments.positional("DATA", flags->data, "Rows to transform: csv, npy, libsvm, idx, images");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write: .npy or .csv").required();
  arguments.flag("--residual", flags->residual,
                 "Add a last column: squared feature-space distance to the components, large for "
                 "points unlike the training data");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
