#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/metrics.h>

#include "engine/blas.h"
#include "metrics/arguments.h"
#include "metrics/reduced_pair.h"
#include "metrics/small_algebra.h"

namespace mercer {

namespace {

Matrix<double> orthonormal_rows(MatrixView<const double> reduced, std::size_t tall_rows,
                                const char* name) {
  auto space = metrics::column_space(reduced, tall_rows);
  if (space.rank() == 0) {
    throw DataError(fmt::format("the {} matrix is all zeros: it spans no directions", name));
  }
  return std::move(space.basis);
}

}  // namespace

std::vector<double> principal_angles(MatrixView<const double> a, MatrixView<const double> b,
                                     const RunOptions& run) {
  metrics::check_values(a, "first matrix");
  metrics::check_values(b, "second matrix");
  metrics::check_equal(a.rows(), "rows of the first matrix", b.rows(), "rows of the second");
  metrics::check_memory(metrics::reduced_pair_bytes(a.rows(), a.cols() + b.cols()),
                        "triangles of matrices", run);
  engine::Workers workers(run);
  workers.begin_phase("principal angles");
  const auto pair = metrics::reduce_pair(a, b, workers);
  auto larger = orthonormal_rows(pair.a, a.rows(), "first");
  auto smaller = orthonormal_rows(pair.b, b.rows(), "second");
  if (larger.rows() < smaller.rows()) std::swap(larger, smaller);

  auto overlaps = metrics::product(smaller, metrics::transpose(larger));
  metrics::subtract(smaller, 1, metrics::product(overlaps, larger));
  const auto cosines = engine::singular_values(overlaps).values;
  auto sines = engine::singular_values(smaller).values;
  std::ranges::reverse(sines);
  std::vector<double> angles(cosines.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    // The cosine of a small angle is flat: from it alone no angle below 1e-8 could be told from 0.
    angles[i] = cosines[i] * cosines[i] > 0.5 ? std::asin(std::min(sines[i], 1.0))
                                              : std::acos(std::min(cosines[i], 1.0));
  }
  std::ranges::sort(angles);
  return angles;
}

}  // namespace mercer
