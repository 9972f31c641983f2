#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "cli/distance.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"

namespace mercer::cli {
namespace {

struct DistanceQueryFlags {
  std::string model;
  std::string queries;
  std::string output;
  std::string json;
  bool squared = false;
  std::optional<std::size_t> neighbors;
  bool exact = false;
  std::optional<std::size_t> rerank;
  std::string distances;
  RunFlags run;
};

void check_flags(const DistanceQueryFlags& flags) {
  if (!flags.neighbors && (flags.exact || flags.rerank || !flags.distances.empty()))
    throw UsageError("--exact, --rerank and --distances are for --neighbors");
  if (flags.neighbors && flags.squared && flags.distances.empty())
    throw UsageError("--squared is for distances: give --distances with --neighbors");
  require_other_file(flags.output, {flags.model, flags.queries});
  require_writable(flags.output);
  if (!flags.distances.empty()) {
    require_other_file(flags.distances, {flags.model, flags.queries, flags.output});
    require_writable(flags.distances);
  }
  if (flags.json.empty() || is_standard_output(flags.json)) return;
  require_other_file(flags.json, {flags.model, flags.queries, flags.output});
  require_writable(flags.json);
}

std::unique_ptr<RowSource> open_queries(const DistanceQueryFlags& flags,
                                        const SparseDistance& model) {
  TableOptions options;
  options.memory_limit_bytes = flags.run.memory_limit_bytes();
  options.cancelled = interrupted;
  // Precomputed distances of queries have columns of their own.
  if (!std::holds_alternative<PrecomputedDistance>(model.distance()))
    options.rules = model.input().columns;
  return open_rows(flags.queries, options);
}

/// Roots, unless squares are wanted.
void finish_distances(Matrix<double>& squared, bool squares) {
  if (squares) return;
  for (std::size_t i = 0; i < squared.size(); ++i) squared.data()[i] = std::sqrt(squared.data()[i]);
}

/// Enough rows to keep all threads busy, few enough for 32 MiB of distances.
std::size_t block_rows(const SparseDistance& model) {
  constexpr std::size_t kBlockNumbers = std::size_t{1} << 22;
  return std::clamp<std::size_t>(kBlockNumbers / model.items(), 64, 4096);
}

DistanceQuerySummary query_all(const DistanceQueryFlags& flags, const SparseDistance& model) {
  const auto source = open_queries(flags, model);
  ProgressBar bar(!flags.run.quiet);
  RunOptions run = flags.run.options(bar);
  run.progress = nullptr;  // a block is short; the bar counts rows
  const std::size_t columns = flags.neighbors.value_or(model.items());
  RowWriter writer(flags.output, columns,
                   numbered_names(flags.neighbors ? "neighbor_" : "item_", columns));
  std::optional<RowWriter> distances;
  if (!flags.distances.empty())
    distances.emplace(flags.distances, columns, numbered_names("distance_", columns));
  DistanceQuerySummary summary;
  summary.neighbors = flags.neighbors.value_or(0);
  summary.rerank = flags.rerank;
  while (auto block = source->next(block_rows(model))) {
    throw_if_interrupted();
    bar.show(
        {.phase = "query", .rows_done = summary.queries, .rows_total = source->rows().value_or(0)});
    const Matrix<double> rows = std::move(*block).dense();
    if (flags.neighbors) {
      Neighbors found =
          model.neighbors(rows, {.neighbors = *flags.neighbors, .rerank = flags.rerank}, run);
      writer.write(std::as_const(found.items).view());
      finish_distances(found.squared, flags.squared);
      if (distances) distances->write(std::as_const(found.squared).view());
      summary.distance_evaluations.online += found.distance_evaluations;
    } else {
      DistanceEstimates found = model.estimate(rows, run);
      finish_distances(found.squared, flags.squared);
      writer.write(std::as_const(found.squared).view());
      summary.negatives += found.negatives;
      summary.distance_evaluations.online += found.distance_evaluations;
    }
    summary.queries += rows.rows();
  }
  throw_if_interrupted();
  writer.finish();
  if (distances) distances->finish();
  return summary;
}

void print_summary(const DistanceQueryFlags& flags, const DistanceQuerySummary& summary) {
  const double all = static_cast<double>(summary.queries) * static_cast<double>(summary.n);
  fmt::print("{}: {} of {} queries in {}\n", flags.output,
             summary.neighbors == 0   ? fmt::format("{} distances", summary.n)
             : summary.neighbors == 1 ? "the nearest item"
                                      : fmt::format("{} neighbours", summary.neighbors),
             summary.queries, format_seconds(summary.seconds));
  fmt::print("distances measured: {} ({:.3g} % of comparing all)\n",
             summary.distance_evaluations.online,
             100 * static_cast<double>(summary.distance_evaluations.online) / all);
  if (summary.negatives > 0) fmt::print("estimates below 0, set to 0: {}\n", summary.negatives);
}

void run(const DistanceQueryFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  check_flags(flags);
  const SparseDistance model = SparseDistance::load(flags.model);
  DistanceQuerySummary summary = query_all(flags, model);
  summary.metric = model.summary().metric;
  summary.n = model.items();
  summary.landmarks = model.landmarks().size();
  summary.distance_evaluations.offline = model.summary().distance_evaluations.offline;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!flags.json.empty()) write_or_print(flags.json, summary.json());
  if (is_standard_output(flags.json) || flags.run.quiet) return;
  print_summary(flags, summary);
}

}  // namespace

void add_distance_query(Program& program) {
  auto flags = std::make_shared<DistanceQueryFlags>();
  Arguments arguments = program.add(
      {.group = "distance",
       .name = "query",
       .help = "Distances of new rows to all items, or their nearest items, with a model",
       .examples =
           "  mercer distance query faces.mercer new.npy -o distances.npy\n"
           "  mercer distance query faces.mercer new.npy -o nearest.npy --neighbors 5\n"
           "  mercer distance query faces.mercer new.npy -o nearest.npy --neighbors 5 --rerank 50 "
           "\\\n"
           "      --distances d.npy\n\n"
           "Distances to the landmarks are measured, the others estimated. Neighbours are\n"
           "measured: exact ones among the items that bounds do not rule out, re-ranked ones\n"
           "among those with the smallest estimates. They are rows of the fitted data, counted\n"
           "from 0, nearest first, the lower one on ties.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("MODEL", flags->model, "A .mercer file, from mercer distance fit");
  arguments.positional("DATA", flags->queries, "The queries: csv, npy, libsvm, idx, images");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write: .npy or .csv").required();
  arguments.flag("--squared", flags->squared, "Write squared distances");
  arguments.option("--neighbors", "K", flags->neighbors,
                   "Write the K nearest items of each query instead of all distances");
  const Argument exact =
      arguments.flag("--exact", flags->exact, "Exact neighbours, by bounds (default)");
  arguments
      .option("--rerank", "C", flags->rerank,
              "Measure only the C items with the smallest estimates: for any distance")
      .excludes(exact);
  arguments.option("--distances", "FILE", flags->distances,
                   "Also write the distances of the neighbours: .npy or .csv");
  arguments.option("--json", "FILE", flags->json,
                   "Also write counts as JSON; - prints them and nothing else");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
}

}  // namespace mercer::cli
