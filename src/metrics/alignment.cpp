#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "engine/blas.h"
#include "metrics/arguments.h"
#include "metrics/reduced_pair.h"
#include "metrics/small_algebra.h"

namespace mercer {

namespace {

using metrics::ReducedPair;

ReducedPair reduced(MatrixView<const double> reference, MatrixView<const double> approximate,
                    const RunOptions& run) {
  metrics::check_values(reference, "reference scores");
  metrics::check_values(approximate, "approximate scores");
  metrics::check_equal(reference.rows(), "rows of reference scores", approximate.rows(),
                       "rows of approximate scores");
  metrics::check_memory(
      metrics::reduced_pair_bytes(reference.rows(), reference.cols() + approximate.cols()),
      "triangles of scores", run);
  engine::Workers workers(run);
  workers.begin_phase("alignment");
  auto pair = metrics::reduce_pair(reference, approximate, workers);
  if (metrics::frobenius_norm(pair.a) == 0) {
    throw DataError("the reference scores are all zeros: errors relative to them have no meaning");
  }
  return pair;
}

double checked(double value, const char* name) {
  if (std::isfinite(value)) return value;
  throw NumericalError(
      fmt::format("{} overflows: bring the scores to sizes that can be compared", name));
}

}  // namespace

Alignment align_least_squares(MatrixView<const double> reference,
                              MatrixView<const double> approximate, const RunOptions& run) {
  const ReducedPair pair = reduced(reference, approximate, run);
  const auto space = metrics::column_space(pair.b, approximate.rows());
  auto coefficients = metrics::product(space.basis, pair.a);  // U^T A
  Matrix<double> residual(pair.a);
  metrics::subtract(residual, 1, metrics::product(metrics::transpose(space.basis), coefficients));
  for (std::size_t q = 0; q < space.rank(); ++q) {
    for (double& value : coefficients.row(q)) value /= space.values[q];
  }
  Alignment alignment{
      .map = metrics::product(metrics::transpose(space.right), coefficients),
      .relative_error = metrics::frobenius_norm(residual) / metrics::frobenius_norm(pair.a),
      .rank = space.rank()};
  for (std::size_t i = 0; i < alignment.map.rows(); ++i) {
    for (double& value : alignment.map.row(i)) {
      value = checked(std::ldexp(value * space.inverse[i], pair.a_exponent - pair.b_exponent),
                      "the map");
    }
  }
  return alignment;
}

Procrustes align_procrustes(MatrixView<const double> reference,
                            MatrixView<const double> approximate, const ProcrustesOptions& options,
                            const RunOptions& run) {
  metrics::check_equal(reference.cols(), "columns of reference scores", approximate.cols(),
                       "columns of approximate scores");
  ReducedPair pair = reduced(reference, approximate, run);
  auto cross = metrics::product(metrics::transpose(pair.b), pair.a);
  const auto svd = engine::singular_values(cross);
  Procrustes result{.rotation = metrics::product(svd.left, svd.right)};
  const int shift = pair.a_exponent - pair.b_exponent;
  double factor = std::ldexp(1.0, -shift);  // of the reduced matrices, whose scales differ
  if (options.scale) {
    const double norm = metrics::frobenius_norm(pair.b);
    const double overlap = std::accumulate(svd.values.begin(), svd.values.end(), 0.0);
    factor = norm > 0 ? overlap / norm / norm : 0;
    result.scale = checked(std::ldexp(factor, shift), "the scale");
  }
  const double norm = metrics::frobenius_norm(pair.a);
  metrics::subtract(pair.a, factor, metrics::product(pair.b, result.rotation));
  result.relative_error = checked(metrics::frobenius_norm(pair.a) / norm, "the error");
  return result;
}

}  // namespace mercer
