// Manifold methods of rows: the rows become the nodes of a graph, all of them or weighted centres,
// and the method goes on with those.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "engine/kernel_value.h"
#include "methods/fit_record.h"
#include "methods/graph_fit.h"
#include "methods/reduce_rows.h"
#include "methods/training_rows.h"

namespace mercer {

namespace {

using methods::FitRecord;
using methods::GraphNodes;
using methods::TrainingRows;

/// Nodes and the centres that they may be a view of.
struct OwnedNodes {
  WeightedSet set;
  GraphNodes nodes;
};

GraphNodes all_rows(const TrainingRows& data, const Kernel& kernel) {
  if (!data.in_memory()) {
    throw InvalidArgument(
        "reduction is none, but a graph of streamed rows needs centres that are found in one pass: "
        "choose shadow or paring, or read the rows into memory");
  }
  const auto points = *data.in_memory();
  const auto weights = data.memory_weights();
  GraphNodes nodes{.kernel = kernel, .points = points, .weights = {}, .rows = points.rows()};
  nodes.weights.assign(weights.begin(), weights.end());
  if (weights.empty()) nodes.weights.assign(points.rows(), 1.0);
  return nodes;
}

OwnedNodes reduced_rows(TrainingRows& data, const ReductionOptions& reduction, const Kernel& kernel,
                        FitRecord& record) {
  record.begin("reduction");
  OwnedNodes owned;
  owned.set = methods::reduce_rows(data, kernel, reduction, record.seed(),
                                   record.memory_limit_bytes(), record.workers());
  record.choice(
      "nodes", std::to_string(owned.set.size()),
      fmt::format("{} centres of {} rows, weights by {}{}",
                  methods::reduction_name(reduction.method), owned.set.data_rows,
                  methods::center_weights_name(reduction.weights),
                  owned.set.radius ? fmt::format(", radius {:.6g}", *owned.set.radius) : ""));
  owned.nodes = methods::graph_nodes(owned.set, kernel, record);
  return owned;
}

OwnedNodes nodes_of(TrainingRows& data, const ReductionOptions& reduction, const Kernel& asked,
                    FitRecord& record) {
  record.begin("bandwidth");
  methods::check_graph_kernel(asked);
  if (const auto& points = data.in_memory()) {
    engine::check_training_points(asked, *points);
    methods::check_weights(data.memory_weights(), points->rows());
  }
  if (reduction.method != Reduction::none) {
    const Kernel kernel = record.resolve(asked, data);
    return reduced_rows(data, reduction, kernel, record);
  }
  OwnedNodes owned;
  owned.nodes = all_rows(data, asked);
  owned.nodes.kernel = record.resolve(asked, data);
  return owned;
}

void refuse_weights(const std::vector<double>& weights) {
  if (weights.empty()) return;
  throw InvalidArgument("weights are given, but the rows come from a source: it delivers theirs");
}

Fit laplacian_eigenmaps_of(TrainingRows data, const Kernel& kernel,
                           const LaplacianEigenmapOptions& options, const RunOptions& run) {
  FitRecord record("laplacian_eigenmaps", run);
  const auto owned = nodes_of(data, options.reduction, kernel, record);
  return methods::laplacian_eigenmaps(owned.nodes, options, record);
}

Fit diffusion_maps_of(TrainingRows data, const Kernel& kernel, const DiffusionMapOptions& options,
                      const RunOptions& run) {
  FitRecord record("diffusion_maps", run);
  const auto owned = nodes_of(data, options.reduction, kernel, record);
  return methods::diffusion_maps(owned.nodes, options, record);
}

std::vector<std::size_t> labels_of(const NormalizedCut& cut, TrainingRows& data,
                                   const RunOptions& run, FitRecord& record) {
  constexpr std::size_t kChunkRows = 4096;
  RunOptions quiet = run;
  quiet.progress = nullptr;  // the pass over the rows is what is reported
  std::vector<std::size_t> labels;
  record.workers().begin_phase("labels");
  data.for_each_chunk(
      kChunkRows,
      [&](const methods::Chunk& chunk) {
        const auto some = label_rows(cut.fit.model, cut.cluster_centers, chunk.points, quiet);
        labels.insert(labels.end(), some.begin(), some.end());
      },
      record.workers());
  return labels;
}

Choice cluster_sizes(const NormalizedCut& cut) {
  std::vector<std::size_t> sizes(cut.cluster_centers.rows(), 0);
  std::size_t without = 0;
  for (const std::size_t label : cut.labels) ++(label == kNoLabel ? without : sizes[label]);
  return {.what = "clusters",
          .value = std::to_string(sizes.size()),
          .why = fmt::format("of {} rows{}", fmt::join(sizes, ", "),
                             without > 0 ? fmt::format("; {} are too far from all", without) : "")};
}

NormalizedCut normalized_cut_of(TrainingRows data, const Kernel& kernel,
                                const NormalizedCutOptions& options, const RunOptions& run) {
  FitRecord record("normalized_cut", run);
  const auto owned = nodes_of(data, options.reduction, kernel, record);
  auto cut = methods::normalized_cut(owned.nodes, options, record);
  if (options.reduction.method != Reduction::none) {
    cut.labels = labels_of(cut, data, run, record);
  }
  Summary& summary = cut.fit.summary;
  summary.choices.push_back(cluster_sizes(cut));
  cut.fit.model = cut.fit.model.with_summary(summary);
  return cut;
}

}  // namespace

Fit fit_laplacian_eigenmaps(MatrixView<const double> points, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run) {
  options.validate();
  return laplacian_eigenmaps_of(TrainingRows(points, options.weights), kernel, options, run);
}

Fit fit_laplacian_eigenmaps(RowSource& rows, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run) {
  options.validate();
  refuse_weights(options.weights);
  return laplacian_eigenmaps_of(TrainingRows(rows), kernel, options, run);
}

Fit fit_diffusion_maps(MatrixView<const double> points, const Kernel& kernel,
                       const DiffusionMapOptions& options, const RunOptions& run) {
  options.validate();
  return diffusion_maps_of(TrainingRows(points, options.weights), kernel, options, run);
}

Fit fit_diffusion_maps(RowSource& rows, const Kernel& kernel, const DiffusionMapOptions& options,
                       const RunOptions& run) {
  options.validate();
  refuse_weights(options.weights);
  return diffusion_maps_of(TrainingRows(rows), kernel, options, run);
}

NormalizedCut fit_normalized_cut(MatrixView<const double> points, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run) {
  options.validate();
  return normalized_cut_of(TrainingRows(points, options.weights), kernel, options, run);
}

NormalizedCut fit_normalized_cut(RowSource& rows, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run) {
  options.validate();
  refuse_weights(options.weights);
  return normalized_cut_of(TrainingRows(rows), kernel, options, run);
}

}  // namespace mercer
