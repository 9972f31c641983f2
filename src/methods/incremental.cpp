// Kernel PCA of a stream of blocks.
//
//   T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006
//
// A block is filtered by a greedy choice that begins with the library so far, as if its points had
// been picked already: rows that it represents well enough add nothing. The partial Cholesky factor
// that the choice leaves has the coordinates of the new rows and of the old library alike, so that
// the old components are carried over exactly and scatter matrices add up (block_algebra.cpp).
// Against merging blocks with libraries of their own this makes the library smaller by the overlap
// of the blocks, fifty times on a long stream of one distribution, and more accurate.
//
// Where the library still grows beyond a limit it is reduced to points chosen for the components
// (library_reduction.cpp). What that loses is in `lost`, and every bound takes it into account.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/error.h>
#include <mercer/incremental.h>
#include <mercer/projection.h>

#include "engine/kernel_value.h"
#include "methods/block_algebra.h"
#include "methods/block_merge.h"
#include "methods/block_state.h"
#include "methods/greedy_library.h"
#include "model/block_file.h"
#include "system/memory.h"

namespace mercer {

struct IncrementalFit::State {
  Kernel kernel;
  InputMaps input;
  IncrementalOptions options;
  std::uint64_t blocks = 0;
  std::optional<BlockModel> block;  // shared with the models that were handed out
};

namespace {

using model::BlockNumbers;

constexpr std::uint64_t kBlockStream = 0x73747265616d;

/// One block after another.
class BlockStep {
 public:
  BlockStep(const Kernel& kernel, const IncrementalOptions& options, std::uint64_t number,
            double memory_limit_bytes, engine::Workers& workers)
      : kernel_(kernel),
        options_(options),
        stream_(engine::RandomStream(options.seed).substream(kBlockStream).substream(number)),
        memory_limit_bytes_(memory_limit_bytes),
        workers_(workers) {}

  BlockNumbers first(MatrixView<const double> rows, std::span<const double> weights) {
    const methods::GreedyLibrary library(kernel_, rows, weights, 0, options_.library, stream_,
                                         memory_limit_bytes_, workers_);
    workers_.begin_phase("components");
    return methods::block_of_library(library, kernel_, rows.cols(), options_.center, weights,
                                     options_.merge, workers_);
  }

  BlockNumbers next(const BlockNumbers& before, MatrixView<const double> rows,
                    std::span<const double> weights) {
    // The basis of a linear kernel never grows: there is nothing to save.
    if (!options_.seeded || before.linear()) {
      return methods::merge_blocks(before, first(rows, weights), options_.merge,
                                   memory_limit_bytes_, workers_);
    }
    const auto points = methods::stacked_rows(before.library, rows, rows.cols());
    const methods::GreedyLibrary library(kernel_, points, weights, before.library.rows(),
                                         options_.library, stream_, memory_limit_bytes_, workers_);
    workers_.begin_phase("components");
    return methods::block_with_rows(before, library, weights, options_.merge, workers_);
  }

  BlockNumbers reduced(BlockNumbers block) {
    if (block.library.rows() <= options_.library_limit) return block;
    workers_.begin_phase("reduction");
    return methods::reduce_library(
        block,
        options_.library_target.value_or(options_.library_limit - options_.library_limit / 8),
        memory_limit_bytes_, workers_);
  }

 private:
  const Kernel& kernel_;
  const IncrementalOptions& options_;
  engine::RandomStream stream_;
  double memory_limit_bytes_;
  engine::Workers& workers_;
};

/// Where the limit on the library, not the mean square asked for, decides how good the model is.
void warn_of_reductions(const BlockModel& all, const IncrementalOptions& options,
                        Summary& summary) {
  const bool deflated = options.merge.keep < 1 || options.merge.max_components;
  const double lost = (all.lost() + all.lost_mean()) / all.total_weight();
  if (deflated || !options.library.mse || lost <= *options.library.mse) return;
  summary.warnings.push_back(fmt::format(
      "reducing the library to its limit of {} lost {:.3g} a row, more than the mean square of "
      "{:g} "
      "asked for: allow a larger library (library_limit), or a larger mse or a wider kernel",
      options.library_limit, lost, *options.library.mse));
}

}  // namespace

void IncrementalOptions::validate() const {
  library.validate();
  merge.validate();
  if (library_limit == 0) throw InvalidArgument("library_limit is 0: allow at least one point");
  if (library_target && (*library_target == 0 || *library_target > library_limit)) {
    throw InvalidArgument(fmt::format(
        "library_target is {}: it must be at least 1 and no more than library_limit, {}",
        *library_target, library_limit));
  }
}

IncrementalFit::IncrementalFit(const Kernel& kernel, const IncrementalOptions& options,
                               const InputMaps& input)
    : state_(std::make_unique<State>(
          State{.kernel = kernel, .input = input, .options = options, .block = {}})) {
  options.validate();
  methods::check_kernel(kernel);
  methods::require_positive_semidefinite(kernel, "streams of blocks");
  if (!input.projection.empty()) require_projectable(kernel);
}

IncrementalFit::IncrementalFit(std::unique_ptr<State> state) : state_(std::move(state)) {}
IncrementalFit::~IncrementalFit() = default;
IncrementalFit::IncrementalFit(const IncrementalFit& other)
    : state_(std::make_unique<State>(*other.state_)) {}
IncrementalFit::IncrementalFit(IncrementalFit&&) noexcept = default;
IncrementalFit& IncrementalFit::operator=(const IncrementalFit& other) {
  if (this != &other) *this = IncrementalFit(other);
  return *this;
}
IncrementalFit& IncrementalFit::operator=(IncrementalFit&&) noexcept = default;

void IncrementalFit::partial_fit(MatrixView<const double> points, std::span<const double> weights,
                                 const RunOptions& run) {
  if (points.rows() == 0) throw DataError("the block has no rows");
  if (state_->block) {
    const std::size_t before = state_->input.row_columns(state_->block->columns());
    if (points.cols() != before) {
      throw DataError(
          fmt::format("the rows have {} columns, those before {}", points.cols(), before));
    }
  }
  methods::check_weights(weights, points.rows());
  Matrix<double> mapped;
  if (!state_->input.leaves_rows()) {
    mapped = state_->input.apply(Matrix<double>(points), run);
    points = mapped;
  }
  engine::check_training_points(state_->kernel, points);
  State after = *state_;
  engine::Workers workers(run);
  workers.begin_phase("library");
  if (!after.block) {
    after.kernel = resolve_bandwidth(after.kernel, points, {.seed = after.options.seed}).kernel;
    after.options.library = methods::with_target(
        after.options.library, methods::mean_diagonal(after.kernel, points, weights));
  }
  BlockStep step(after.kernel, after.options, after.blocks,
                 static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes)), workers);
  BlockNumbers block = after.block ? step.next(after.block->state().numbers, points, weights)
                                   : step.first(points, weights);
  block.input = after.input;
  after.block = methods::make_block_model(step.reduced(std::move(block)));
  ++after.blocks;
  *state_ = std::move(after);
}

std::uint64_t IncrementalFit::blocks() const {
  return state_->blocks;
}

std::uint64_t IncrementalFit::rows() const {
  return state_->block ? state_->block->rows() : 0;
}

const Kernel& IncrementalFit::kernel() const {
  return state_->kernel;
}

const IncrementalOptions& IncrementalFit::options() const {
  return state_->options;
}

BlockModel IncrementalFit::block() const {
  if (!state_->block) throw DataError("the stream has no rows yet");
  return *state_->block;
}

Fit IncrementalFit::finish(const BlockFitOptions& options, const RunOptions& run) const {
  const BlockModel all = block();
  methods::FitRecord record("incremental", run);
  record.begin("components");
  record.choice("blocks", std::to_string(state_->blocks), "one after another");
  record.choice("library", std::to_string(all.library_size()),
                fmt::format("at most {}", state_->options.library_limit));
  warn_of_reductions(all, state_->options, record.summary());
  return methods::fit_of_block(all.state().numbers, options, record);
}

void IncrementalFit::save(const std::filesystem::path& path) const {
  model::write_block(path, block().state().numbers,
                     model::StreamNumbers{.blocks = state_->blocks, .options = state_->options});
}

IncrementalFit IncrementalFit::load(const std::filesystem::path& path) {
  auto file = model::read_block(path);
  if (!file.stream) {
    throw FileError(fmt::format(
        "{}: holds a block but not the options of a stream; it can be merged, not continued",
        path.string()));
  }
  try {
    file.stream->options.validate();
  } catch (const InvalidArgument& e) {
    throw FileError(fmt::format("{}: {}", path.string(), e.what()));
  }
  return IncrementalFit(
      std::make_unique<State>(State{.kernel = file.block.kernel,
                                    .input = file.block.input,
                                    .options = file.stream->options,
                                    .blocks = file.stream->blocks,
                                    .block = methods::make_block_model(std::move(file.block))}));
}

}  // namespace mercer
