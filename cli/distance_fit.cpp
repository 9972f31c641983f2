#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/sparse_distance.h>

#include "cli/distance.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/named_values.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/table_flags.h"
#include "cli/training_data.h"

namespace mercer::cli {
namespace {

constexpr Names<SubsetSelection, 10> kSelections{
    {{"automatic", SubsetSelection::automatic},
     {"greedy", SubsetSelection::greedy},
     {"greedy_frobenius", SubsetSelection::greedy_frobenius},
     {"swap", SubsetSelection::swap},
     {"enumerate", SubsetSelection::enumerate},
     {"enumerate_l1", SubsetSelection::enumerate_l1},
     {"uniform", SubsetSelection::uniform},
     {"kmeans", SubsetSelection::kmeans},
     {"pivoted_cholesky", SubsetSelection::pivoted_cholesky},
     {"rpcholesky", SubsetSelection::rpcholesky}}};
constexpr Names<DistanceMap, 3> kMaps{{{"regression", DistanceMap::regression},
                                       {"orthogonal", DistanceMap::orthogonal},
                                       {"affine", DistanceMap::affine}}};
constexpr Names<DistanceOrigin, 4> kOrigins{{{"automatic", DistanceOrigin::automatic},
                                             {"constant", DistanceOrigin::constant},
                                             {"base_point", DistanceOrigin::base_point},
                                             {"centroid", DistanceOrigin::centroid}}};
constexpr Names<IndefinitePolicy, 5> kPolicies{{{"error", IndefinitePolicy::error},
                                                {"warn", IndefinitePolicy::warn},
                                                {"clip", IndefinitePolicy::clip},
                                                {"shift", IndefinitePolicy::shift},
                                                {"ignore", IndefinitePolicy::ignore}}};

struct DistanceFitFlags {
  std::string data;
  std::string output;
  std::string json;
  std::string metric = "euclidean";
  std::optional<double> binarize;
  bool squared = false;
  bool hilbertian = false;
  std::optional<std::size_t> landmarks;
  std::optional<double> error;
  std::size_t max_landmarks = SparseDistanceOptions{}.max_landmarks;
  std::optional<std::string> selection;
  std::optional<std::string> map;
  std::optional<std::string> origin;
  std::optional<double> constant;
  std::size_t sample = 0;
  std::optional<std::string> indefinite;
  bool landmarks_only = false;
  KernelFlags kernel;
  TableFlags table;
  RunFlags run;
};

Distance make_metric(const DistanceFitFlags& flags) {
  Distance distance = make_distance(flags.metric, {});
  auto* hamming = std::get_if<HammingDistance>(&distance);
  auto* jaccard = std::get_if<JaccardDistance>(&distance);
  if (hamming != nullptr) hamming->threshold = flags.binarize;
  if (jaccard != nullptr) jaccard->threshold = flags.binarize;
  if (flags.binarize && hamming == nullptr && jaccard == nullptr)
    throw UsageError("--binarize is for --metric hamming and jaccard, which compare bits");
  auto* precomputed = std::get_if<PrecomputedDistance>(&distance);
  if ((flags.squared || flags.hilbertian) && precomputed == nullptr)
    throw UsageError("--squared and --hilbertian are for --metric precomputed");
  if (precomputed != nullptr) *precomputed = {flags.squared, flags.hilbertian};
  if (auto* kernel = std::get_if<KernelDistance>(&distance)) {
    kernel->kernel = flags.kernel.kernel();
  } else if (const auto given = flags.kernel.given(); !given.empty()) {
    throw UsageError(fmt::format("{} is for --metric kernel", given.front()));
  }
  return distance;
}

SparseDistanceOptions make_options(const DistanceFitFlags& flags) {
  SparseDistanceOptions options;
  options.landmarks = flags.landmarks;
  options.error = flags.error;
  options.max_landmarks = flags.max_landmarks;
  assign_named(flags.selection, kSelections, options.selection);
  assign_named(flags.map, kMaps, options.map);
  assign_named(flags.origin, kOrigins, options.origin);
  options.constant = flags.constant;
  options.sample = flags.sample;
  assign_named(flags.indefinite, kPolicies, options.indefinite);
  options.keep_items = !flags.landmarks_only;
  options.validate();
  return options;
}

void require_good_outputs(const DistanceFitFlags& flags) {
  require_other_file(flags.output, {flags.data});
  require_writable(flags.output);
  if (flags.json.empty() || is_standard_output(flags.json)) return;
  require_other_file(flags.json, {flags.data, flags.output});
  require_writable(flags.json);
}

void run(const DistanceFitFlags& flags) {
  const Distance distance = make_metric(flags);
  const SparseDistanceOptions options = make_options(flags);
  if (flags.table.weight_column != "none")
    throw UsageError("sparse distances have no weighted form: leave out --sample-weight-column");
  require_good_outputs(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const TrainingData data(flags.data, flags.table, {.in_memory = true, .run = run_options});
  const SparseDistanceFit fit = fit_sparse_distance(distance, data.points(), options, run_options);
  bar.clear();
  throw_if_interrupted();
  fit.model.with_input(data.input()).save(flags.output);
  if (!flags.json.empty()) write_or_print(flags.json, fit.summary.json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}\n", flags.run.quiet ? fit.summary.brief() : fit.summary.full());
}

void add_metric(Arguments& arguments, DistanceFitFlags& flags) {
  std::vector<std::string> metrics = distance_names();
  std::erase(metrics, "custom");  // a function cannot be given on a command line
  arguments.group("Distance");
  arguments
      .option("--metric", "NAME", flags.metric,
              fmt::format("{} (default euclidean)", fmt::join(metrics, ", ")))
      .one_of(metrics);
  arguments.option("--binarize", "T", flags.binarize,
                   "hamming, jaccard: values above T are 1, others 0 (default: data are 0 and 1)");
  arguments.flag("--squared", flags.squared, "precomputed: the numbers are squared distances");
  arguments.flag("--hilbertian", flags.hilbertian,
                 "precomputed: known to embed into a Hilbert space, so that bounds hold");
  arguments
      .option("--indefinite", "POLICY", flags.indefinite,
              "Where distances turn out not to embed: error, warn (default), clip, shift, ignore")
      .one_of(all_names(kPolicies));
}

void add_landmarks(Arguments& arguments, DistanceFitFlags& flags) {
  arguments.group("Landmarks and map");
  const Argument count =
      arguments.option("--landmarks", "M", flags.landmarks, "Number of landmarks (default 32)");
  arguments
      .option("--error", "E", flags.error,
              "Instead: as many as bring the mean relative error of squares to E, e.g. 0.05")
      .excludes(count);
  arguments.option("--max-landmarks", "M", flags.max_landmarks,
                   "Most that --error may take (default 256)");
  arguments
      .option("--selection", "HOW", flags.selection,
              "automatic (default: swap, or greedy for --error), greedy, greedy_frobenius, swap, "
              "enumerate, enumerate_l1, uniform, kmeans, pivoted_cholesky, rpcholesky")
      .one_of(all_names(kSelections));
  arguments
      .option("--map", "HOW", flags.map,
              "regression (default, smallest error), orthogonal, affine (up to 4 landmarks)")
      .one_of(all_names(kMaps));
  arguments
      .option("--origin", "WHERE", flags.origin,
              "Of the embedding: automatic (default), constant, base_point, centroid")
      .one_of(all_names(kOrigins));
  arguments.option("--constant", "C", flags.constant, "c of --origin constant");
  arguments.option("--sample", "S", flags.sample,
                   "Fit to the distances to S rows only: n S instead of n^2 / 2 (default: all)");
  arguments.flag("--landmarks-only", flags.landmarks_only,
                 "Keep the rows of the landmarks only: a small file, without neighbours");
}

}  // namespace

void add_distance_fit(Program& program) {
  auto flags = std::make_shared<DistanceFitFlags>();
  Arguments arguments = program.add(
      {.group = "distance",
       .name = "fit",
       .help = "Choose landmarks and learn distances to all rows from those to them",
       .examples =
           "  mercer distance fit faces.npy --metric hamming --binarize 128 --landmarks 64 -o "
           "faces.mercer\n"
           "  mercer distance fit histograms.csv --metric chi2 --error 0.05 -o h.mercer\n"
           "  mercer distance fit matrix.npy --metric precomputed --landmarks 20 -o m.mercer\n\n"
           "Distances are given by their squares: hamming counts differing positions, l1 sums\n"
           "differences, chi2 and jensen_shannon are the divergences, cosine is 1 - cos. mercer\n"
           "distance query prints their roots, or with --squared those numbers.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The items: csv, npy, libsvm, idx, images; also .gz");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  add_metric(arguments, *flags);
  add_landmarks(arguments, *flags);
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
