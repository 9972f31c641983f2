#pragma once

#include <cstddef>
#include <optional>

#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// How a model gets a smaller library.
enum class CompressBy {
  /// Coefficients are rounded at random, small ones to zero or up, so that every score keeps its
  /// expectation; points without coefficients go. Any kernel.
  rounding,
  /// The points that represent the components best stay (pivoted Cholesky), and the coefficients
  /// are fitted anew. Positive semi-definite kernels. Far fewer points for the same error.
  projection,
};

/// A new point costs a kernel value for every point of the library: 7,291 for exact kernel PCA of
/// as many rows. Compression gives up some accuracy of the scores for a part of them.
struct CompressOptions {
  CompressBy by = CompressBy::rounding;
  /// Root mean square error of the scores over the points of the library, all components together,
  /// divided by their root mean square: in expectation for rounding, of the very result for
  /// projection. In [0, 1).
  double error = 0.05;
  /// Rounding draws every coefficient by itself instead of one draw for each point. More points for
  /// the same error; the paper's form, for comparison.
  bool per_component = false;
  /// Rounding: the scale s itself in the place of `error`. A coefficient a of a unit vector of
  /// coefficients stays where |a| >= 1/s, others become +-1/s with probability s |a|. Infinity
  /// keeps everything.
  std::optional<double> scale{};

  void validate() const;
};

/// The scale for a relative error (theorem 5 of the paper, src/methods/rounded_expansion.h):
/// rounding f(x) = sum a_i k(x, x_i), a unit vector of `points` >= 25 coefficients and |k| <=
/// `largest_value`, at s = 2 c sqrt(m) / (epsilon T) leaves fewer than 4 c m / (epsilon T) of them,
/// and with probability at least 1 - 1/m^2 either |f(x)| and its rounding are below T sqrt(ln m) or
/// the two differ by at most epsilon |f(x)|. This is about models that are not centred, whose
/// offset stays. Throws InvalidArgument unless 0 < epsilon < 2/3 and 2 c / epsilon < T <= (c /
/// epsilon) sqrt(m / ln m): below that nothing is dropped.
double rounding_scale(std::size_t points, double largest_value, double epsilon, double threshold);

/// The model with fewer points in its library; `Summary::compression` says what that costs. Of the
/// fit it keeps method, kernel, eigenvalues and what they explain. The mean score over the library
/// of a centred model stays as it is: the offset follows.
///
/// Cost: s^2 kernel values (twice for rounding), 8 s (k + 8) bytes, and for projection on s' points
/// s s'^2 flops and 8 s s' bytes.
///
/// Throws InvalidArgument for models without a library and those with a normaliser (manifold
/// methods: a degree with an error has no sign to rely on; fit them on fewer weighted centres).
/// Projection: also when the kernel is not positive semi-definite, and MemoryLimitError.
Fit compress(const Model& model, const CompressOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
