#include "methods/graph_fit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/eigensolver.h"
#include "engine/kernel_value.h"
#include "methods/component_choice.h"
#include "methods/pca.h"
#include "methods/weighted_centers.h"

namespace mercer::methods {

GraphNodes graph_nodes(const WeightedSet& set, const Kernel& kernel, FitRecord& record) {
  engine::check_training_points(kernel, set.centers);
  if (set.weights.empty()) throw InvalidArgument("the weighted set has no weights: give 1 each");
  check_weights(set.weights, set.size());
  record.summary().kernel_evaluations = set.kernel_evaluations;
  if (set.distance_evaluations > 0) {
    record.summary().distance_evaluations = set.distance_evaluations;
  }
  return {.kernel = record.resolve(kernel, set.centers),
          .points = set.centers,
          .weights = set.weights,
          .rows = rows_of(set)};
}

GraphNodes checked_nodes(const WeightedSet& set, const Kernel& kernel,
                         const std::vector<double>& weights, const ReductionOptions& reduction,
                         FitRecord& record) {
  if (!weights.empty()) {
    throw InvalidArgument("weights are of rows, but a weighted set was given: it has its own");
  }
  if (reduction.method != Reduction::none) {
    throw InvalidArgument("reduction is for rows, but a weighted set was given: leave it at none");
  }
  record.begin("bandwidth");
  check_graph_kernel(kernel);
  return graph_nodes(set, kernel, record);
}

GraphFit::GraphFit(const GraphNodes& nodes, std::size_t components,
                   const GraphSolverOptions& solver, FitRecord& record)
    : nodes_(nodes), components_(components), record_(record) {
  const std::size_t m = nodes.points.rows();
  if (m < 2) {
    throw NumericalError(
        "a graph of one node has only the constant eigenvector: there is nothing "
        "to extract");
  }
  solver_.components = std::min(components, m - 1);
  solver_.solver_tolerance = solver.tolerance;
  solver_.max_products = solver.max_products;
  plan_ = plan_eigenpairs(m, ComponentChoice(solver_.components, {}, {}), solver_,
                          record.memory_limit_bytes());
  record.begin("gram");
  gram_ = engine::make_gram(nodes.kernel, nodes.points, {.stored = plan_.stored}, record.workers());
}

std::vector<double> GraphFit::degrees(std::span<const double> weights) {
  return graph_degrees(*gram_, weights, record_.workers());
}

TopEigenpairs GraphFit::solve(GraphMatrixParts matrix, double least) {
  record_.begin("eigenpairs");
  GraphMatrix a(*gram_, std::move(matrix), record_.workers());
  auto pairs = plan_.dense ? dense_eigenpairs(a, solver_.components)
                           : iterative_eigenpairs(a, solver_.components, plan_.block, solver_,
                                                  record_.seed(), record_.workers());
  const auto kept = static_cast<std::size_t>(
      std::ranges::count_if(pairs.values, [&](double value) { return value > least; }));
  if (kept == 0) {
    throw NumericalError(
        "the graph has no eigenvector beside the constant one with an eigenvalue above rounding "
        "(all points equal, or far nearer than the length of the kernel): there is nothing to "
        "extract");
  }
  pairs.values.resize(kept);
  pairs.vectors = Matrix<double>(std::as_const(pairs.vectors).view().cols_from(0, kept));
  if (plan_.dense) pairs.residuals = engine::residual_norms(a, pairs.values, pairs.vectors);
  report(pairs, *std::ranges::max_element(pairs.residuals));
  return pairs;
}

void GraphFit::report(const TopEigenpairs& pairs, double residual) {
  record_.choice("solver", plan_.dense ? "dense" : "block_krylov", plan_.solver_reason);
  record_.choice("storage", plan_.dense ? "dense" : (plan_.stored ? "stored" : "matrix_free"),
                 plan_.storage_reason);
  Summary& summary = record_.summary();
  summary.solver_residual = residual;
  summary.kernel_evaluations += gram_->kernel_evaluations();
  if (!pairs.converged) {
    summary.termination = {TerminationReason::not_converged,
                           fmt::format("the solver stopped at {} products with residual {:.1e}; "
                                       "raise max_products or tolerance of the solver",
                                       solver_.max_products, residual)};
  } else if (pairs.values.size() < components_) {
    summary.termination = {
        TerminationReason::fewer_components,
        fmt::format("{} of {} components: the graph of {} nodes has no more eigenvectors with an "
                    "eigenvalue above rounding",
                    pairs.values.size(), components_, nodes_.points.rows())};
  }
}

Fit GraphFit::finish(Matrix<double> coefficients, std::vector<double> eigenvalues,
                     std::vector<double> degree_weights, std::vector<double> degree_shift) {
  record_.begin("model");
  fix_signs(coefficients);
  ModelParts parts;
  parts.kernel = nodes_.kernel;
  parts.library = Matrix<double>(nodes_.points);
  parts.coefficients = std::move(coefficients);
  parts.offset.assign(eigenvalues.size(), 0.0);
  parts.eigenvalues = std::move(eigenvalues);
  parts.total_weight = sum_of_weights(nodes_.weights, nodes_.weights.size());
  parts.degree_weights = std::move(degree_weights);
  parts.degree_shift = std::move(degree_shift);
  parts.centered = false;
  return record_.finish(std::move(parts), nodes_.rows, nodes_.points.cols(), std::nullopt,
                        components_);
}

double random_walk_noise(std::size_t nodes) {
  return noise_level(1, 0, nodes, /*single_precision=*/false);
}

}  // namespace mercer::methods

namespace mercer {

void GraphSolverOptions::validate() const {
  if (!(tolerance > 0) || tolerance >= 1) {
    throw InvalidArgument(
        fmt::format("solver.tolerance is {}: it must lie between 0 and 1", tolerance));
  }
  if (max_products < 3) {
    throw InvalidArgument(
        fmt::format("solver.max_products is {}: it must be at least 3", max_products));
  }
}

}  // namespace mercer
