#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

#include "engine/parallel.h"
#include "engine/stopwatch.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// What every fit does around its own work: the clock and the phases, the kernel's parameters, the
/// summary, and the same checks with the same messages.
class FitRecord {
 public:
  FitRecord(const char* method, const RunOptions& run);

  engine::Workers& workers() { return workers_; }
  Summary& summary() { return summary_; }
  double memory_limit_bytes() const { return static_cast<double>(limit_bytes_); }
  std::uint64_t seed() const { return run_.seed; }

  void begin(const char* phase);
  void choice(std::string what, std::string value, std::string why);

  /// The kernel with every parameter set; those that were missing are recorded. They are found
  /// from a uniform sample that the seed alone decides, so that all methods get the same kernel
  /// from the same rows, wherever these come from. It takes a pass over them.
  Kernel resolve(const Kernel& asked, MatrixView<const double> points);
  Kernel resolve(const Kernel& asked, TrainingRows& data);
  /// From that sample, drawn with others (Samples::for_scale).
  Kernel resolve(const Kernel& asked, const RowSample& for_scale);

  /// Stops the clock and fills in what follows from the run alone: for fits that make no Model.
  void close();

  /// Fills in what follows from the parts and the run, and makes the Fit. Without a total variance
  /// the eigenvalues are not variances. Throws NumericalError when there are no components.
  Fit finish(ModelParts parts, std::size_t n, std::size_t d, std::optional<Interval> total_variance,
             std::size_t components_asked);

 private:
  void explain_variance(const ModelParts& parts, Interval total_variance);

  const RunOptions run_;
  engine::Stopwatch clock_;
  engine::Workers workers_;
  std::uint64_t limit_bytes_;
  Summary summary_;
};

/// Throws InvalidArgument unless there is one positive, finite weight per row, or none at all.
void check_weights(std::span<const double> weights, std::size_t n);

/// Throws InvalidArgument on parameters out of range and custom kernels without a function.
void check_kernel(const Kernel& kernel);

/// Throws InvalidArgument for precomputed kernels and those known not to be positive semi-definite.
/// `who` needs points and such a kernel, e.g. "landmarks".
void require_positive_semidefinite(const Kernel& kernel, const char* who);

}  // namespace mercer::methods
