#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/reduction.h>

#include "engine/radial_kernel.h"
#include "methods/cover_state.h"
#include "methods/fit_record.h"
#include "methods/reduce_rows.h"
#include "system/memory.h"

namespace mercer {

namespace methods {

const char* reduction_name(Reduction reduction) {
  switch (reduction) {
    case Reduction::none:
      return "none";
    case Reduction::shadow:
      return "shadow";
    case Reduction::kmeans:
      return "kmeans";
    case Reduction::paring:
      return "paring";
    case Reduction::herding:
      return "herding";
  }
  return "";
}

const char* center_weights_name(CenterWeights weights) {
  switch (weights) {
    case CenterWeights::count:
      return "count";
    case CenterWeights::nearest:
      return "nearest";
    case CenterWeights::operator_optimal:
      return "operator";
    case CenterWeights::mmd_optimal:
      return "mmd";
  }
  return "";
}

}  // namespace methods

namespace {

void check_request(const Kernel& kernel, const ReductionOptions& options) {
  options.validate();
  methods::check_kernel(kernel);
  if (std::holds_alternative<Precomputed>(kernel)) {
    throw InvalidArgument(
        "centres are points, which a precomputed kernel has not: use the exact method");
  }
  if (!is_resolved(kernel)) {
    throw InvalidArgument(
        fmt::format("the {} kernel has no scale yet: give its parameters, or let a fit choose them",
                    kernel_name(kernel)));
  }
}

double limit_bytes(const RunOptions& run) {
  return static_cast<double>(system::memory_limit_bytes(run.memory_limit_bytes));
}

}  // namespace

double WeightedSet::total_weight() const {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

std::optional<double> length_scale(const Kernel& kernel) {
  const auto radial = engine::RadialKernel::of(kernel);
  if (!radial) return std::nullopt;
  return radial->length_scale();
}

double shadow_radius(const Kernel& kernel, const ReductionOptions& options) {
  const auto radial = methods::require_radial(kernel);
  return options.radius ? *options.radius
                        : radial.length_scale() / options.ell.value_or(kDefaultEll);
}

void ReductionOptions::validate() const {
  if (ell && radius) {
    throw InvalidArgument("ell and radius are two ways to give a radius; give one of them");
  }
  if (ell && !(*ell > 0 && std::isfinite(*ell))) {
    throw InvalidArgument(fmt::format("ell is {}: it must be positive", *ell));
  }
  if (radius && !(*radius >= 0 && std::isfinite(*radius))) {
    throw InvalidArgument(fmt::format("radius is {}: it must not be negative", *radius));
  }
  if (centers && *centers == 0) throw InvalidArgument("centers is 0: ask for at least one");
  if (centers && (method == Reduction::shadow || method == Reduction::none)) {
    throw InvalidArgument(
        "a cover has as many centres as its radius needs: give ell or radius, or choose k-means, "
        "paring or herding");
  }
  if (centers && (ell || radius)) {
    throw InvalidArgument("centers and a radius are two ways to say how many; give one of them");
  }
  if (shuffle && method != Reduction::shadow) {
    throw InvalidArgument("shuffle is for shadow covers, whose centres depend on the order");
  }
  if (method == Reduction::none && (ell || radius || weights != CenterWeights::count)) {
    throw InvalidArgument(
        "without a reduction there are no centres whose radius or weights could be chosen: choose "
        "shadow, k-means, paring or herding");
  }
  if (iterations == 0) throw InvalidArgument("iterations is 0: allow at least one");
}

WeightedSet reduce_to_centers(MatrixView<const double> points, std::span<const double> weights,
                              const Kernel& kernel, const ReductionOptions& options,
                              const RunOptions& run) {
  check_request(kernel, options);
  methods::check_weights(weights, points.rows());
  methods::TrainingRows data(points, weights);
  engine::Workers workers(run);
  workers.begin_phase("reduction");
  return methods::reduce_rows(data, kernel, options, run.seed, limit_bytes(run), workers);
}

WeightedSet reduce_to_centers(RowSource& rows, const Kernel& kernel,
                              const ReductionOptions& options, const RunOptions& run) {
  check_request(kernel, options);
  methods::TrainingRows data(rows);
  engine::Workers workers(run);
  workers.begin_phase("reduction");
  return methods::reduce_rows(data, kernel, options, run.seed, limit_bytes(run), workers);
}

}  // namespace mercer
