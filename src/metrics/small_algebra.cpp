#include "metrics/small_algebra.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/blas.h"

namespace mercer::metrics {

Matrix<double> product(MatrixView<const double> a, MatrixView<const double> b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    double* out = c.row(i).data();
    for (std::size_t k = 0; k < a.cols(); ++k) {
      const double factor = a(i, k);
      const double* row = b.row(k).data();
      for (std::size_t j = 0; j < b.cols(); ++j) out[j] += factor * row[j];
    }
  }
  return c;
}

Matrix<double> transpose(MatrixView<const double> a) {
  auto t = Matrix<double>::uninitialized(a.cols(), a.rows());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) t(j, i) = a(i, j);
  }
  return t;
}

void subtract(MatrixView<double> a, double factor, MatrixView<const double> b) {
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) a(i, j) -= factor * b(i, j);
  }
}

double frobenius_norm(MatrixView<const double> a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (const double value : a.row(i)) sum += value * value;
  }
  return std::sqrt(sum);
}

ColumnSpace column_space(MatrixView<const double> a, std::size_t tall_rows) {
  ColumnSpace space;
  Matrix<double> unit(a);
  for (std::size_t j = 0; j < a.cols(); ++j) {
    const double norm = frobenius_norm(a.cols_from(j, 1));
    space.inverse.push_back(norm > 0 ? 1 / norm : 0);
    for (std::size_t i = 0; i < a.rows(); ++i) unit(i, j) *= space.inverse[j];
  }
  auto svd = engine::singular_values(unit);
  const double cut = svd.values.front() * std::numeric_limits<double>::epsilon() *
                     static_cast<double>(std::max(tall_rows, a.cols()));
  const auto rank = static_cast<std::size_t>(
      std::ranges::count_if(svd.values, [&](double value) { return value > cut; }));
  space.basis = transpose(MatrixView<const double>(svd.left).cols_from(0, rank));
  space.right = Matrix<double>(MatrixView<const double>(svd.right).rows_from(0, rank));
  svd.values.resize(rank);
  space.values = std::move(svd.values);
  return space;
}

}  // namespace mercer::metrics
