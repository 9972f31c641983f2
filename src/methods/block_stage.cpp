#include "methods/block_stage.h"

#include <algorithm>
#include <utility>

#include "methods/greedy_library.h"

namespace mercer::methods {

namespace {

/// Blocks at work at a time, each with its share of the memory: a number of its own, because with
/// the number of threads the share, and so a library that it limits, would depend on them.
constexpr std::size_t kMostAtOnce = 16;

}  // namespace

BlockStage::BlockStage(const BlockPlan& plan, const engine::RandomStream& stream,
                       double memory_limit_bytes, engine::Workers& workers)
    : plan_(plan),
      stream_(stream),
      memory_limit_bytes_(memory_limit_bytes / static_cast<double>(kMostAtOnce)),
      workers_(workers) {}

void BlockStage::add(BlockRows rows) {
  waiting_.push_back(std::move(rows));
  if (waiting_.size() >= std::min(workers_.threads(), kMostAtOnce)) run_waiting();
}

void BlockStage::finish() {
  run_waiting();
}

BlockStage::Result BlockStage::run(const BlockRows& rows, std::size_t number,
                                   engine::Workers& workers) const {
  const double mean = methods::mean_diagonal(plan_.kernel, rows.points, rows.weights);
  const GreedyLibrary library(plan_.kernel, rows.points, rows.weights, 0,
                              with_target(plan_.library, mean), stream_.substream(number),
                              memory_limit_bytes_, workers);
  Result result;
  result.kernel_evaluations = library.kernel_evaluations();
  result.trace = library.trace();
  result.weight = library.weight();
  if (plan_.with_components) {
    result.block = block_of_library(library, plan_.kernel, rows.points.cols(), plan_.center,
                                    rows.weights, plan_.merge, workers);
  }
  result.library = pick_rows(rows.points, library.factor().pivots());
  return result;
}

void BlockStage::run_waiting() {
  const std::size_t first = count_;
  std::vector<Result> results(waiting_.size());
  workers_.for_each_alone(waiting_.size(), [&](std::size_t i, engine::Workers& inner) {
    results[i] = run(waiting_[i], first + i, inner);
  });
  for (Result& result : results) {
    library_rows_ += result.library.rows();
    evaluations_ += result.kernel_evaluations;
    trace_ += result.trace;
    weight_ += result.weight;
    libraries_.push_back(std::move(result.library));
    if (plan_.with_components) blocks_.push_back(std::move(result.block));
  }
  count_ += waiting_.size();
  waiting_.clear();
}

Matrix<double> BlockStage::take_libraries() {
  if (libraries_.empty()) return {};
  auto all = Matrix<double>::uninitialized(library_rows_, libraries_.front().cols());
  std::size_t at = 0;
  for (const auto& library : libraries_) {
    for (std::size_t i = 0; i < library.rows(); ++i) {
      std::ranges::copy(library.row(i), all.row(at++).begin());
    }
  }
  libraries_.clear();
  return all;
}

}  // namespace mercer::methods
