#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <mercer/data.h>
#include <mercer/error.h>
#include <mercer/files.h>
#include <mercer/incremental.h>

#include "cli/commands.h"
#include "cli/component_flags.h"
#include "cli/interrupt.h"
#include "cli/kernel_flags.h"
#include "cli/output.h"
#include "cli/program.h"
#include "cli/run_flags.h"
#include "cli/stream.h"
#include "cli/table_flags.h"

namespace mercer::cli {
namespace {

struct UpdateFlags {
  std::string state;
  std::string data;
  std::string output;
  std::string model;
  std::string json;
  bool start = false;
  bool resume = false;
  std::size_t save_every = 20;
  StreamBlocks blocks;
  ComponentFlags components;
  StreamFlags stream;
  KernelFlags kernel;
  TableFlags table;
  RunFlags run;

  /// The state is replaced by the new one unless that has a name of its own.
  const std::string& new_state() const { return output.empty() ? state : output; }
  /// Where states go on the way. The old one stays until the new one is complete, so that it is
  /// known how many rows came before these.
  std::string partial() const { return new_state() + ".partial"; }
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// What a stream that has begun knows already.
void refuse_options_of_a_start(const UpdateFlags& flags) {
  std::vector<const char*> given = flags.stream.given();
  std::ranges::copy(flags.kernel.given(), std::back_inserter(given));
  std::ranges::copy(flags.table.given_rules(), std::back_inserter(given));
  if (flags.components.no_center) given.push_back("--no-center");
  if (flags.run.seed != 0) given.push_back("--seed");
  if (given.empty()) return;
  throw UsageError(fmt::format("{} is for --start; a stream keeps what it began with", given[0]));
}

void require_sensible(const UpdateFlags& flags) {
  flags.blocks.require_rows();
  if (flags.save_every == 0) throw UsageError("--save-every is 0: save after one block or more");
  if (!flags.table.labels_file.empty())
    throw UsageError("--labels has no use here; --label-column keeps a column apart");
  const ComponentFlags& components = flags.components;
  if (flags.model.empty() &&
      (components.components || components.retain || components.min_eigenvalue))
    throw UsageError("a state has all components; with --model FILE, say how many that has");
  if (flags.model.empty() && !flags.json.empty())
    throw UsageError("--json is the summary of a model; add --model FILE");
  if (!flags.start) return refuse_options_of_a_start(flags);
  flags.table.projection.require_fitting(flags.kernel.kernel());
  if (exists(flags.state))
    throw UsageError(fmt::format(
        "'{}' exists; leave out --start to go on with it, or choose another name", flags.state));
}

void require_good_outputs(const UpdateFlags& flags) {
  std::vector<std::filesystem::path> taken{flags.data};
  const auto check = [&](const std::string& path) {
    require_other_file(path, taken);
    require_writable(path);
    taken.emplace_back(path);
  };
  check(flags.new_state());
  check(flags.partial());
  if (flags.state != flags.new_state()) taken.emplace_back(flags.state);
  if (!flags.model.empty()) check(flags.model);
  if (!flags.json.empty() && !is_standard_output(flags.json)) check(flags.json);
}

IncrementalFit load_stream(const std::string& path) {
  if (!exists(path))
    throw UsageError(fmt::format("'{}' does not exist; --start begins a stream there", path));
  if (file_kind(path) == FileKind::stream) return IncrementalFit::load(path);
  throw UsageError(
      fmt::format("{} is no stream, so it cannot take more rows; mercer update --start or mercer "
                  "summarize --method partitioned begins one",
                  path));
}

bool same_kernel(const Kernel& asked, const Kernel& kept) {
  return kernel_name(asked) == kernel_name(kept) &&
         (!is_resolved(asked) || kernel_parameters(asked) == kernel_parameters(kept));
}

/// A limit that was left to be found from the first block is in the state as a number.
bool same_options(const IncrementalOptions& asked, const IncrementalOptions& kept) {
  const LibraryOptions& a = asked.library;
  const LibraryOptions& b = kept.library;
  return asked.center == kept.center && asked.seed == kept.seed &&
         asked.library_limit == kept.library_limit && a.rule == b.rule &&
         a.candidates == b.candidates && (!a.mse || a.mse == b.mse) && a.max_error == b.max_error &&
         a.max_library == b.max_library && asked.merge.keep == kept.merge.keep &&
         asked.merge.rule == kept.merge.rule &&
         asked.merge.max_components == kept.merge.max_components;
}

/// The state that an interrupted run left, if it can be one of the run that is asked for.
IncrementalFit load_partial(const UpdateFlags& flags, const std::optional<IncrementalFit>& before,
                            const IncrementalOptions& asked) {
  const std::string path = flags.partial();
  if (!flags.resume)
    throw UsageError(fmt::format(
        "'{}' is left of an interrupted run: --resume goes on with it; remove it to begin again",
        path));
  IncrementalFit partial = load_stream(path);
  const std::uint64_t rows_before = before ? before->rows() : 0;
  const std::uint64_t blocks_before = before ? before->blocks() : 0;
  if (partial.rows() <= rows_before || partial.blocks() <= blocks_before)
    throw UsageError(
        fmt::format("'{}' has no rows that '{}' has not: remove it", path, flags.state));
  const std::uint64_t rows = partial.rows() - rows_before;
  const std::uint64_t blocks = partial.blocks() - blocks_before;
  if ((rows - 1) / flags.blocks.rows + 1 != blocks)
    throw UsageError(
        fmt::format("the interrupted run had read {} rows in {} blocks; --block-size {} would cut "
                    "them otherwise",
                    rows, blocks, flags.blocks.rows));
  if (flags.start && (!same_kernel(flags.kernel.kernel(), partial.kernel()) ||
                      !same_options(asked, partial.options())))
    throw UsageError("the interrupted run was started with other options");
  return partial;
}

std::unique_ptr<FileRows> open_data(const UpdateFlags& flags,
                                    const std::optional<IncrementalFit>& stream,
                                    std::size_t memory_limit_bytes) {
  TableOptions options = flags.table.options(memory_limit_bytes);
  if (stream) {
    const BlockModel block = stream->block();
    options.rules = block.input().columns;
    if (options.weight.kind == ColumnName::Kind::none &&
        block.total_weight() != static_cast<double>(block.rows()))
      throw UsageError(
          "the rows before had weights; name their column with --sample-weight-column");
  }
  return open_rows(flags.data, options);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Blocks that need large libraries take long: no more than this is lost with a process.
constexpr double kMostSecondsUnsaved = 60;

/// Adds the rows, and leaves a state to resume from when that is interrupted.
void add_saving(const UpdateFlags& flags, IncrementalFit& stream, RowSource& rows,
                std::uint64_t seen, const RunOptions& run, ProgressBar& bar) {
  const std::uint64_t first_block = stream.blocks();
  auto saved = std::chrono::steady_clock::now();
  try {
    add_rows(stream, rows, seen, flags.blocks.rows, run, bar, [&] {
      const bool due = (stream.blocks() - first_block) % flags.save_every == 0;
      if (!due && seconds_since(saved) < kMostSecondsUnsaved) return;
      stream.save(flags.partial());
      saved = std::chrono::steady_clock::now();
    });
  } catch (const Cancelled&) {
    if (stream.blocks() == first_block && seen == 0) throw;
    bar.clear();
    if (stream.blocks() > first_block) stream.save(flags.partial());
    throw Halted(fmt::format("cancelled with {} rows in '{}'; --resume goes on from there",
                             stream.rows(), flags.partial()));
  }
}

void print_results(const UpdateFlags& flags, const IncrementalFit& stream,
                   const std::optional<Fit>& fit, std::uint64_t added, double seconds) {
  if (fit && !flags.json.empty()) write_or_print(flags.json, fit->summary.json());
  if (flags.run.quiet || is_standard_output(flags.json)) return;
  const BlockModel block = stream.block();
  fmt::print("{}: {} rows more, {} in {} blocks; library {}, {} components, in {}\n",
             flags.new_state(), added, stream.rows(), stream.blocks(), block.library_size(),
             block.components(), format_seconds(seconds));
  if (fit) fmt::print("{}\n", fit->summary.full());
}

void run(const UpdateFlags& flags) {
  const auto begin = std::chrono::steady_clock::now();
  require_sensible(flags);
  ProgressBar bar(!flags.run.quiet);
  const RunOptions run_options = flags.run.options(bar);
  const IncrementalOptions options =
      flags.stream.options(!flags.components.no_center, flags.run.seed);
  const BlockFitOptions model_options = block_fit_options(flags.components);
  std::optional<IncrementalFit> stream;
  if (!flags.start) stream = load_stream(flags.state);
  require_good_outputs(flags);
  const std::uint64_t rows_before = stream ? stream->rows() : 0;
  if (exists(flags.partial())) stream = load_partial(flags, stream, options);
  const auto rows = open_data(flags, stream, run_options.memory_limit_bytes);
  if (!stream)
    stream.emplace(flags.kernel.kernel(), options,
                   flags.table.maps_of_part(rows->rules(), *rows, run_options));

  add_saving(flags, *stream, *rows, stream->rows() - rows_before, run_options, bar);
  bar.clear();
  // The state last: when writing the model fails, the rows do not count yet.
  std::optional<Fit> fit;
  if (!flags.model.empty()) {
    fit = stream->finish(model_options, run_options);
    fit->summary.phases.insert(fit->summary.phases.begin(), {"rows", seconds_since(begin)});
    fit->model.with_summary(fit->summary).save(flags.model);
  }
  stream->save(flags.new_state());
  std::error_code ignored;  // a state that stays is noticed by the next run
  std::filesystem::remove(flags.partial(), ignored);
  print_results(flags, *stream, fit, stream->rows() - rows_before, seconds_since(begin));
}

}  // namespace

void add_update(Program& program) {
  auto flags = std::make_shared<UpdateFlags>();
  Arguments arguments = program.add(
      {.name = "update",
       .help = "Add rows to a stream whose model can be had at any moment",
       .examples =
           "  mercer update s.stream monday.npy --start --gamma 0.5 --mse 0.001\n"
           "  mercer update s.stream tuesday.npy --model both.mercer --components 20\n"
           "  mercer update s.stream huge.csv.gz --resume\n"
           "  mercer merge s.stream -o s.mercer\n\n"
           "Every row is read once, and the memory does not grow with the rows: a block adds to\n"
           "the library only what that does not represent yet. While it runs, the state is saved\n"
           "now and then beside its place, as STATE.partial; after a crash the same command with\n"
           "--resume goes on from there and ends with the same bits. States merge with parts\n"
           "from mercer summarize --method partitioned, and those can be updated.",
       .heavy = true,
       .run = [flags] { run(*flags); }});
  arguments.positional("STATE", flags->state, "The stream so far");
  arguments.positional("DATA", flags->data, "Rows to add: csv, npy, libsvm, idx, images; also .gz");
  const Argument output = arguments.option("-o,--output", "FILE", flags->output,
                                           "Where to write the new state (default: STATE itself)");
  arguments
      .flag("--start", flags->start,
            "Begin the stream: STATE does not exist yet, and the options of kernel, columns and "
            "library count")
      .excludes(output);
  arguments.flag("--resume", flags->resume,
                 "Go on with a run that was interrupted, if it left a state");
  arguments.option("--save-every", "N", flags->save_every,
                   "Save after every N blocks on the way (default 20), and after a minute");
  flags->blocks.add(arguments);
  arguments.option("--model", "FILE", flags->model, "Also write the model of all rows so far");
  arguments.option("--json", "FILE", flags->json,
                   "Also write the summary of the model as JSON; - prints it and nothing else");
  flags->run.add_quiet(arguments, "Print nothing");
  arguments.group("The model");
  flags->components.add(arguments);
  arguments.group("Greedy libraries (--start)");
  flags->stream.add(arguments);
  flags->kernel.add(arguments);
  flags->table.add(arguments);
  arguments.group("Running");
  flags->run.add_threads_and_memory(arguments);
  flags->run.add_seed(arguments);
}

}  // namespace mercer::cli
