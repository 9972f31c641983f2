#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <mercer/cover.h>
#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/incremental.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/reduction_flags.h"
#include "cli/run_flags.h"
#include "cli/stream.h"
#include "cli/table_flags.h"

namespace mercer::cli {
namespace {

constexpr const char* kLandmarks = "landmarks";
constexpr const char* kShadow = "shadow";
constexpr const char* kPartitioned = "partitioned";

struct SummarizeFlags {
  std::string data;
  std::string output;
  std::string method = kLandmarks;
  std::string landmarks_from;
  KernelFlags kernel;
  ReductionFlags reduction;
  bool halve = false;
  StreamFlags stream;
  StreamBlocks blocks;
  bool no_center = false;
  TableFlags table;
  RunFlags run;
};

using Clock = std::chrono::steady_clock;

std::string time_since(Clock::time_point start) {
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return format_seconds(seconds.count());
}

LandmarkPart empty_part(const std::string& path, const Model& model) {
  try {
    return LandmarkPart(model);
  } catch (const InvalidArgument& e) {
    throw UsageError(fmt::format("{}: {}", path, e.what()));
  }
}

/// The rules of a model say which columns to leave out, but not which of them were weights.
void require_weights(const SummarizeFlags& flags, const Summary& fit) {
  if (flags.table.weight_column != "none" || fit.total_weight == static_cast<double>(fit.n)) return;
  throw UsageError(
      fmt::format("the rows of {} had weights; name the column with --sample-weight-column",
                  flags.landmarks_from));
}

void refuse_cover_options(const SummarizeFlags& flags) {
  const char* given = flags.reduction.ell      ? "--ell"
                      : flags.reduction.radius ? "--radius"
                      : flags.halve            ? "--halve"
                                               : nullptr;
  if (given != nullptr) throw UsageError(fmt::format("{} is an option of --method shadow", given));
}

void refuse_block_options(const SummarizeFlags& flags) {
  std::vector<const char*> given = flags.stream.given();
  if (flags.blocks.rows != StreamBlocks().rows) given.push_back("--block-size");
  if (flags.no_center) given.push_back("--no-center");
  if (flags.run.seed != 0 && !flags.table.projection.is_given()) given.push_back("--seed");
  if (!given.empty())
    throw UsageError(fmt::format("{} is an option of --method partitioned", given.front()));
}

/// Landmark parts take everything else from the model.
void refuse_what_the_model_says(const SummarizeFlags& flags) {
  std::vector<const char*> given = flags.kernel.given();
  std::ranges::copy(flags.table.given_rules(), std::back_inserter(given));
  if (given.empty()) return;
  throw UsageError(fmt::format("{} does not go with landmarks: their model says that", given[0]));
}

void summarize_landmarks(const SummarizeFlags& flags) {
  const auto start = Clock::now();
  refuse_cover_options(flags);
  refuse_block_options(flags);
  refuse_what_the_model_says(flags);
  if (flags.landmarks_from.empty())
    throw UsageError(
        "the landmarks of a model serve every part: name it with --landmarks-from, or choose "
        "--method shadow or partitioned, which need none");
  require_other_file(flags.output, {flags.data, flags.landmarks_from});
  require_writable(flags.output);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const Model model = Model::load(flags.landmarks_from);
  LandmarkPart part = empty_part(flags.landmarks_from, model);
  require_weights(flags, model.summary());

  TableOptions options;
  options.rules = model.input().columns;
  options.weight = ColumnName::parse(flags.table.weight_column);
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
  fmt::print("{}: {} rows, weight {:.15g}, {} landmarks in {}\n", flags.output, part.rows(),
             part.total_weight(), part.landmarks(), time_since(start));
}

/// What is chosen from the data of one part would not be that of another.
void require_common_choices(const SummarizeFlags& flags, const Kernel& kernel) {
  flags.table.projection.require_fitting(kernel);
  if (!is_resolved(kernel))
    throw UsageError(
        "all parts need the same scale of the kernel: give --gamma, --sigma or --length (mercer "
        "fit "
        "on a sample chooses one)");
  if (flags.table.standardize || flags.table.scale != "none")
    throw UsageError(
        "every part would be scaled by its own columns; scale the data beforehand, or by --shift "
        "and --multiply");
  if (!flags.table.one_hot.empty())
    throw UsageError("every part may have other categories; leave out --one-hot");
}

void summarize_cover(const SummarizeFlags& flags) {
  const auto start = Clock::now();
  refuse_block_options(flags);
  const Kernel kernel = flags.kernel.kernel();
  require_common_choices(flags, kernel);
  const ReductionOptions reduction = flags.reduction.options(Reduction::shadow);
  const double radius = shadow_radius(kernel, reduction) / (flags.halve ? 2 : 1);
  require_other_file(flags.output, {flags.data});
  require_writable(flags.output);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  TableOptions options = flags.table.options(run_options.memory_limit_bytes);
  options.cancelled = interrupted;
  const auto rows = open_rows(flags.data, options);
  Cover cover(kernel, rows->cols(), radius,
              flags.table.maps_of_part(rows->rules(), *rows, run_options));
  cover.add(*rows, run_options);
  bar.clear();
  throw_if_interrupted();
  cover.save(flags.output);
  if (flags.run.quiet) return;
  fmt::print("{}: {} rows, weight {:.15g}, {} centres of radius {:.6g} in {}\n", flags.output,
             cover.rows(), cover.total_weight(), cover.centers(), cover.radius(),
             time_since(start));
}

/// As a stream that begins and ends with this part: it may be larger than the memory, its library
/// has no two points for the same rows, and mercer update can go on with it.
void summarize_blocks(const SummarizeFlags& flags) {
  const auto start = Clock::now();
  refuse_cover_options(flags);
  flags.blocks.require_rows();
  const Kernel kernel = flags.kernel.kernel();
  require_common_choices(flags, kernel);
  const IncrementalOptions options = flags.stream.options(!flags.no_center, flags.run.seed);
  require_other_file(flags.output, {flags.data});
  require_writable(flags.output);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const auto rows = open_rows(flags.data, flags.table.options(run_options.memory_limit_bytes));
  IncrementalFit stream(kernel, options,
                        flags.table.maps_of_part(rows->rules(), *rows, run_options));
  add_rows(stream, *rows, 0, flags.blocks.rows, run_options, bar);
  bar.clear();
  throw_if_interrupted();
  stream.save(flags.output);
  if (flags.run.quiet) return;
  const BlockModel block = stream.block();
  fmt::print("{}: {} rows, weight {:.15g}, library {}, {} components in {}\n", flags.output,
             block.rows(), block.total_weight(), block.library_size(), block.components(),
             time_since(start));
}

void run(const SummarizeFlags& flags) {
  if (flags.method == kLandmarks) return summarize_landmarks(flags);
  if (!flags.landmarks_from.empty())
    throw UsageError("--landmarks-from is an option of the method landmarks");
  if (flags.method == kShadow) return summarize_cover(flags);
  summarize_blocks(flags);
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
           "  mercer summarize monday.npy --method shadow --gamma 0.5 --ell 4 -o monday.part\n"
           "  mercer summarize monday.npy --method partitioned --gamma 0.5 --mse 1e-3 -o "
           "m.block\n\n"
           "Parts may be summed up at different times and on different machines. With landmarks,\n"
           "all have to use the same model: its landmarks, its kernel, its columns and their\n"
           "scaling. Covers (--method shadow) need the same kernel and radius, blocks\n"
           "(--method partitioned) the same kernel; these can also be continued, by mercer update.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("DATA", flags->data, "The part: csv, npy, libsvm, idx, images; also .gz");
  arguments.option("-o,--output", "FILE", flags->output, "Where to write the sums").required();
  arguments
      .option("--method", "NAME", flags->method,
              "landmarks (default: sums that add up exactly), shadow (a cover by weighted "
              "centres), partitioned (kernel PCA of this part, which merges with that of others)")
      .one_of({kLandmarks, kShadow, kPartitioned});
  arguments.option("--landmarks-from", "FILE", flags->landmarks_from,
                   "A model from mercer fit --method landmarks, the same for all parts");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("Shadow covers");
  flags->reduction.add_radius(arguments);
  arguments.flag("--halve", flags->halve,
                 "Half of that radius: after a merge no row is farther than the whole");
  arguments.group("Blocks (partitioned)");
  flags->blocks.add(arguments);
  flags->stream.add(arguments);
  arguments.flag("--no-center", flags->no_center, "Do not subtract the mean in feature space");
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
