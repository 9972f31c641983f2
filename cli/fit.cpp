#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/model.h>
#include <mercer/preimage.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/method_flags.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/scatter_plot.h"
#include "cli/scores.h"
#include "cli/table_flags.h"
#include "cli/training_data.h"

namespace mercer::cli {
namespace {

struct FitFlags {
  std::string data;
  std::string output;
  std::string json;
  std::string scores;
  bool plot = false;
  bool learn_preimage = false;
  std::optional<double> preimage_alpha;

  MethodFlags method;
  KernelFlags kernel;
  TableFlags table;
  RunFlags run;
};

struct Fitted {
  Fit fit;
  std::vector<std::size_t> clusters;  ///< of the rows, where the method finds any
};

using FitCall = std::function<Fitted(TrainingData& data, const RunOptions& run)>;

/// A fit that knows everything but the data: checked before these are read.
struct PreparedFit {
  MethodChoice choice;
  bool in_memory = false;  ///< needs the whole table
  FitCall fit;
};

bool streams(const ReductionOptions& reduction) {
  return !reduction.shuffle &&
         (reduction.method == Reduction::shadow || reduction.method == Reduction::paring);
}

/// The call that has the data in memory, or the one that streams them.
template <class Options, class Call>
auto either_way(Options options, Call call) {
  return [options = std::move(options), call = std::move(call)](TrainingData& data,
                                                                const RunOptions& run) -> Fitted {
    if (!data.in_memory()) return call(data.rows(), options, run);
    Options weighted = options;
    weighted.weights = data.weights();
    return call(data.points(), weighted, run);
  };
}

/// The call where the data are in memory in any case.
template <class Options>
FitCall from_memory(Options options, const Kernel& kernel,
                    Fit (*call)(MatrixView<const double>, const Kernel&, const Options&,
                                const RunOptions&)) {
  return [options = std::move(options), kernel, call](TrainingData& data, const RunOptions& run) {
    Options weighted = options;
    weighted.weights = data.weights();
    return Fitted{.fit = call(data.points(), kernel, weighted, run), .clusters = {}};
  };
}

/// Blocks of consecutive rows may be streamed, others need the whole table.
FitCall partitioned_fit(const MethodFlags& flags, const Kernel& kernel, bool& in_memory) {
  const PartitionedOptions options = flags.blocks.partitioned_options(flags.components);
  in_memory = options.partition != Partition::in_order;
  return [options, kernel](TrainingData& data, const RunOptions& run) {
    if (!data.in_memory())
      return Fitted{.fit = fit_partitioned(data.rows(), kernel, options, run), .clusters = {}};
    PartitionedOptions all = options;
    all.weights = data.weights();
    if (options.partition == Partition::labels) {
      if (data.labels().empty())
        throw UsageError(
            "--partition label needs labels: name their column with --label-column, or their file "
            "with --labels");
      all.labels = data.labels().code;
    }
    return Fitted{.fit = fit_partitioned(data.points(), kernel, all, run), .clusters = {}};
  };
}

/// Kernel PCA and its approximations; nothing for other methods.
FitCall component_fit(const MethodFlags& flags, const std::string& method, const Kernel& kernel,
                      bool& in_memory) {
  if (method == "exact") {
    in_memory = true;
    return from_memory(flags.exact_options(), kernel, fit_exact);
  }
  if (method == "landmarks") {
    const LandmarkOptions options = flags.landmark_options();
    in_memory = options.evaluation == Evaluation::nystrom ||
                options.evaluation == Evaluation::density_weighted;
    return either_way(options, [kernel](auto&& rows, const auto& all, const auto& run) {
      return Fitted{.fit = fit_landmarks(rows, kernel, all, run), .clusters = {}};
    });
  }
  if (reduction_named(method)) {
    const ReducedSetOptions options = flags.reduced_set_options(method);
    in_memory = options.verify || !streams(options.reduction);
    return either_way(options, [kernel](auto&& rows, const auto& all, const auto& run) {
      return Fitted{.fit = fit_reduced_set(rows, kernel, all, run), .clusters = {}};
    });
  }
  if (method == "greedy") {
    in_memory = true;
    return from_memory(flags.blocks.greedy_options(flags.components), kernel, fit_greedy);
  }
  if (method == "akfa" || method == "ackfa" || method == "skfa") {
    in_memory = true;
    return from_memory(flags.feature_options(method), kernel, fit_feature_analysis);
  }
  if (method == "partitioned") return partitioned_fit(flags, kernel, in_memory);
  if (method == "kronecker") {
    in_memory = true;
    return
        [kernel, options = flags.kronecker_options()](TrainingData& data, const RunOptions& run) {
          return Fitted{.fit = fit_kronecker(data.points(), kernel, options, run), .clusters = {}};
        };
  }
  if (method == "randomized") {
    in_memory = true;
    return
        [kernel, options = flags.randomized_options()](TrainingData& data, const RunOptions& run) {
          return Fitted{.fit = fit_randomized(data.points(), kernel, options, run), .clusters = {}};
        };
  }
  if (method == "random_features")
    return either_way(
        flags.random_feature_options(), [kernel](auto&& rows, const auto& all, const auto& run) {
          return Fitted{.fit = fit_random_features(rows, kernel, all, run), .clusters = {}};
        });
  return nullptr;
}

/// Eigenvectors of graphs; nothing for other methods.
FitCall graph_fit(const MethodFlags& flags, const std::string& method, const Kernel& kernel,
                  bool& in_memory) {
  const auto prepared = [&](auto options, auto call) {
    in_memory = !streams(options.reduction);
    return either_way(std::move(options), std::move(call));
  };
  if (method == "laplacian_eigenmaps")
    return prepared(flags.manifold.eigenmap_options(flags.components, flags.reduction),
                    [kernel](auto&& rows, const auto& all, const auto& run) {
                      return Fitted{.fit = fit_laplacian_eigenmaps(rows, kernel, all, run),
                                    .clusters = {}};
                    });
  if (method == "diffusion_maps")
    return prepared(flags.manifold.diffusion_options(flags.components, flags.reduction),
                    [kernel](auto&& rows, const auto& all, const auto& run) {
                      return Fitted{.fit = fit_diffusion_maps(rows, kernel, all, run),
                                    .clusters = {}};
                    });
  if (method == "normalized_cut")
    return prepared(flags.manifold.cut_options(flags.components, flags.reduction),
                    [kernel](auto&& rows, const auto& all, const auto& run) {
                      NormalizedCut cut = fit_normalized_cut(rows, kernel, all, run);
                      return Fitted{.fit = std::move(cut.fit), .clusters = std::move(cut.labels)};
                    });
  return nullptr;
}

PreparedFit prepare(const MethodFlags& flags, const Kernel& kernel) {
  PreparedFit prepared{.choice = flags.choose(), .fit = nullptr};
  const std::string& method = prepared.choice.method;
  prepared.fit = component_fit(flags, method, kernel, prepared.in_memory);
  if (!prepared.fit) prepared.fit = graph_fit(flags, method, kernel, prepared.in_memory);
  if (!prepared.fit)
    prepared.fit =
        either_way(flags.auto_options(), [kernel](auto&& rows, const auto& all, const auto& run) {
          return Fitted{.fit = fit_auto(rows, kernel, all, run), .clusters = {}};
        });
  return prepared;
}

void require_weights_taken(const std::string& method, const TableFlags& table) {
  if ((method == "kronecker" || method == "randomized") && table.weight_column != "none")
    throw UsageError(
        fmt::format("the method {} has no weights; leave out --sample-weight-column", method));
}

/// What cannot have a map from scores to points is known before the fit.
void require_learnable(const FitFlags& flags, const std::string& method) {
  if (!flags.learn_preimage) {
    if (flags.preimage_alpha) throw UsageError("--preimage-alpha is an option of --learn-preimage");
    return;
  }
  const bool graph =
      method == "laplacian_eigenmaps" || method == "diffusion_maps" || method == "normalized_cut";
  if (graph || method == "random_features")
    throw UsageError(fmt::format(
        "--learn-preimage does not go with the method {}: {}", method,
        graph ? "its components are functions on a graph" : "it keeps no points to learn from"));
  const Kernel kernel = flags.kernel.kernel();
  if (std::holds_alternative<Linear>(kernel))
    throw UsageError(
        "--learn-preimage is not needed with a linear kernel: mercer reconstruct gives the "
        "projection itself");
  if (std::holds_alternative<Precomputed>(kernel) || std::holds_alternative<Chi2>(kernel) ||
      std::holds_alternative<ExponentialChi2>(kernel))
    throw UsageError(fmt::format("--learn-preimage does not go with a {} kernel: {}",
                                 kernel_name(kernel),
                                 std::holds_alternative<Precomputed>(kernel)
                                     ? "the model never sees points"
                                     : "it takes no negative numbers, which scores may be"));
  if (flags.table.projection.is_given())
    throw UsageError(
        "--learn-preimage does not go with a random projection, which cannot be undone");
}

void require_good_outputs(const FitFlags& flags) {
  require_other_file(flags.output, {flags.data});
  require_writable(flags.output);
  if (!flags.json.empty() && !is_standard_output(flags.json)) {
    require_other_file(flags.json, {flags.data, flags.output});
    require_writable(flags.json);
  }
  const std::string& clusters = flags.method.manifold.labels_out;
  if (!clusters.empty()) {
    require_other_file(clusters, {flags.data, flags.output, flags.json});
    require_writable(clusters);
  }
  if (flags.scores.empty()) return;
  output_format(flags.scores);
  require_other_file(flags.scores, {flags.data, flags.output, flags.json, clusters});
  require_writable(flags.scores);
}

std::string cluster_lines(const std::vector<std::size_t>& clusters) {
  std::string text;
  for (const std::size_t cluster : clusters)
    text += cluster == kNoLabel ? "-1\n" : fmt::format("{}\n", cluster);
  return text;
}

/// What is left of the scores for a picture.
class PlotPoints {
 public:
  void add(MatrixView<const double> scores) {
    cols_ = std::min<std::size_t>(scores.cols(), 2);
    for (std::size_t i = 0; i < scores.rows(); ++i)
      values_.insert(values_.end(), scores.row(i).begin(),
                     scores.row(i).begin() + static_cast<std::ptrdiff_t>(cols_));
  }
  MatrixView<const double> view() const {
    return {values_.data(), cols_ == 0 ? 0 : values_.size() / cols_, cols_};
  }

 private:
  std::size_t cols_ = 0;
  std::vector<double> values_;
};

/// Writes the scores, and keeps what is to be plotted.
PlotPoints compute_scores(const FitFlags& flags, const Model& model, RowSource& rows,
                          const RunOptions& run, ProgressBar& bar) {
  PlotPoints plot;
  if (flags.scores.empty() && !flags.plot) return plot;
  std::optional<RowWriter> writer;
  if (!flags.scores.empty())
    writer.emplace(flags.scores, model.components(),
                   numbered_names("component_", model.components()));
  transform_rows(model, rows, run, bar,
                 [&](MatrixView<const double>, MatrixView<const double> scores) {
                   if (writer) writer->write(scores);
                   if (flags.plot) plot.add(scores);
                 });
  bar.clear();
  if (writer) writer->finish();
  return plot;
}

std::string labels_text(const FitFlags& flags, const Labels& labels) {
  if (!labels.empty()) return fmt::format("{} classes", labels.names.size());
  return flags.table.label_column == "none" ? "" : "column " + flags.table.label_column;
}

void print_results(const FitFlags& flags, const Summary& summary, const Labels& labels,
                   const PlotPoints& plot) {
  if (!flags.json.empty()) write_or_print(flags.json, summary.json());
  if (is_standard_output(flags.json)) return;
  fmt::print("{}\n", flags.run.quiet ? summary.brief() : summary.full());
  const std::string classes = labels_text(flags, labels);
  if (!classes.empty() && !flags.run.quiet)
    fmt::print(
        "  {:<15}{}, {}\n", "labels", classes,
        flags.method.blocks.partition == "label" ? "a block of rows each" : "not used in the fit");
  if (flags.plot)
    fmt::print("\n{}", scatter_plot(plot.view(), labels, {.color = isatty(STDOUT_FILENO) == 1}));
}

void run(const FitFlags& flags) {
  const Kernel kernel = flags.kernel.kernel();
  const PreparedFit prepared = prepare(flags.method, kernel);
  flags.table.projection.require_fitting(kernel);
  require_weights_taken(prepared.choice.method, flags.table);
  require_learnable(flags, prepared.choice.method);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  require_good_outputs(flags);

  TrainingData data(flags.data, flags.table,
                    {.in_memory = prepared.in_memory,
                     .want_labels = flags.plot && flags.table.label_column != "none",
                     .run = run_options});
  auto [fit, clusters] = prepared.fit(data, run_options);
  data.check_labels(fit.summary.n);
  Summary& summary = fit.summary;
  summary.phases.insert(summary.phases.begin(), data.phases().begin(), data.phases().end());
  if (!prepared.choice.why.empty())
    summary.choices.insert(summary.choices.begin(),
                           {"method", prepared.choice.method, prepared.choice.why});
  if (const auto choice = flags.table.projection.choice(data.input().projection))
    summary.choices.insert(summary.choices.begin(), *choice);
  // The scores first: they may still be interrupted, and the model should not come without them.
  const PlotPoints plot = compute_scores(flags, fit.model, data.rows(), run_options, bar);
  bar.clear();
  throw_if_interrupted();
  Model model = fit.model.with_input(data.input());
  if (flags.learn_preimage) {
    const auto start = std::chrono::steady_clock::now();
    model = learn_preimage(model, flags.preimage_alpha.value_or(1), run_options);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    summary.phases.push_back({"map to points", seconds.count()});
    bar.clear();
  }
  model.with_summary(summary).save(flags.output);
  if (const std::string& path = flags.method.manifold.labels_out; !path.empty())
    write_text(path, cluster_lines(clusters));
  print_results(flags, summary, data.labels(), plot);
}

}  // namespace

void add_fit(Program& program) {
  auto flags = std::make_shared<FitFlags>();
  Arguments arguments = program.add(
      {.name = "fit",
       .help = "Fit kernel PCA to a table and save the model",
       .examples =
           "  mercer fit points.csv -o points.mercer --components 10\n"
           "  mercer fit huge.npy -o huge.mercer --landmarks 500\n"
           "  mercer fit huge.csv.gz -o huge.mercer --method landmarks --tolerance 0.01 --certify\n"
           "  mercer fit stream.npy -o stream.mercer --method shadow --ell 4\n"
           "  mercer fit points.npy -o points.mercer --method greedy --mse 0.001\n"
           "  mercer fit points.npy -o points.mercer --method akfa --stop-error 0.01\n"
           "  mercer fit huge.npy -o huge.mercer --method partitioned --block-size 5000\n"
           "  mercer fit digits.csv -o d.mercer --label-column first --partition label --refine "
           "none\n"
           "  mercer fit points.npy -o points.mercer --method randomized --quantize min_max\n"
           "  mercer fit shape.npy -o shape.mercer --method diffusion_maps --reduce shadow\n"
           "  mercer fit shape.npy -o cut.mercer --method normalized_cut --clusters 3 --labels-out "
           "c.txt\n"
           "  mercer fit iris.csv -o iris.mercer --label-column last --standardize --plot\n"
           "  mercer fit wide.npy -o wide.mercer --project-error 0.3\n"
           "  mercer fit digits.npy -o digits.mercer --kernel polynomial --degree 2 --retain 0.9\n"
           "  mercer fit points.csv -o points.mercer --gamma 0.5 -q --json - > summary.json\n\n"
           "A scale that is not given (--gamma, --length) is chosen from the data and reported.\n"
           "The methods auto, landmarks, shadow, paring, partitioned and random_features read\n"
           "tables that are larger than the memory block by block; the result is the same.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The table: csv, npy, libsvm, idx, images; also .gz");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the model").required();
  arguments.option("--scores", "FILE", flags->scores,
                   "Also write the components of the rows: .npy or .csv");
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary as JSON; - prints it and nothing else");
  arguments.flag("--plot", flags->plot, "Draw the first two components with characters");
  arguments.flag("--learn-preimage", flags->learn_preimage,
                 "Also learn a map from components back to points, from the library, for mercer "
                 "reconstruct --preimage ridge");
  arguments.option("--preimage-alpha", "A", flags->preimage_alpha,
                   "Ridge of that map (default 1): smaller follows the points more closely");
  flags->run.add_quiet(arguments, "Print one line instead of the whole summary");
  flags->method.add_problem(arguments);
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  flags->method.add_landmarks(arguments);
  flags->method.add_reduced_sets(arguments);
  flags->method.blocks.add(arguments);
  flags->method.features.add(arguments);
  flags->method.manifold.add(arguments);
  flags->method.randomized.add(arguments);
  flags->method.add_random_features(arguments);
  flags->method.add_kronecker(arguments);
  flags->method.add_solver(arguments);
  arguments.group("Running");
  flags->method.add_precision(arguments);
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
