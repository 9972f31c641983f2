// Reduced-set kernel PCA. H. Kingravi, P. Vela, A. Gray, "Reduced set KPCA for improving the
// training and execution speed of kernel machines", SDM 2013.
//
//   symbol      meaning
//   C, w        m centres and their weights (methods/reduce_rows.cpp), N the sum of the weights
//   Kt          W^1/2 K_CC W^1/2, whose eigenvalues over N approximate those of K over n
//   B           W^1/2 v / sqrt(lambda): a centre of weight w acts like w equal rows. (The print
//               divides by the root of the weights, which gives values of the eigenfunctions at the
//               centres and not the coefficients of a new point.)
//
// Cost: n m d for a shadow cover, m^2 d + m^2 k for the components, m (d + k) a new point. Prefer
// it to landmarks when the rows pile up (m << n at the radius wanted), when they come as a stream,
// or when a bound is wanted that holds before any data are seen.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/exact.h>
#include <mercer/reduced_set.h>

#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "methods/merge_checks.h"
#include "methods/quantization_bounds.h"
#include "methods/reduce_rows.h"
#include "methods/training_rows.h"
#include "methods/weighted_centers.h"

namespace mercer {

namespace {

using methods::OperatorBounds;

/// The first components of a model.
ModelParts leading_components(const Model& model, std::size_t count) {
  ModelParts parts = methods::parts_of(model);
  count = std::min(count, parts.eigenvalues.size());
  parts.coefficients = Matrix<double>(model.coefficients().cols_from(0, count));
  parts.offset.resize(count);
  parts.eigenvalues.resize(count);
  return parts;
}

class ReducedSetFit {
 public:
  ReducedSetFit(const ReducedSetOptions& options, const RunOptions& run)
      : options_(options),
        run_(run),
        choice_(options.components, options.retain, options.min_eigenvalue),
        record_(methods::reduction_name(options.reduction.method), run) {}

  Fit of_rows(methods::TrainingRows& data, const Kernel& asked);
  Fit of_set(const Kernel& kernel, const WeightedSet& set);

 private:
  Kernel resolve(methods::TrainingRows& data, const Kernel& asked);
  Fit fit_centres(const Kernel& kernel, const WeightedSet& set);
  void describe(const Kernel& kernel, const WeightedSet& set);
  std::string reason_for_centres(const Kernel& kernel, const WeightedSet& set) const;
  /// `wide` has one component more than asked for.
  void add_bounds(const Kernel& kernel, const WeightedSet& set, const Fit& wide);
  void add_bounds(const OperatorBounds& all, const char* source, const WeightedSet& set,
                  const Fit& wide);
  void verify(const Kernel& kernel, const WeightedSet& set, methods::TrainingRows& data,
              const ModelParts& parts);
  void bound(std::string name, double value, bool rigorous) {
    record_.summary().bounds.push_back(
        {.name = std::move(name), .value = value, .rigorous = rigorous});
  }
  /// What a bound bounds, to rounding: about 1e-8, the root of that of sums that cancel.
  void measured(std::string name, double value) {
    bound(name + "_measured", value, /*rigorous=*/false);
  }

  const ReducedSetOptions& options_;
  const RunOptions& run_;
  methods::ComponentChoice choice_;
  methods::FitRecord record_;
  methods::TrainingRows* data_ = nullptr;
};

/// A missing scale comes from a sample, so that a stream and a table in memory get the same one.
Kernel ReducedSetFit::resolve(methods::TrainingRows& data, const Kernel& asked) {
  methods::check_kernel(asked);
  if (std::holds_alternative<Precomputed>(asked)) {
    throw InvalidArgument(
        "centres are points, which a precomputed kernel has not: use the exact method");
  }
  if (is_resolved(asked)) return asked;
  record_.begin("bandwidth");
  return record_.resolve(asked, data);
}

Fit ReducedSetFit::of_rows(methods::TrainingRows& data, const Kernel& asked) {
  if (options_.reduction.method == Reduction::none) {
    throw InvalidArgument("without a reduction all rows are centres: use the exact method");
  }
  if (options_.verify && !data.in_memory()) {
    throw InvalidArgument("verifying takes all pairs of rows, so they must be in memory");
  }
  data_ = &data;
  const Kernel kernel = resolve(data, asked);
  record_.begin("reduction");
  const WeightedSet set = methods::reduce_rows(data, kernel, options_.reduction, record_.seed(),
                                               record_.memory_limit_bytes(), record_.workers());
  return fit_centres(kernel, set);
}

Fit ReducedSetFit::of_set(const Kernel& kernel, const WeightedSet& set) {
  methods::check_set(set, kernel);
  if (options_.verify) {
    throw InvalidArgument("verifying needs the rows that the set stands for");
  }
  record_.summary().method = methods::reduction_name(set.reduction);
  return fit_centres(kernel, set);
}

void ReducedSetFit::describe(const Kernel& kernel, const WeightedSet& set) {
  Summary& summary = record_.summary();
  summary.kernel_evaluations += set.kernel_evaluations;
  if (set.distance_evaluations > 0) summary.distance_evaluations = set.distance_evaluations;
  record_.choice("centers", std::to_string(set.size()), reason_for_centres(kernel, set));
  record_.choice("center_weights", methods::center_weights_name(set.weighting),
                 fmt::format("{:.6g} in all, for rows that weigh {:.6g}", set.total_weight(),
                             methods::row_weight_of(set)));
}

std::string ReducedSetFit::reason_for_centres(const Kernel& kernel, const WeightedSet& set) const {
  if (!set.radius) {
    const auto asked = options_.reduction.centers;
    if (data_ == nullptr || !asked) {
      return data_ == nullptr ? "given" : "from as many as a shadow cover has";
    }
    if (set.size() == *asked) return "asked for";
    return fmt::format("of {} asked for; the others would be copies or weigh nothing", *asked);
  }
  if (*set.radius == 0) return "every row is a centre";
  std::string reason = fmt::format("every row is nearer than {:.6g} to its centre", *set.radius);
  if (const auto scale = length_scale(kernel)) {
    reason += fmt::format(", length scale / {:.4g}", *scale / *set.radius);
  }
  return reason;
}

void ReducedSetFit::add_bounds(const OperatorBounds& all, const char* source,
                               const WeightedSet& set, const Fit& wide) {
  const auto add = [&](const char* what, const std::optional<double>& value) {
    if (value) bound(fmt::format("{}_{}", what, source), *value, /*rigorous=*/true);
  };
  const OperatorBounds bounds = methods::proven_for(set.weighting, set.size(), all);
  add("mmd", bounds.mmd);
  add("hilbert_schmidt", bounds.hilbert_schmidt);
  const auto b = options_.center ? bounds.centered_hilbert_schmidt() : bounds.hilbert_schmidt;
  if (options_.center) add("centered_hilbert_schmidt", b);
  add(options_.center ? "centered_eigenvalues" : "eigenvalues",
      bounds.eigenvalues(options_.center));
  if (choice_.is_open() || !b ||
      wide.summary.termination.reason == TerminationReason::not_converged) {
    return;
  }
  // One component more than asked for was computed to know the gap; none means that nothing is
  // left.
  const auto values = wide.model.eigenvalues();
  const double weight = methods::row_weight_of(set);
  const std::size_t kept = std::min(options_.components, values.size());
  const double next = kept < values.size() ? values[kept] : 0;
  add("projection", methods::projection_bound(*b, values[kept - 1] / weight, next / weight));
}

void ReducedSetFit::add_bounds(const Kernel& kernel, const WeightedSet& set, const Fit& wide) {
  const auto radial = engine::RadialKernel::of(kernel);
  if (!radial) return;
  if (set.radius) {
    add_bounds(methods::bounds_of_radius(*radial, *set.radius), "radius", set, wide);
    if (set.weighting == CenterWeights::count || set.weighting == CenterWeights::nearest) {
      bound("hilbert_schmidt_paper", methods::paper_hilbert_schmidt(*radial, *set.radius),
            /*rigorous=*/true);
    }
  }
  if (set.quantization && set.kernel && methods::same_kernel(*set.kernel, kernel)) {
    add_bounds(methods::bounds_of_rows(*radial, *set.quantization), "rows", set, wide);
  }
}

/// What the bounds bound, and how far the kept components are from the exact ones.
void ReducedSetFit::verify(const Kernel& kernel, const WeightedSet& set,
                           methods::TrainingRows& data, const ModelParts& parts) {
  record_.begin("verification");
  const auto points = *data.in_memory();
  for (const int power : {1, 2}) {
    measured(power == 1 ? "mmd" : "hilbert_schmidt",
             methods::measured_distance(kernel, points, data.memory_weights(), set, power,
                                        record_.workers()));
  }
  const auto n = static_cast<std::uint64_t>(points.rows());
  record_.summary().kernel_evaluations += 2 * (n + set.size()) * (n + set.size());
  ExactOptions exact;
  exact.components = parts.eigenvalues.size();
  exact.center = options_.center;
  exact.weights = options_.weights;
  RunOptions silent = run_;
  silent.progress = nullptr;
  const Fit truth = fit_exact(points, kernel, exact, silent);
  record_.summary().kernel_evaluations += truth.summary.kernel_evaluations;
  double squares = 0;
  const std::size_t k = std::min(truth.model.components(), parts.eigenvalues.size());
  for (std::size_t j = 0; j < k; ++j) {
    const double difference = truth.model.eigenvalues()[j] / truth.model.total_weight() -
                              parts.eigenvalues[j] / methods::row_weight_of(set);
    squares += difference * difference;
  }
  measured("kept_eigenvalues", std::sqrt(squares));
  // Unit components u, u' have <u, u'> = B^T K_XC B': scores of the centres without their offset.
  const Matrix<double> scores = truth.model.transform(parts.library, silent);
  double overlap = 0;
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = 0; b < k; ++b) {
      double product = 0;
      for (std::size_t j = 0; j < scores.rows(); ++j) {
        product += (scores(j, a) - truth.model.offset()[a]) * parts.coefficients(j, b);
      }
      overlap += product * product;
    }
  }
  measured("projection", std::sqrt(std::max(2 * (static_cast<double>(k) - overlap), 0.0)));
}

Fit ReducedSetFit::fit_centres(const Kernel& kernel, const WeightedSet& set) {
  if (set.size() == 1 && options_.center) {
    throw NumericalError(
        "one centre stands for all rows, so nothing is left to extract once it is centred: take a "
        "smaller radius (a larger ell) or more centres");
  }
  record_.begin("components");
  ExactOptions exact;
  exact.components = std::min(options_.components, set.size()) + 1;
  exact.retain = options_.retain;
  exact.min_eigenvalue = options_.min_eigenvalue;
  exact.center = options_.center;
  exact.weights = set.weights;
  const Fit wide = methods::fit_weighted_centers(set.centers, kernel, std::move(exact), run_);
  ModelParts parts = leading_components(
      wide.model, choice_.is_open() ? wide.model.components() : options_.components);
  parts.total_weight = set.total_weight();
  Summary& summary = record_.summary();
  if (wide.summary.termination.reason == TerminationReason::not_converged) {
    summary.termination = wide.summary.termination;
  }
  summary.solver_residual = wide.summary.solver_residual;
  summary.kernel_evaluations = wide.summary.kernel_evaluations;
  std::ranges::copy(wide.summary.warnings, std::back_inserter(summary.warnings));
  describe(kernel, set);
  add_bounds(kernel, set, wide);
  if (options_.verify) verify(kernel, set, *data_, parts);
  return record_.finish(std::move(parts), methods::rows_of(set), set.centers.cols(),
                        wide.summary.total_variance, choice_.is_open() ? 0 : options_.components);
}

}  // namespace

void ReducedSetOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  reduction.validate();
}

Fit fit_reduced_set(MatrixView<const double> points, const Kernel& kernel,
                    const ReducedSetOptions& options, const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  methods::TrainingRows data(points, options.weights);
  return ReducedSetFit(options, run).of_rows(data, kernel);
}

Fit fit_reduced_set(RowSource& rows, const Kernel& kernel, const ReducedSetOptions& options,
                    const RunOptions& run) {
  options.validate();
  if (!options.weights.empty()) {
    throw InvalidArgument("a source of rows brings its own weights; leave options.weights empty");
  }
  methods::TrainingRows data(rows);
  return ReducedSetFit(options, run).of_rows(data, kernel);
}

Fit fit_reduced_set(const WeightedSet& set, const Kernel& kernel, const ReducedSetOptions& options,
                    const RunOptions& run) {
  options.validate();
  return ReducedSetFit(options, run).of_set(kernel, set);
}

}  // namespace mercer
