#include "distance/gram_powers.h"

#include <algorithm>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/tall.h"

namespace mercer::distance {

namespace {

/// Rows of K^2 at a time.
constexpr std::size_t kStripRows = 512;

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

PowerDiagonals power_diagonals(MatrixView<const double> gram, engine::Workers& workers) {
  const std::size_t n = gram.rows();
  PowerDiagonals powers{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  const engine::RightFactor right(gram, workers);
  for (std::size_t first = 0; first < n; first += kStripRows) {
    workers.phase_range(
        static_cast<double>(first) / static_cast<double>(n),
        static_cast<double>(std::min(n, first + kStripRows)) / static_cast<double>(n));
    const auto rows = gram.rows_from(first, std::min(kStripRows, n - first));
    const Matrix<double> square = right.multiply(rows, workers);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      powers.second[first + i] = square(i, first + i);
      powers.third[first + i] = dot(square.row(i), rows.row(i));
      powers.fourth[first + i] = dot(square.row(i), square.row(i));
    }
  }
  return powers;
}

std::vector<double> multiply(MatrixView<const double> gram, std::span<const double> v,
                             engine::Workers& workers) {
  const Matrix<double> product = engine::dense_product(gram, {v.data(), v.size(), 1}, workers);
  return {product.data(), product.data() + product.size()};
}

double captured_trace(MatrixView<const double> gram, std::span<const std::size_t> rows,
                      engine::Workers& workers) {
  if (rows.empty()) return 0;
  const auto qr = engine::pivoted_qr(engine::pick_rows(gram, rows), kIndependent);
  if (qr.rank == 0) return 0;
  const Matrix<double> images = engine::dense_product(qr.q, gram, workers);
  double trace = 0;
  for (std::size_t i = 0; i < qr.rank; ++i) trace += dot(qr.q.row(i), images.row(i));
  return trace;
}

}  // namespace mercer::distance
