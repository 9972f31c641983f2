// Manifold methods of rows: the rows become the nodes of a graph, all of them or weighted centres,
// and the method goes on with those.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "engine/kernel_value.h"
#include "engine/random.h"
#include "methods/fit_record.h"
#include "methods/graph_fit.h"
#include "methods/training_rows.h"

namespace mercer {

namespace {

using methods::FitRecord;
using methods::GraphNodes;
using methods::TrainingRows;

constexpr std::uint64_t kSampleStream = 0x6d616e69;
/// As many as the median heuristic looks at.
constexpr std::size_t kBandwidthRows = 1000;
constexpr std::size_t kLabelRows = 4096;

/// Nodes and the centres that they may be a view of.
struct OwnedNodes {
  WeightedSet set;
  GraphNodes nodes;
};

/// The centres become the nodes; the kernel has all its parameters.
OwnedNodes nodes_of(WeightedSet set, const Kernel& kernel, FitRecord& record) {
  record.choice("nodes", std::to_string(set.size()),
                fmt::format("the reduction of {} rows", set.data_rows));
  OwnedNodes owned{.set = std::move(set), .nodes = {}};
  owned.nodes = methods::graph_nodes(owned.set, kernel, record);
  return owned;
}

OwnedNodes nodes_of(MatrixView<const double> points, const std::vector<double>& weights,
                    const ReductionOptions& reduction, const Kernel& asked, FitRecord& record) {
  record.begin("bandwidth");
  methods::check_graph_kernel(asked);
  engine::check_training_points(asked, points);
  methods::check_weights(weights, points.rows());
  const Kernel kernel = record.resolve(asked, points);
  if (reduction.method == Reduction::none) {
    return {
        .set = {},
        .nodes = {.kernel = kernel,
                  .points = points,
                  .weights = weights.empty() ? std::vector<double>(points.rows(), 1.0) : weights,
                  .rows = points.rows()}};
  }
  record.begin("reduction");
  return nodes_of(reduce(points, weights, kernel, reduction, record.run()), kernel, record);
}

Kernel resolve_from_sample(RowSource& rows, const Kernel& asked, FitRecord& record) {
  if (is_resolved(asked)) return asked;
  TrainingRows data(rows);
  const auto samples = methods::sample_rows(
      data, asked, kBandwidthRows, 0, {},
      engine::RandomStream(record.seed()).substream(kSampleStream), record.workers());
  rows.rewind();
  return record.resolve(asked, samples.chosen.points);
}

OwnedNodes nodes_of(RowSource& rows, const std::vector<double>& weights,
                    const ReductionOptions& reduction, const Kernel& asked, FitRecord& record) {
  if (!weights.empty()) {
    throw InvalidArgument("weights are given, but the rows come from a source: it delivers theirs");
  }
  if (reduction.method == Reduction::none) {
    throw InvalidArgument(
        "reduction is none, but a graph of streamed rows needs centres that are found in one pass: "
        "choose shadow or paring, or read the rows into memory");
  }
  record.begin("bandwidth");
  methods::check_graph_kernel(asked);
  const Kernel kernel = resolve_from_sample(rows, asked, record);
  record.begin("reduction");
  return nodes_of(reduce(rows, kernel, reduction, record.run()), kernel, record);
}

std::vector<std::size_t> labels_of(const NormalizedCut& cut, RowSource& rows, FitRecord& record) {
  std::vector<std::size_t> labels;
  TrainingRows data(rows);
  record.workers().begin_phase("labels");
  data.for_each_chunk(
      kLabelRows,
      [&](const methods::Chunk& chunk) {
        RunOptions quiet = record.run();
        quiet.progress = nullptr;  // the pass over the rows is what is reported
        const auto some = label_rows(cut.fit.model, cut.cluster_centers, chunk.points, quiet);
        labels.insert(labels.end(), some.begin(), some.end());
      },
      record.workers());
  return labels;
}

}  // namespace

void LaplacianEigenmapOptions::validate() const {
  methods::check_options(*this);
  reduction.validate();
}

void DiffusionMapOptions::validate() const {
  methods::check_options(*this);
  reduction.validate();
}

void NormalizedCutOptions::validate() const {
  methods::check_options(*this);
  reduction.validate();
}

Fit fit_laplacian_eigenmaps(MatrixView<const double> points, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run) {
  options.validate();
  FitRecord record("laplacian_eigenmaps", run);
  const auto owned = nodes_of(points, options.weights, options.reduction, kernel, record);
  return methods::laplacian_eigenmaps(owned.nodes, options, record);
}

Fit fit_laplacian_eigenmaps(RowSource& rows, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run) {
  options.validate();
  FitRecord record("laplacian_eigenmaps", run);
  const auto owned = nodes_of(rows, options.weights, options.reduction, kernel, record);
  return methods::laplacian_eigenmaps(owned.nodes, options, record);
}

Fit fit_diffusion_maps(MatrixView<const double> points, const Kernel& kernel,
                       const DiffusionMapOptions& options, const RunOptions& run) {
  options.validate();
  FitRecord record("diffusion_maps", run);
  const auto owned = nodes_of(points, options.weights, options.reduction, kernel, record);
  return methods::diffusion_maps(owned.nodes, options, record);
}

Fit fit_diffusion_maps(RowSource& rows, const Kernel& kernel, const DiffusionMapOptions& options,
                       const RunOptions& run) {
  options.validate();
  FitRecord record("diffusion_maps", run);
  const auto owned = nodes_of(rows, options.weights, options.reduction, kernel, record);
  return methods::diffusion_maps(owned.nodes, options, record);
}

NormalizedCut fit_normalized_cut(MatrixView<const double> points, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run) {
  options.validate();
  FitRecord record("normalized_cut", run);
  const auto owned = nodes_of(points, options.weights, options.reduction, kernel, record);
  auto cut = methods::normalized_cut(owned.nodes, options, record);
  if (options.reduction.method != Reduction::none) {
    cut.labels = label_rows(cut.fit.model, cut.cluster_centers, points, run);
  }
  return cut;
}

NormalizedCut fit_normalized_cut(RowSource& rows, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run) {
  options.validate();
  FitRecord record("normalized_cut", run);
  const auto owned = nodes_of(rows, options.weights, options.reduction, kernel, record);
  auto cut = methods::normalized_cut(owned.nodes, options, record);
  cut.labels = labels_of(cut, rows, record);
  return cut;
}

}  // namespace mercer
