#include "metrics/reduced_pair.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer::metrics {

namespace {

/// Rows that stay in the second-level cache while every reflection passes over them.
constexpr std::size_t kInnerRows = 128;

/// Rows of one task. At least four times the columns, so that the triangles of all tasks together
/// are a quarter of the data at most.
std::size_t part_rows(std::size_t cols) {
  return std::max<std::size_t>(4096, 4 * cols);
}

std::size_t part_count(std::size_t rows, std::size_t cols) {
  return (rows + part_rows(cols) - 1) / part_rows(cols);
}

/// e with the largest magnitude in [2^(e-1), 2^e); 0 for a matrix of zeros.
int largest_exponent(MatrixView<const double> matrix) {
  double largest = 0;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (const double value : matrix.row(i)) largest = std::max(largest, std::abs(value));
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  return exponent;
}

void copy_scaled(MatrixView<const double> from, int exponent, MatrixView<double> to) {
  for (std::size_t i = 0; i < from.rows(); ++i) {
    for (std::size_t j = 0; j < from.cols(); ++j) to(i, j) = std::ldexp(from(i, j), -exponent);
  }
}

/// The triangle of [triangle; rows]; the rows are overwritten. A reflection touches one row of the
/// triangle, so both loops over columns run along rows in memory.
void fold_rows(MatrixView<double> rows, MatrixView<double> triangle) {
  // Squares this small have lost their digits. Entries are of order 1: such a column is zero.
  constexpr double kNegligible = 1e-280;
  const std::size_t cols = rows.cols();
  std::vector<double> x(rows.rows());
  std::vector<double> product(cols);
  for (std::size_t j = 0; j < cols; ++j) {
    double below = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      x[i] = rows(i, j);
      below += x[i] * x[i];
    }
    const auto top = triangle.row(j);
    const double norm2 = top[j] * top[j] + below;
    if (below == 0 || norm2 < kNegligible) continue;
    const double reflected = top[j] > 0 ? -std::sqrt(norm2) : std::sqrt(norm2);
    const double head = top[j] - reflected;
    const double factor = 2 / (head * head + below);
    for (std::size_t l = j + 1; l < cols; ++l) product[l] = head * top[l];
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double* row = rows.row(i).data();
      for (std::size_t l = j + 1; l < cols; ++l) product[l] += x[i] * row[l];
    }
    for (std::size_t l = j + 1; l < cols; ++l) top[l] -= factor * head * product[l];
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      double* row = rows.row(i).data();
      const double step = factor * x[i];
      for (std::size_t l = j + 1; l < cols; ++l) row[l] -= step * product[l];
    }
    top[j] = reflected;
  }
}

}  // namespace

ReducedPair reduce_pair(MatrixView<const double> a, MatrixView<const double> b,
                        engine::Workers& workers) {
  const std::size_t n = a.rows();
  const std::size_t cols = a.cols() + b.cols();
  ReducedPair pair{
      .a = {}, .b = {}, .a_exponent = largest_exponent(a), .b_exponent = largest_exponent(b)};
  if (n <= cols) {
    pair.a = Matrix<double>(n, a.cols());
    pair.b = Matrix<double>(n, b.cols());
    copy_scaled(a, pair.a_exponent, pair.a);
    copy_scaled(b, pair.b_exponent, pair.b);
    return pair;
  }
  std::vector<Matrix<double>> triangles(part_count(n, cols));
  workers.for_each(triangles.size(), [&](std::size_t part) {
    triangles[part] = Matrix<double>(cols, cols);
    const std::size_t end = std::min(n, (part + 1) * part_rows(cols));
    Matrix<double> rows(kInnerRows, cols);
    for (std::size_t i = part * part_rows(cols); i < end; i += kInnerRows) {
      workers.poll();
      const std::size_t count = std::min(kInnerRows, end - i);
      const auto inner = rows.view().rows_from(0, count);
      copy_scaled(b.rows_from(i, count), pair.b_exponent, inner.cols_from(0, b.cols()));
      copy_scaled(a.rows_from(i, count), pair.a_exponent, inner.cols_from(b.cols(), a.cols()));
      fold_rows(inner, triangles[part]);
    }
  });
  const MatrixView<double> triangle = triangles.front();
  for (std::size_t part = 1; part < triangles.size(); ++part) {
    workers.check_cancelled();
    fold_rows(triangles[part], triangle);
  }
  pair.b = Matrix<double>(MatrixView<const double>(triangle.cols_from(0, b.cols())));
  pair.a = Matrix<double>(MatrixView<const double>(triangle.cols_from(b.cols(), a.cols())));
  return pair;
}

double reduced_pair_bytes(std::size_t n, std::size_t cols) {
  const auto width = static_cast<double>(cols);
  if (n <= cols) return static_cast<double>(n) * width * sizeof(double);
  return (static_cast<double>(part_count(n, cols)) + 1) * width * width * sizeof(double);
}

}  // namespace mercer::metrics
