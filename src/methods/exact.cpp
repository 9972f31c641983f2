// Exact kernel PCA. B. Schoelkopf, A. Smola, K.-R. Mueller, "Nonlinear component analysis as a
// kernel eigenvalue problem", Neural Computation 10 (1998).
//
//   symbol      meaning
//   K           Gram matrix, n x n; w weights, N their sum, g = sqrt(w / N)
//   A           (I - g g^T) W^1/2 K W^1/2 (I - g g^T): CenteredGram
//   lambda, u   its largest eigenvalues and unit eigenvectors
//   B           coefficients, W^1/2 u / sqrt(lambda): component j has unit norm in feature space
//   b           offset, -B^T K w / N: the columns of W^-1/2 B are orthogonal to g, so centring a
//   new
//               point needs no mean of its own kernel values
//
// Cost: n^2 d / 2 multiply-adds and n^2 / 2 kernel values for the Gram matrix, n^2 p for each of
// about ten to thirty products with p columns, or O(n^3) dense. Memory: 4 n^2 bytes stored, O(n p)
// matrix-free. Prefer it while n^2 is affordable or when it must be right; landmarks scale further.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/platform.h>

#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "engine/parallel.h"
#include "engine/stopwatch.h"
#include "methods/centered_gram.h"
#include "methods/component_choice.h"
#include "methods/gram_eigenpairs.h"
#include "methods/pca.h"
#include "system/memory.h"

namespace mercer {

namespace {

using methods::CenteredGram;
using methods::ComponentChoice;
using methods::GramEigenpairs;

void check_weights(const std::vector<double>& weights, std::size_t n) {
  if (weights.empty()) return;
  if (weights.size() != n) {
    throw InvalidArgument(fmt::format("there are {} weights for {} rows", weights.size(), n));
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (weights[i] > 0 && std::isfinite(weights[i])) continue;
    throw InvalidArgument(fmt::format(
        "weight {} is {}: weights must be positive and finite; leave out rows of weight 0", i + 1,
        weights[i]));
  }
}

void check_kernel(const Kernel& kernel) {
  validate(kernel);
  const auto* custom = std::get_if<Custom>(&kernel);
  if (custom != nullptr && !custom->function) {
    throw InvalidArgument(fmt::format("the custom kernel '{}' has no function", custom->name));
  }
}

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

/// One fit: the inputs, the clock and the summary that its steps fill in.
class ExactFit {
 public:
  ExactFit(MatrixView<const double> points, const ExactOptions& options, const RunOptions& run)
      : points_(points),
        options_(options),
        run_(run),
        choice_(options.components, options.retain, options.min_eigenvalue),
        workers_(run),
        limit_bytes_(system::memory_limit_bytes(run.memory_limit_bytes)) {}

  Fit run(const Kernel& asked);

 private:
  Kernel resolve(const Kernel& asked);
  ModelParts fit_expansion(const Kernel& kernel);
  ModelParts fit_linear();
  ModelParts linear_model(Matrix<double> axes, const std::vector<double>& values,
                          const std::vector<double>& mean) const;
  void begin(const char* phase);
  void describe(const ModelParts& parts);

  MatrixView<const double> points_;
  const ExactOptions& options_;
  const RunOptions& run_;
  ComponentChoice choice_;
  engine::Stopwatch clock_;
  engine::Workers workers_;
  std::uint64_t limit_bytes_;
  Summary summary_;
  double total_variance_ = 0;
  bool converged_ = true;
};

void ExactFit::begin(const char* phase) {
  clock_.begin(phase);
  workers_.begin_phase(phase);
}

Kernel ExactFit::resolve(const Kernel& asked) {
  begin("bandwidth");
  check_kernel(asked);
  engine::check_training_points(asked, points_);
  check_weights(options_.weights, points_.rows());
  auto resolved = resolve_bandwidth(asked, points_, {.seed = run_.seed});
  if (!resolved.parameter.empty()) {
    summary_.choices.push_back(
        {resolved.parameter, fmt::format("{:.6g}", resolved.value), resolved.reason});
  }
  summary_.warnings = std::move(resolved.warnings);
  return resolved.kernel;
}

ModelParts ExactFit::fit_expansion(const Kernel& kernel) {
  const auto limit = static_cast<double>(limit_bytes_);
  const auto plan = methods::plan_eigenpairs(points_.rows(), choice_, options_, limit);
  begin("gram");
  const auto gram = engine::make_gram(
      kernel, points_,
      {.single_precision = options_.precision == Precision::float32, .stored = plan.stored},
      workers_);
  CenteredGram a(*gram, square_roots(options_.weights), options_.center, workers_);
  begin("eigenpairs");
  const auto pairs = methods::solve_eigenpairs(
      a, choice_, plan, options_, may_be_indefinite(kernel), run_.seed, limit, workers_);
  begin("model");
  summary_.choices.push_back(
      {"solver", pairs.dense ? "dense" : "block_krylov", plan.solver_reason});
  summary_.choices.push_back({"storage",
                              plan.dense ? "dense" : (plan.stored ? "stored" : "matrix_free"),
                              plan.storage_reason});
  if (pairs.negative > 0) summary_.warnings.push_back(indefinite_warning(pairs, kernel));
  summary_.solver_residual = pairs.residual;
  summary_.kernel_evaluations = gram->kernel_evaluations();
  total_variance_ = a.total_variance();
  converged_ = pairs.converged;
  return expansion_model(a, pairs, points_, kernel, options_.center);
}

ModelParts ExactFit::fit_linear() {
  if (points_.cols() <= points_.rows()) {
    begin("eigenpairs");
    const auto pca =
        methods::principal_axes(points_, options_.weights, options_.center, choice_, workers_);
    summary_.choices.push_back({"solver", "scatter_matrix", "linear kernel with d <= n"});
    summary_.solver_residual = pca.residual;
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

void ExactFit::describe(const ModelParts& parts) {
  summary_.method = "exact";
  summary_.kernel = kernel_name(parts.kernel);
  summary_.kernel_parameters = kernel_parameters(parts.kernel);
  summary_.n = points_.rows();
  summary_.d = points_.cols();
  summary_.total_weight = parts.total_weight;
  summary_.components = parts.eigenvalues.size();
  summary_.library_size = parts.library.rows();
  summary_.centered = options_.center;
  summary_.eigenvalues = parts.eigenvalues;
  summary_.total_variance = Interval{total_variance_, total_variance_};
  double kept = 0;
  for (const double value : parts.eigenvalues) {
    summary_.explained_variance_ratio.push_back(value / total_variance_);
    kept += value;
  }
  summary_.reconstruction_error = std::max(total_variance_ - kept, 0.0) / parts.total_weight;
  if (!converged_) {
    summary_.termination = {TerminationReason::not_converged,
                            fmt::format("the solver stopped at {} products with residual {:.1e}; "
                                        "raise max_products or solver_tolerance",
                                        options_.max_products, *summary_.solver_residual)};
  } else if (!choice_.is_open() && summary_.components < options_.components) {
    summary_.termination = {
        TerminationReason::fewer_components,
        fmt::format("{} of {} components: the points have no more directions above rounding noise",
                    summary_.components, options_.components)};
  }
  summary_.memory_limit_bytes = limit_bytes_;
  summary_.threads = workers_.threads();
  summary_.simd = simd_name();
  summary_.blas = blas_core();
  summary_.seed = run_.seed;
  if (const auto core = suggested_blas_core()) {
    summary_.warnings.push_back(
        fmt::format("the BLAS library takes this processor for a {0}; set OPENBLAS_CORETYPE={1} "
                    "before starting "
                    "for faster dense algebra",
                    summary_.blas, *core));
  }
}

Fit ExactFit::run(const Kernel& asked) {
  const Kernel kernel = resolve(asked);
  const bool linear = std::holds_alternative<Linear>(kernel);
  ModelParts parts = linear ? fit_linear() : fit_expansion(kernel);
  if (parts.eigenvalues.empty()) {
    throw NumericalError(
        options_.center
            ? "the points do not vary in feature space (one point, or all equal): there is nothing "
              "to extract"
            : "the kernel is zero on all points: there is nothing to extract");
  }
  describe(parts);
  clock_.end();
  summary_.phases = clock_.phases();
  summary_.peak_memory_bytes = system::peak_memory_bytes();
  summary_.seconds = clock_.seconds();
  parts.summary = summary_;
  return Fit{Model(std::move(parts)), std::move(summary_)};
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
