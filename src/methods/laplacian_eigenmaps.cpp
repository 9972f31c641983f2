// Laplacian eigenmaps. M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and
// data representation", Neural Computation 15 (2003); the random walk is the relaxed normalised cut
// of J. Shi, J. Malik, "Normalized cuts and image segmentation", IEEE PAMI 22 (2000).
//
//   symbol      meaning
//   K, w        kernel values of the m nodes, their weights
//   d, D        degrees K w, without self-loops less k(c, c); D = diag(d)
//   S           D^-1/2 W^1/2 K W^1/2 D^-1/2, the random walk in symmetric form; S v = lambda v
//   L           D - W^1/2 K W^1/2, the Laplacian; L v = mu v
//   y           coordinates of the nodes: v / sqrt(w d) for S, v / sqrt(w) for L
//
// New points take the mean of their neighbours, as nodes do: S v = lambda v and L v = mu v, read at
// one node, are y = (K w y) / (lambda d) and y = (K w y) / (d - mu). So the coefficients are
// w y / lambda and w y, and the model divides by the degree of the point.
//
// The paper takes the smallest eigenvalues of L; here they are the largest of S and of -L, which
// needs no factorisation. Cost: m^2 d / 2 multiply-adds and m^2 / 2 kernel values, then m^2 p for
// each product with p columns, or O(m^3) dense. Memory: 4 m^2 bytes stored, O(m p) matrix-free.

#include <cmath>
#include <limits>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/component_choice.h"
#include "methods/graph_fit.h"

namespace mercer {

namespace {

using methods::GraphFit;

Fit fit_random_walk(GraphFit& graph, bool self_loops) {
  const auto w = graph.weights();
  auto d = graph.degrees(w);
  if (!self_loops) d = methods::without_self_loops(std::move(d), graph.loops());
  const auto matrix = self_loops ? methods::random_walk(w, d)
                                 : methods::random_walk_without_loops(w, d, graph.loops());
  const auto pairs = graph.solve(matrix, methods::random_walk_noise(w.size()));
  // w y / lambda = sqrt(w / d) v / lambda.
  Matrix<double> b(pairs.vectors);
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) b(i, j) *= matrix.scaling[i] / pairs.values[j];
  }
  return graph.finish(std::move(b), pairs.values, {w.begin(), w.end()}, {});
}

Fit fit_unnormalized(GraphFit& graph) {
  const auto w = graph.weights();
  const auto d = graph.degrees(w);
  const auto negated = methods::negated_laplacian(w, d);
  const auto pairs = graph.solve(negated.parts, -std::numeric_limits<double>::infinity());
  std::vector<double> mu;
  for (const double value : pairs.values) mu.push_back(-value * negated.unit);
  Matrix<double> b(pairs.vectors);
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) b(i, j) *= std::sqrt(w[i]);
  }
  return graph.finish(std::move(b), mu, {w.begin(), w.end()}, mu);
}

}  // namespace

Fit methods::laplacian_eigenmaps(const GraphNodes& nodes, const LaplacianEigenmapOptions& options,
                                 FitRecord& record) {
  const bool random_walk = options.laplacian == GraphLaplacian::random_walk;
  record.choice("laplacian", random_walk ? "random_walk" : "unnormalized",
                !random_walk         ? "eigenvalues ascending"
                : options.self_loops ? "with self-loops"
                                     : "without self-loops");
  GraphFit graph(nodes, options.components, options.solver, record);
  return options.laplacian == GraphLaplacian::random_walk
             ? fit_random_walk(graph, options.self_loops)
             : fit_unnormalized(graph);
}

void LaplacianEigenmapOptions::validate() const {
  const methods::ComponentChoice checked(components, {}, {});
  reduction.validate();
  solver.validate();
}

Fit fit_laplacian_eigenmaps(const WeightedSet& set, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run) {
  options.validate();
  methods::FitRecord record("laplacian_eigenmaps", run);
  const auto nodes =
      methods::checked_nodes(set, kernel, options.weights, options.reduction, record);
  return methods::laplacian_eigenmaps(nodes, options, record);
}

}  // namespace mercer
