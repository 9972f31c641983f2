// Exact kernel PCA. B. Schoelkopf, A. Smola, K.-R. Mueller, "Nonlinear component analysis as a
// kernel eigenvalue problem", Neural Computation 10 (1998).
//
//   symbol      meaning
//   K           Gram matrix, n x n; w weights, N their sum, g = sqrt(w / N)
//   A           (I - g g^T) W^1/2 K W^1/2 (I - g g^T): CenteredGram
//   lambda, u   its largest eigenvalues and unit eigenvectors
//   B           coefficients, W^1/2 u / sqrt(lambda): component j has unit norm in feature space
//   b           offset, -B^T K w / N: the columns of W^-1/2 B are orthogonal to g, so centring a
//               new point needs no mean of its own kernel values
//
// Cost: n^2 d / 2 multiply-adds and n^2 / 2 kernel values for the Gram matrix, n^2 p for each of
// about ten to thirty products with p columns, or O(n^3) dense. Memory: 4 n^2 bytes stored, O(n p)
// matrix-free. Prefer it while n^2 is affordable or when it must be right; landmarks scale further.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/exact.h>

#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "methods/gram_eigenpairs.h"
#include "methods/pca.h"

namespace mercer {

namespace {

using methods::CenteredGram;
using methods::ComponentChoice;
using methods::GramEigenpairs;

std::vector<double> square_roots(std::vector<double> values) {
  for (double& value : values) value = std::sqrt(value);
  return values;
}

bool may_be_indefinite(const Kernel& kernel) {
  return std::holds_alternative<Sigmoid>(kernel) || std::holds_alternative<Precomputed>(kernel) ||
         std::holds_alternative<Custom>(kernel) || std::holds_alternative<Polynomial>(kernel);
}

/// B = W^1/2 u / sqrt(lambda).
Matrix<double> expansion_coefficients(const CenteredGram& a, const GramEigenpairs& pairs) {
  Matrix<double> b(pairs.vectors);
  for (std::size_t i = 0; i < b.rows(); ++i) {
    for (std::size_t j = 0; j < b.cols(); ++j) {
      b(i, j) *= a.root_weight(i) / std::sqrt(pairs.values[j]);
    }
  }
  methods::fix_signs(b);
  return b;
}

/// b = -B^T (K w / N).
std::vector<double> centring_offset(const CenteredGram& a, MatrixView<const double> coefficients) {
  std::vector<double> offset(coefficients.cols(), 0.0);
  for (std::size_t i = 0; i < coefficients.rows(); ++i) {
    for (std::size_t j = 0; j < offset.size(); ++j) {
      offset[j] -= coefficients(i, j) * a.row_means()[i];
    }
  }
  return offset;
}

ModelParts expansion_model(const CenteredGram& a, const GramEigenpairs& pairs,
                           MatrixView<const double> points, const Kernel& kernel, bool center) {
  ModelParts parts;
  parts.kernel = kernel;
  if (!std::holds_alternative<Precomputed>(kernel)) parts.library = Matrix<double>(points);
  parts.coefficients = expansion_coefficients(a, pairs);
  parts.offset = centring_offset(a, parts.coefficients);
  parts.eigenvalues = pairs.values;
  parts.total_weight = a.total_weight();
  parts.centered = center;
  if (center) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      parts.mean_coefficients.push_back(a.root_weight(i) * a.root_weight(i) / a.total_weight());
    }
    parts.mean_norm2 = a.mean_norm2();
  }
  return parts;
}

std::string indefinite_warning(const GramEigenpairs& pairs, const Kernel& kernel) {
  return fmt::format(
      "the {} kernel is not positive semi-definite on these points: {}{} negative eigenvalue{} "
      "dropped, and total_variance is the trace with them",
      kernel_name(kernel), pairs.all_seen ? "" : "at least ", pairs.negative,
      pairs.negative == 1 ? " was" : "s were");
}

/// One fit: the inputs and the record that its steps fill in.
class ExactFit {
 public:
  ExactFit(MatrixView<const double> points, const ExactOptions& options, const RunOptions& run)
      : points_(points),
        options_(options),
        record_("exact", run),
        choice_(options.components, options.retain, options.min_eigenvalue) {}

  Fit run(const Kernel& asked);

 private:
  ModelParts fit_expansion(const Kernel& kernel);
  ModelParts fit_linear();
  ModelParts linear_model(Matrix<double> axes, const std::vector<double>& values,
                          const std::vector<double>& mean) const;

  MatrixView<const double> points_;
  const ExactOptions& options_;
  methods::FitRecord record_;
  ComponentChoice choice_;
  double total_variance_ = 0;
};

ModelParts ExactFit::fit_expansion(const Kernel& kernel) {
  const double limit = record_.memory_limit_bytes();
  const auto plan = methods::plan_eigenpairs(points_.rows(), choice_, options_, limit);
  record_.begin("gram");
  const auto gram = engine::make_gram(
      kernel, points_,
      {.single_precision = options_.precision == Precision::float32, .stored = plan.stored},
      record_.workers());
  CenteredGram a(*gram, square_roots(options_.weights), options_.center, record_.workers());
  record_.begin("eigenpairs");
  const auto pairs =
      methods::solve_eigenpairs(a, choice_, plan, options_, may_be_indefinite(kernel),
                                record_.seed(), limit, record_.workers());
  record_.begin("model");
  record_.choice("solver", pairs.dense ? "dense" : "block_krylov", plan.solver_reason);
  record_.choice("storage", plan.dense ? "dense" : (plan.stored ? "stored" : "matrix_free"),
                 plan.storage_reason);
  Summary& summary = record_.summary();
  if (pairs.negative > 0) {
    summary.warnings.push_back(indefinite_warning(pairs, kernel));
    summary.negative_eigenvalues = NegativeEigenvalues{
        .count = pairs.negative, .smallest = pairs.smallest, .all_seen = pairs.all_seen};
  }
  summary.solver_residual = pairs.residual;
  summary.kernel_evaluations = gram->kernel_evaluations();
  if (!pairs.converged) {
    summary.termination = {TerminationReason::not_converged,
                           fmt::format("the solver stopped at {} products with residual {:.1e}; "
                                       "raise max_products or solver_tolerance",
                                       options_.max_products, pairs.residual)};
  }
  total_variance_ = a.total_variance();
  return expansion_model(a, pairs, points_, kernel, options_.center);
}

ModelParts ExactFit::fit_linear() {
  if (points_.cols() <= points_.rows()) {
    record_.begin("eigenpairs");
    const auto pca = methods::principal_axes(points_, options_.weights, options_.center, choice_,
                                             record_.workers());
    record_.choice("solver", "scatter_matrix", "linear kernel with d <= n");
    record_.summary().solver_residual = pca.residual;
    total_variance_ = pca.total_variance;
    return linear_model(pca.axes, pca.values, pca.mean);
  }
  // Centring the points themselves first loses nothing to a mean far from the origin.
  std::vector<double> mean(points_.cols(), 0.0);
  Matrix<double> centred(points_);
  if (options_.center) {
    mean = methods::weighted_mean(points_, options_.weights);
    for (std::size_t i = 0; i < centred.rows(); ++i) {
      for (std::size_t j = 0; j < centred.cols(); ++j) centred(i, j) -= mean[j];
    }
  }
  points_ = centred;
  const auto expansion = fit_expansion(Linear{});
  return linear_model(methods::collapse(centred, expansion.coefficients), expansion.eigenvalues,
                      mean);
}

/// A linear model needs no library: its components are axes in the space of the points.
ModelParts ExactFit::linear_model(Matrix<double> axes, const std::vector<double>& values,
                                  const std::vector<double>& mean) const {
  ModelParts parts;
  parts.kernel = Linear{};
  parts.coefficients = std::move(axes);
  methods::fix_signs(parts.coefficients);
  parts.eigenvalues = values;
  parts.offset.assign(values.size(), 0.0);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      parts.offset[j] -= parts.coefficients(i, j) * mean[i];
    }
    parts.mean_norm2 += mean[i] * mean[i];
  }
  parts.total_weight = methods::sum_of_weights(options_.weights, points_.rows());
  parts.centered = options_.center;
  if (options_.center) parts.mean_coefficients = mean;
  return parts;
}

Fit ExactFit::run(const Kernel& asked) {
  record_.begin("bandwidth");
  methods::check_kernel(asked);
  engine::check_training_points(asked, points_);
  methods::check_weights(options_.weights, points_.rows());
  const Kernel kernel = record_.resolve(asked, points_);
  const std::size_t d = points_.cols();
  const bool linear = std::holds_alternative<Linear>(kernel);
  ModelParts parts = linear ? fit_linear() : fit_expansion(kernel);
  return record_.finish(std::move(parts), points_.rows(), d,
                        Interval{total_variance_, total_variance_},
                        choice_.is_open() ? 0 : options_.components);
}

}  // namespace

void ExactOptions::validate() const {
  const ComponentChoice checked(components, retain, min_eigenvalue);
  if (!(solver_tolerance > 0) || solver_tolerance >= 1) {
    throw InvalidArgument(
        fmt::format("solver_tolerance is {}: it must lie between 0 and 1", solver_tolerance));
  }
  if (max_products < 3) {
    throw InvalidArgument(fmt::format("max_products is {}: it must be at least 3", max_products));
  }
}

Fit fit_exact(MatrixView<const double> points, const Kernel& kernel, const ExactOptions& options,
              const RunOptions& run) {
  options.validate();
  return ExactFit(points, options, run).run(kernel);
}

}  // namespace mercer
