// Kernel PCA of data that are divided into blocks.
//
//   T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006
//
//   symbol      meaning
//   c, n_k      number of blocks, rows in block k
//   s_k, S      size of the library of block k, of all libraries together
//   s           size of the library of the result
//
// 1. Each block is filtered by a greedy choice (greedy.cpp): rows of its library, to the mean
// square
//    error asked for. Blocks are independent of each other.
// 2. none       kernel PCA of the blocks is merged (block_merge.cpp), along a tree; the paper
// merges
//               one block after another, which deflates more often.
//    reproject  all rows are projected on the span of all libraries: landmark kernel PCA with the
//               union as landmarks.
//    two_level  the same with the rows that one more greedy choice takes from the union.
//
// The paper has the merge only. But each block covers the whole distribution, so libraries overlap:
// ten blocks of Abalone have 282 rows where 44 do for all rows together. The second choice costs
// next to nothing, and the second pass projects each row on the final library instead of that of
// its block, which is more accurate by orders of magnitude. So it is the default.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/landmarks.h>
#include <mercer/partitioned.h>

#include "engine/kernel_value.h"
#include "methods/block_merge.h"
#include "methods/block_partition.h"
#include "methods/block_stage.h"
#include "methods/block_state.h"
#include "methods/fit_record.h"
#include "methods/landmark_model.h"
#include "methods/landmark_pass.h"
#include "methods/training_rows.h"
#include "methods/union_library.h"
#include "model/option_names.h"

namespace mercer {

namespace {

constexpr std::uint64_t kPartitionStream = 0x706172746974;
constexpr std::uint64_t kBlockStream = 0x626c6f636b;
constexpr std::uint64_t kUnionStream = 0x756e696f6e;

const char* refine_name(Refine refine) {
  switch (refine) {
    case Refine::none:
      return "none";
    case Refine::reproject:
      return "reproject";
    case Refine::automatic:
    case Refine::two_level:
      return "two_level";
  }
  return "";
}

class PartitionedFit {
 public:
  PartitionedFit(methods::TrainingRows& data, RowSource* source, const PartitionedOptions& options,
                 const RunOptions& run)
      : data_(data),
        source_(source),
        options_(options),
        record_("partitioned", run),
        stream_(record_.seed()) {}

  Fit run(const Kernel& asked);

 private:
  void blocks_from_memory(methods::BlockStage& stage);
  void blocks_from_source(methods::BlockStage& stage);
  Refine decide_refine(std::size_t blocks);
  Fit merged(methods::BlockStage& stage);
  Fit refined(MatrixView<const double> libraries, Refine refine);

  engine::Workers& workers() { return record_.workers(); }

  methods::TrainingRows& data_;
  RowSource* source_;
  const PartitionedOptions& options_;
  methods::FitRecord record_;
  engine::RandomStream stream_;
  Kernel kernel_;
  LibraryOptions library_;
  std::size_t rows_ = 0;
};

void PartitionedFit::blocks_from_memory(methods::BlockStage& stage) {
  const auto points = *data_.in_memory();
  const auto weights = data_.memory_weights();
  rows_ = points.rows();
  std::size_t done = 0;
  for (const auto& rows :
       methods::partition_rows(rows_, options_, stream_.substream(kPartitionStream))) {
    workers().report_rows(done, rows_);
    methods::BlockRows block{.points = methods::pick_rows(points, rows), .weights = {}};
    if (!weights.empty()) {
      for (const std::size_t row : rows) block.weights.push_back(weights[row]);
    }
    stage.add(std::move(block));
    done += rows.size();
  }
}

void PartitionedFit::blocks_from_source(methods::BlockStage& stage) {
  std::vector<std::size_t> ends;
  if (options_.blocks) {
    if (!data_.rows()) {
      throw InvalidArgument(
          "the number of rows of this source is not known before it is read: give block_size "
          "instead of blocks");
    }
    ends = methods::block_ends(*data_.rows(), options_);
  }
  const std::size_t size = options_.block_size.value_or(methods::kDefaultBlockRows);
  data_.for_each_chunk(
      [&](std::size_t first) {
        const auto end = std::ranges::upper_bound(ends, first);
        return end == ends.end() ? size : *end - first;
      },
      [&](const methods::Chunk& chunk) {
        engine::check_new_points(kernel_, chunk.points, chunk.first_row);
        stage.add({.points = Matrix<double>(chunk.points),
                   .weights = {chunk.weights.begin(), chunk.weights.end()}});
        rows_ += chunk.points.rows();
      },
      workers());
}

/// What is asked for; without a wish, whether the rows can be read once more is tried.
Refine PartitionedFit::decide_refine(std::size_t blocks) {
  Refine refine = options_.refine;
  std::string why = refine == Refine::none ? "every row is read once" : "every row is read twice";
  if (refine == Refine::automatic) {
    refine = Refine::two_level;
    why = "the rows can be read twice";
    try {
      if (source_ != nullptr) source_->rewind();
    } catch (const FileError&) {
      refine = Refine::none;
      why = "the rows can be read only once";
    }
  }
  record_.choice("refine", refine_name(refine), why);
  record_.summary().choices.insert(
      record_.summary().choices.begin(),
      {.what = "blocks",
       .value = std::to_string(blocks),
       .why = options_.partition == Partition::labels
                  ? "rows of the same label in each"
                  : fmt::format("about {} rows in each", rows_ / blocks)});
  return refine;
}

Fit PartitionedFit::merged(methods::BlockStage& stage) {
  record_.begin("merge");
  std::vector<BlockModel> blocks;
  for (auto& block : stage.blocks()) blocks.push_back(methods::make_block_model(std::move(block)));
  const BlockModel all = methods::merge_tree(std::move(blocks), options_.merge,
                                             record_.memory_limit_bytes(), workers());
  record_.begin("components");
  record_.choice("library", std::to_string(all.library_size()), "of all blocks together");
  return methods::fit_of_block(all.state().numbers,
                               {.components = options_.components,
                                .retain = options_.retain,
                                .min_eigenvalue = options_.min_eigenvalue},
                               record_);
}

Fit PartitionedFit::refined(MatrixView<const double> libraries, Refine refine) {
  methods::UnionLibrary chosen(kernel_, libraries, record_.memory_limit_bytes());
  if (refine == Refine::reproject) {
    chosen.take_all(data_, options_.center, record_);
  } else {
    chosen.choose(library_, data_, options_.center, stream_.substream(kUnionStream), record_);
  }
  const auto& spectrum = chosen.spectrum();
  const double mean_square = spectrum.residual_trace(chosen.set().size()) / spectrum.weight();
  Summary& summary = record_.summary();
  summary.kernel_evaluations += chosen.kernel_evaluations();
  summary.bounds.push_back(
      {.name = "mean_square_residual", .value = mean_square, .rigorous = true});
  record_.choice("library", std::to_string(chosen.set().size()),
                 fmt::format("of {} rows in the libraries of the blocks; {}", libraries.rows(),
                             chosen.reason()));
  const bool as_many_as_asked =
      library_.max_library && chosen.set().size() >= *library_.max_library;
  if (library_.mse && mean_square > *library_.mse && !as_many_as_asked) {
    summary.termination = {
        TerminationReason::tolerance_missed,
        fmt::format("{} rows in the library leave a mean square of {:.3g}, more than {:g}",
                    chosen.set().size(), mean_square, *library_.mse)};
  }
  const LandmarkOptions landmarks{.components = options_.components,
                                  .retain = options_.retain,
                                  .min_eigenvalue = options_.min_eigenvalue,
                                  .center = options_.center};
  return methods::landmark_fit(kernel_, chosen.set(), spectrum, landmarks, rows_,
                               /*single_precision=*/false, record_);
}

Fit PartitionedFit::run(const Kernel& asked) {
  record_.begin("blocks");
  methods::check_kernel(asked);
  methods::require_positive_semidefinite(asked, "blocks");
  if (data_.in_memory()) engine::check_training_points(asked, *data_.in_memory());
  kernel_ = record_.resolve(asked, data_);
  record_.choice("pivots", model::option_name(options_.library.rule), "on uncentred features");
  const methods::BlockPlan plan{
      .kernel = kernel_,
      .library = options_.library,
      .merge = options_.merge,
      .center = options_.center,
      .with_components = options_.refine == Refine::none ||
                         (options_.refine == Refine::automatic && source_ != nullptr)};
  methods::BlockStage stage(plan, stream_.substream(kBlockStream), record_.memory_limit_bytes(),
                            workers());
  if (data_.in_memory()) {
    blocks_from_memory(stage);
  } else {
    blocks_from_source(stage);
  }
  stage.finish();
  if (rows_ == 0) throw DataError("there are no rows");
  record_.summary().kernel_evaluations = stage.kernel_evaluations();
  const Refine refine = decide_refine(stage.count());
  if (refine == Refine::none) return merged(stage);
  if (stage.library_rows() == 0) {
    throw NumericalError("the libraries of all blocks are empty: ask for a smaller mse");
  }
  const auto libraries = stage.take_libraries();
  library_ = methods::with_target(options_.library, stage.mean_diagonal());
  return refined(libraries, refine);
}

}  // namespace

Fit fit_partitioned(MatrixView<const double> points, const Kernel& kernel,
                    const PartitionedOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  if (points.rows() == 0) throw DataError("there are no rows");
  methods::TrainingRows data(points, options.weights);
  return PartitionedFit(data, nullptr, options, run).run(kernel);
}

Fit fit_partitioned(RowSource& rows, const Kernel& kernel, const PartitionedOptions& options,
                    const RunOptions& run) {
  options.validate();
  if (!options.weights.empty()) {
    throw InvalidArgument("a source of rows brings its own weights; leave options.weights empty");
  }
  if (options.partition == Partition::random || options.partition == Partition::labels) {
    throw InvalidArgument(
        "a source is read in the order of its rows: a random partition, or one by labels, needs "
        "the "
        "rows in memory");
  }
  methods::TrainingRows data(rows);
  return PartitionedFit(data, &rows, options, run).run(kernel);
}

}  // namespace mercer
