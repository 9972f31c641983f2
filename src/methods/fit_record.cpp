#include "methods/fit_record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/bandwidth.h>
#include <mercer/error.h>
#include <mercer/platform.h>

#include "engine/random.h"
#include "system/memory.h"

namespace mercer::methods {

void check_weights(std::span<const double> weights, std::size_t n) {
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

void require_positive_semidefinite(const Kernel& kernel, const char* who) {
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(fmt::format(
        "{} need points, which a precomputed kernel has not: use the exact method", who));
  }
  const auto* polynomial = std::get_if<Polynomial>(&kernel);
  if (std::holds_alternative<Sigmoid>(kernel) || (polynomial != nullptr && polynomial->coef0 < 0)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel is not positive semi-definite, which {} need: use the exact method",
        kernel_name(kernel), who));
  }
}

FitRecord::FitRecord(const char* method, const RunOptions& run)
    : run_(run), workers_(run), limit_bytes_(system::memory_limit_bytes(run.memory_limit_bytes)) {
  summary_.method = method;
}

void FitRecord::begin(const char* phase) {
  clock_.begin(phase);
  workers_.begin_phase(phase);
}

void FitRecord::choice(std::string what, std::string value, std::string why) {
  summary_.choices.push_back(
      {.what = std::move(what), .value = std::move(value), .why = std::move(why)});
}

Kernel FitRecord::resolve(const Kernel& asked, const RowSample& for_scale) {
  auto resolved = resolve_bandwidth(asked, for_scale.points, {.seed = run_.seed});
  if (!resolved.parameter.empty()) {
    choice(resolved.parameter, fmt::format("{:.6g}", resolved.value), resolved.reason);
  }
  std::ranges::move(resolved.warnings, std::back_inserter(summary_.warnings));
  return resolved.kernel;
}

Kernel FitRecord::resolve(const Kernel& asked, TrainingRows& data) {
  if (is_resolved(asked)) return asked;
  return resolve(
      asked, sample_rows(data, asked, kScaleRows, 0, {}, scale_stream(run_.seed), workers_).chosen);
}

Kernel FitRecord::resolve(const Kernel& asked, MatrixView<const double> points) {
  TrainingRows data(points, {});
  return resolve(asked, data);
}

void FitRecord::explain_variance(const ModelParts& parts, Interval total_variance) {
  summary_.total_variance = total_variance;
  double kept = 0;
  for (const double value : parts.eigenvalues) {
    summary_.explained_variance_ratio.push_back(value / total_variance.high);
    kept += value;
  }
  summary_.reconstruction_error = std::max(total_variance.high - kept, 0.0) / parts.total_weight;
}

void FitRecord::close() {
  summary_.memory_limit_bytes = limit_bytes_;
  summary_.threads = workers_.threads();
  summary_.simd = simd_name();
  summary_.blas = blas_core();
  summary_.seed = run_.seed;
  if (const auto core = suggested_blas_core()) {
    auto warning = fmt::format(
        "the BLAS library takes this processor for a {}; set OPENBLAS_CORETYPE={} "
        "before starting for faster dense algebra",
        summary_.blas, *core);
    // A fit inside this one may have said so.
    if (std::ranges::find(summary_.warnings, warning) == summary_.warnings.end()) {
      summary_.warnings.push_back(std::move(warning));
    }
  }
  clock_.end();
  summary_.phases = clock_.phases();
  summary_.peak_memory_bytes = system::peak_memory_bytes();
  summary_.seconds = clock_.seconds();
}

Fit FitRecord::finish(ModelParts parts, std::size_t n, std::size_t d,
                      std::optional<Interval> total_variance, std::size_t components_asked) {
  if (parts.coefficients.cols() == 0) {
    throw NoVariation(
        parts.centered
            ? "the points do not vary in feature space (one point, or all equal): there is nothing "
              "to extract"
            : "the kernel is zero on all points: there is nothing to extract");
  }
  summary_.kernel = kernel_name(parts.kernel);
  summary_.kernel_parameters = kernel_parameters(parts.kernel);
  summary_.n = n;
  summary_.d = d;
  summary_.total_weight = parts.total_weight;
  summary_.components = parts.coefficients.cols();
  summary_.library_size = parts.library.rows();
  summary_.centered = parts.centered;
  summary_.eigenvalues = parts.eigenvalues;
  if (total_variance) explain_variance(parts, *total_variance);
  if (summary_.termination.reason == TerminationReason::converged &&
      summary_.components < components_asked) {
    summary_.termination = {
        TerminationReason::fewer_components,
        fmt::format("{} of {} components: the points have no more directions above rounding noise",
                    summary_.components, components_asked)};
  }
  close();
  parts.summary = summary_;
  return Fit{Model(std::move(parts)), std::move(summary_)};
}

}  // namespace mercer::methods

namespace mercer {

std::uint64_t default_memory_limit_bytes() {
  return system::memory_limit_bytes(0);
}

}  // namespace mercer
