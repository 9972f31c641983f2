// Clusters by the normalised cut. J. Shi, J. Malik, "Normalized cuts and image segmentation", IEEE
// PAMI 22 (2000): the relaxed cut into several clusters is solved by the coordinates of random-walk
// Laplacian eigenmaps, in which rows of one cluster lie close together. The paper's recursive cut
// in two is replaced by k-means on all coordinates at once (its section 5), as is usual since.
//
// Cost: that of the eigenmaps, then restarts x iterations x m x clusters x components.

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "density/kmeans.h"
#include "density/squared_distance.h"
#include "engine/random.h"
#include "engine/stopwatch.h"
#include "methods/graph_fit.h"

namespace mercer {

namespace {

constexpr std::uint64_t kSeedStream = 0x6e637574;

/// y of the nodes, from the coefficients w y / lambda.
Matrix<double> node_coordinates(const Model& model) {
  Matrix<double> y(model.coefficients());
  for (std::size_t i = 0; i < y.rows(); ++i) {
    for (std::size_t j = 0; j < y.cols(); ++j) {
      y(i, j) *= model.eigenvalues()[j] / model.degree_weights()[i];
    }
  }
  return y;
}

/// Weighted sum of squared distances to the nearest centre, in the unit of `scale`.
double inertia(MatrixView<const double> points, std::span<const double> weights,
               MatrixView<const double> centers, std::span<const std::size_t> labels,
               double scale) {
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    sum += weights[i] * density::squared_distance(points.row(i), centers.row(labels[i]), scale);
  }
  return sum;
}

struct Clusters {
  Matrix<double> centers;
  std::vector<std::size_t> labels;
};

/// The best of several runs of k-means, the first on ties.
Clusters best_clusters(MatrixView<const double> points, std::span<const double> weights,
                       const NormalizedCutOptions& options, methods::FitRecord& record) {
  const auto stream = engine::RandomStream(record.seed()).substream(kSeedStream);
  const double scale = density::squaring_scale(points);
  Clusters best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t run = 0; run < options.restarts; ++run) {
    const auto seeds = density::kmeans_seeds(points, weights, options.clusters,
                                             stream.substream(run), record.workers());
    auto start = Matrix<double>::uninitialized(seeds.size(), points.cols());
    for (std::size_t c = 0; c < seeds.size(); ++c) {
      std::ranges::copy(points.row(seeds[c]), start.row(c).begin());
    }
    auto cells = density::lloyd(points, weights, start, options.iterations, record.workers());
    auto labels = density::assign_nearest(points, cells.centres, record.workers());
    const double found = inertia(points, weights, cells.centres, labels, scale);
    if (found >= least) continue;
    least = found;
    best = {.centers = std::move(cells.centres), .labels = std::move(labels)};
  }
  return best;
}

LaplacianEigenmapOptions eigenmap_options(const NormalizedCutOptions& options) {
  LaplacianEigenmapOptions result;
  result.components = options.components.value_or(options.clusters - 1);
  result.self_loops = options.self_loops;
  result.reduction = options.reduction;
  result.solver = options.solver;
  return result;
}

}  // namespace

NormalizedCut methods::normalized_cut(const GraphNodes& nodes, const NormalizedCutOptions& options,
                                      FitRecord& record) {
  Fit fit = laplacian_eigenmaps(nodes, eigenmap_options(options), record);
  record.workers().begin_phase("kmeans");
  engine::Stopwatch clock;
  clock.begin("kmeans");
  const auto y = node_coordinates(fit.model);
  auto clusters = best_clusters(y, nodes.weights, options, record);
  clock.end();
  Summary& summary = fit.summary;
  summary.phases.insert(summary.phases.end(), clock.phases().begin(), clock.phases().end());
  summary.seconds += clock.seconds();
  if (clusters.centers.rows() < options.clusters) {
    summary.warnings.push_back(
        fmt::format("{} of {} clusters: no more of the nodes' coordinates "
                    "differ",
                    clusters.centers.rows(), options.clusters));
  }
  fit.model = fit.model.with_summary(summary);
  return {.fit = std::move(fit),
          .labels = std::move(clusters.labels),
          .cluster_centers = std::move(clusters.centers)};
}

void NormalizedCutOptions::validate() const {
  if (clusters < 2) {
    throw InvalidArgument(fmt::format("clusters is {}: ask for at least two", clusters));
  }
  if (restarts == 0) throw InvalidArgument("restarts is 0: k-means needs at least one");
  if (iterations == 0) throw InvalidArgument("iterations is 0: k-means needs at least one");
  eigenmap_options(*this).validate();
}

NormalizedCut fit_normalized_cut(const WeightedSet& set, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run) {
  options.validate();
  methods::FitRecord record("normalized_cut", run);
  const auto nodes =
      methods::checked_nodes(set, kernel, options.weights, options.reduction, record);
  return methods::normalized_cut(nodes, options, record);
}

std::vector<std::size_t> label_rows(const Model& model, MatrixView<const double> cluster_centers,
                                    MatrixView<const double> points, const RunOptions& run) {
  if (cluster_centers.rows() == 0 || cluster_centers.cols() != model.components()) {
    throw InvalidArgument(fmt::format(
        "cluster_centers is {} x {}: it needs a row for each cluster and {} columns, the "
        "components of the model",
        cluster_centers.rows(), cluster_centers.cols(), model.components()));
  }
  auto z = model.transform(points, run);
  std::vector<bool> known(z.rows(), true);
  for (std::size_t i = 0; i < z.rows(); ++i) {
    const auto row = z.row(i);
    if (std::ranges::all_of(row, [](double value) { return std::isfinite(value); })) continue;
    known[i] = false;
    std::ranges::fill(row, 0.0);  // distances are taken of finite rows only
  }
  engine::Workers workers(run);
  auto labels = density::assign_nearest(z, cluster_centers, workers);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!known[i]) labels[i] = kNoLabel;
  }
  return labels;
}

}  // namespace mercer
