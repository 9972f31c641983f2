// Diffusion maps. R. Coifman, S. Lafon, "Diffusion maps", Applied and Computational Harmonic
// Analysis 21 (2006).
//
//   symbol      meaning
//   K, w        kernel values of the m nodes, their weights
//   q           K w, the density at the nodes
//   u           w / q^alpha: dividing k(x, y) by q(x)^alpha q(y)^alpha is, for the random walk, the
//               same as giving the nodes these weights, because the factor of the point that is
//               left cancels
//   d           K u, the degrees; pi = u d / sum(u d) the stationary law
//   S           diag(u / d)^1/2 K diag(u / d)^1/2; S v = lambda v
//   psi         v / sqrt(pi): eigenvectors of the walk, of variance 1 under pi
//
// Component j is lambda_j^t psi_j, at a new point lambda_j^(t-1) sum_i p_i(x) psi_ij with the
// probabilities p_i(x) = u_i k(x, c_i) / sum_l u_l k(x, c_l): one model that divides by a degree,
// as Laplacian eigenmaps are. Cost: theirs and one product more.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/manifold.h>

#include "methods/component_choice.h"
#include "methods/graph_fit.h"

namespace mercer {

namespace {

/// u = w / q^alpha. Only ratios of u matter, so both are taken relative to their largest.
std::vector<double> density_corrected(std::span<const double> w, std::span<const double> q,
                                      double alpha) {
  const double largest_weight = std::ranges::max(w);
  const double largest_density = std::ranges::max(q);
  std::vector<double> u(w.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = w[i] / largest_weight * std::pow(q[i] / largest_density, -alpha);
  }
  return u;
}

/// sqrt(sum u d), which makes 1 / sqrt(pi) of 1 / sqrt(u d).
double root_volume(std::span<const double> u, std::span<const double> d) {
  double sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * d[i];
  return std::sqrt(sum);
}

}  // namespace

Fit methods::diffusion_maps(const GraphNodes& nodes, const DiffusionMapOptions& options,
                            FitRecord& record) {
  record.choice("diffusion", fmt::format("alpha = {:g}, time = {:g}", options.alpha, options.time),
                "density divided out, steps of the walk");
  GraphFit graph(nodes, options.components, options.solver, record);
  const auto q = graph.degrees(graph.weights());
  auto u = density_corrected(graph.weights(), q, options.alpha);
  const auto d = graph.degrees(u);
  const auto matrix = random_walk(u, d);
  const auto pairs = graph.solve(matrix, random_walk_noise(u.size()));
  // lambda^(t-1) u psi = lambda^(t-1) sqrt(sum u d) sqrt(u / d) v.
  const double volume = root_volume(u, d);
  Matrix<double> b(pairs.vectors);
  for (std::size_t j = 0; j < b.cols(); ++j) {
    const double factor = volume * std::pow(pairs.values[j], options.time - 1);
    for (std::size_t i = 0; i < b.rows(); ++i) b(i, j) *= factor * matrix.scaling[i];
  }
  return graph.finish(std::move(b), pairs.values, std::move(u), {});
}

void DiffusionMapOptions::validate() const {
  const methods::ComponentChoice checked(components, {}, {});
  if (!(alpha >= 0 && alpha <= 1)) {
    throw InvalidArgument(fmt::format("alpha is {}: it must lie between 0 and 1", alpha));
  }
  if (!(time >= 0 && std::isfinite(time))) {
    throw InvalidArgument(fmt::format("time is {}: it must be finite and not negative", time));
  }
  reduction.validate();
  solver.validate();
}

Fit fit_diffusion_maps(const WeightedSet& set, const Kernel& kernel,
                       const DiffusionMapOptions& options, const RunOptions& run) {
  options.validate();
  methods::FitRecord record("diffusion_maps", run);
  const auto nodes =
      methods::checked_nodes(set, kernel, options.weights, options.reduction, record);
  return methods::diffusion_maps(nodes, options, record);
}

}  // namespace mercer
