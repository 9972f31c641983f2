// Greedy kernel PCA of one block of rows.
//
//   V. Franc, "Optimization algorithms for kernel methods", PhD thesis, Czech Technical University
//   2005
//   T.-J. Chin, D. Suter, "Improving the speed of kernel PCA on large scale datasets", AVSS 2006,
//   who merge such blocks (partitioned.cpp)
//
//   symbol      meaning
//   C, s        library; L the Cholesky factor of its kernel matrix, rows in the order of choice
//   G           partial Cholesky factor of K: row t has the coordinates L^-1 k_C(x_t)
//   d_t         k(x_t, x_t) - |G_t|^2, squared distance of row t from the span of the library
//   eps_MS      sum w d / N, what the library leaves
//
// 1. Rows join the library by a pivot rule on the uncentred kernel, which leaves G.
// 2. Components are the principal axes of the rows of G about their mean: the same eigenproblem as
//    that of landmarks, so the model and what is certain about it come from there.
//
// The reconstruction error is eps_MS and the variance of components left out: what the library
// leaves is orthogonal to its span. It is measured about the mean within that span.
//
// Cost: n s kernel values, n s^2 flops, 8 n s bytes; the choice multiplies this (greedy.h).
// Prefer it to landmarks where the number of kernel values for new points matters most, and to
// exact kernel PCA where few directions matter.

#include <cmath>
#include <string>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/greedy.h>
#include <mercer/landmarks.h>

#include "engine/kernel_value.h"
#include "methods/component_choice.h"
#include "methods/factor_moments.h"
#include "methods/fit_record.h"
#include "methods/greedy_library.h"
#include "methods/landmark_model.h"
#include "methods/landmark_spectrum.h"
#include "model/option_names.h"

namespace mercer {

namespace {

constexpr std::uint64_t kPivotStream = 0x7069766f74;

LandmarkOptions landmark_options(const GreedyOptions& options) {
  return {.components = options.components,
          .retain = options.retain,
          .min_eigenvalue = options.min_eigenvalue,
          .center = options.center};
}

void report(methods::FitRecord& record, const methods::GreedyLibrary& library,
            const GreedyOptions& options) {
  Summary& summary = record.summary();
  summary.kernel_evaluations = library.kernel_evaluations();
  record.choice("library", std::to_string(library.size()), library.reason());
  const double mean_square = library.residual() / library.weight();
  summary.bounds.push_back(
      {.name = "mean_square_residual", .value = mean_square, .rigorous = true});
  if (library.limited_by_memory() && (options.library.mse || options.library.max_error)) {
    summary.termination = {
        TerminationReason::tolerance_missed,
        fmt::format("{} rows in the library leave a mean square of {:.3g}, and more do not fit in "
                    "the memory limit: split the rows in blocks (partitioned)",
                    library.size(), mean_square)};
  }
}

}  // namespace

void LibraryOptions::validate() const {
  if (candidates == 0) throw InvalidArgument("candidates is 0: draw at least one");
  const auto check_positive = [](const char* name, const std::optional<double>& value) {
    if (!value || (*value > 0 && std::isfinite(*value))) return;
    throw InvalidArgument(fmt::format("{} is {}: it must be positive and finite", name, *value));
  };
  check_positive("mse", mse);
  check_positive("max_error", max_error);
  if (max_library && *max_library == 0) {
    throw InvalidArgument("max_library is 0: allow at least one row");
  }
}

void GreedyOptions::validate() const {
  const methods::ComponentChoice checked(components, retain, min_eigenvalue);
  library.validate();
}

Fit fit_greedy(MatrixView<const double> points, const Kernel& kernel, const GreedyOptions& options,
               const RunOptions& run) {
  options.validate();
  methods::check_weights(options.weights, points.rows());
  methods::check_kernel(kernel);
  methods::require_positive_semidefinite(kernel, "greedy choices");
  if (points.rows() == 0) throw DataError("there are no rows");
  engine::check_training_points(kernel, points);

  methods::FitRecord record("greedy", run);
  record.begin("library");
  const Kernel resolved = record.resolve(kernel, points);
  const LibraryOptions limits = methods::with_target(
      options.library, methods::mean_diagonal(resolved, points, options.weights));
  record.choice("pivots", model::option_name(limits.rule), "on uncentred features");
  const methods::GreedyLibrary library(resolved, points, options.weights, 0, limits,
                                       engine::RandomStream(record.seed()).substream(kPivotStream),
                                       record.memory_limit_bytes(), record.workers());
  if (library.size() == 0) {
    throw NumericalError(library.trace() > 0
                             ? "the limits on the error are met without any library: lower them"
                             : "the kernel is zero on all points: there is nothing to extract");
  }
  report(record, library, options);

  record.begin("components");
  const methods::LandmarkSpectrum spectrum(
      methods::factor_moments(library.factor().factor(), options.weights, record.workers()),
      library.trace(), options.center);
  return methods::landmark_fit(resolved, library.landmarks(), spectrum, landmark_options(options),
                               points.rows(), /*single_precision=*/false, record);
}

}  // namespace mercer
