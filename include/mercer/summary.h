#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

/// Why a fit ended.
enum class TerminationReason {
  converged,         ///< everything asked for, to the tolerance asked for
  fewer_components,  ///< the data have fewer directions than asked; the ones returned are converged
  not_converged,     ///< the iteration limit was reached; residuals are in `solver_residual`
  tolerance_missed,  ///< a limit came before the tolerance; the message says what was reached
};

struct Termination {
  TerminationReason reason = TerminationReason::converged;
  std::string message;
};

/// A bound or estimate of an error; `rigorous` means proven for this very result.
struct Bound {
  std::string name;
  double value = 0;
  bool rigorous = false;
};

struct Phase {
  std::string name;
  double seconds = 0;
};

/// Something the fit decided by itself.
struct Choice {
  std::string what;
  std::string value;
  std::string why;
};

/// An error with the first `size` members of a set that grows (landmarks, features).
struct ErrorAt {
  std::size_t size = 0;
  double error = 0;
};

/// Root mean square error of the scores of a component over the points of the library before, each
/// divided by the root mean square of the scores themselves.
struct ComponentError {
  double expected = 0;
  /// Not exceeded with a probability of 95 %, the errors taken for normal.
  double within_95 = 0;
  double measured = 0;  ///< of the model that came out
};

/// What it cost the scores to make a library smaller (compress.h).
struct Compression {
  std::string by;
  std::size_t library_size_before = 0;
  ComponentError all;  ///< all components together
  std::vector<ComponentError> components;
};

struct Interval {
  double low = 0;
  double high = 0;
};

/// Eigenvalues below -1e-8 times the largest: the kernel is not positive semi-definite on the rows.
struct NegativeEigenvalues {
  std::size_t count = 0;  ///< that were seen
  double smallest = 0;
  bool all_seen = false;  ///< the whole spectrum was computed; otherwise there may be more
};

/// What a fit did, how well, at what cost. Fields without a value have no meaning for the method.
/// `json()` follows docs/summary.schema.json; key names are those of the fields.
struct Summary {
  std::string method;
  std::string kernel;
  std::vector<std::pair<std::string, double>> kernel_parameters;
  std::size_t n = 0;
  std::size_t d = 0;
  double total_weight = 0;
  std::size_t components = 0;
  std::size_t library_size = 0;
  bool centered = true;
  /// Eigenvalues of the (centred, weighted) Gram matrix, descending, not divided by n. Of a graph's
  /// matrix for manifold methods (manifold.h), ascending for the unnormalised Laplacian.
  std::vector<double> eigenvalues;
  /// Of an indefinite kernel, dropped by the exact method.
  std::optional<NegativeEigenvalues> negative_eigenvalues;
  /// Variance that each feature explains, divided by the weight, where components are features and
  /// no eigenvectors (feature_analysis.h), in the order of their choice.
  std::vector<double> gains;
  /// eigenvalues / total variance; a lower bound of the truth where the total is an interval.
  std::vector<double> explained_variance_ratio;
  /// Trace of the (centred, weighted) Gram matrix.
  std::optional<Interval> total_variance;
  /// tr(K - K') / tr K of an approximation K', uncentred.
  std::optional<double> residual_trace_fraction;
  /// What the eigenvalues of the exact problem are certain to lie between, component by component.
  std::vector<Interval> eigenvalue_intervals;
  std::optional<std::size_t> landmarks;
  /// Sine of the largest angle between the space of the components and the exact one, over the
  /// rows.
  std::optional<double> subspace_error_estimate;
  /// The residual trace fraction with fewer landmarks; the reconstruction error with fewer
  /// features.
  std::vector<ErrorAt> error_curve;
  /// Mean squared feature-space distance of the training points to the kept subspace; of the
  /// weighted centres for reduced sets.
  std::optional<double> reconstruction_error;
  /// Largest true residual |A u - lambda u| / lambda_1 over the kept components.
  std::optional<double> solver_residual;
  std::vector<Bound> bounds;
  /// Gap below each eigenvalue over twice the norm of the error of the kernel matrix (as measured
  /// or predicted in `bounds`). From 1 on, the span of the components up to this one is trusted.
  std::vector<double> certified_ratio;
  std::uint64_t kernel_evaluations = 0;
  /// Pairs of rows and centres that a plain search for the centres would compare.
  std::optional<std::uint64_t> distance_evaluations;
  double seconds = 0;
  std::vector<Phase> phases;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t memory_limit_bytes = 0;
  Termination termination;
  std::vector<std::string> warnings;
  std::vector<Choice> choices;
  std::size_t threads = 0;
  std::string simd;
  std::string blas;
  std::uint64_t seed = 0;
  /// Random features of the model.
  std::optional<std::size_t> features;
  /// Of a model that was made smaller.
  std::optional<Compression> compression;

  /// One line: method, size, components, error, time.
  std::string brief() const;
  /// Several lines for people: everything above.
  std::string full() const;
  /// One JSON object, pretty-printed.
  std::string json() const;
  /// The inverse of `json()`. Throws FileError when the text is not a summary.
  static Summary from_json(const std::string& text);
};

std::string to_string(TerminationReason reason);

}  // namespace mercer
