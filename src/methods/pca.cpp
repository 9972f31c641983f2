#include "methods/pca.h"

#include <algorithm>
#include <cmath>

#include "engine/blas.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::methods {

namespace {

/// sqrt(w_i) (x_i - mean) / scale with columns padded for the product code. The scale, a power of
/// two, keeps squares in range.
struct ScaledRows {
  Matrix<double> rows;
  double scale = 1;
};
ScaledRows scaled_rows(MatrixView<const double> points, const std::vector<double>& weights,
                       const std::vector<double>& mean) {
  ScaledRows out{.rows = Matrix<double>(points.rows(), engine::padded_columns(points.cols()))};
  double largest = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double root = weights.empty() ? 1 : std::sqrt(weights[i]);
    for (std::size_t j = 0; j < points.cols(); ++j) {
      out.rows(i, j) = root * (points(i, j) - mean[j]);
      largest = std::max(largest, std::abs(out.rows(i, j)));
    }
  }
  if (largest == 0) return out;
  out.scale = std::ldexp(1.0, std::ilogb(largest));
  for (std::size_t i = 0; i < out.rows.size(); ++i) out.rows.data()[i] /= out.scale;
  return out;
}

double largest_residual(MatrixView<const double> scatter, const engine::EigenPairs& pairs,
                        std::size_t count) {
  double largest = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const auto v = pairs.vectors.row(j);
    double norm2 = 0;
    for (std::size_t r = 0; r < v.size(); ++r) {
      double image = 0;
      for (std::size_t c = 0; c < v.size(); ++c) image += scatter(r, c) * v[c];
      const double difference = image - pairs.values[j] * v[r];
      norm2 += difference * difference;
    }
    largest = std::max(largest, std::sqrt(norm2));
  }
  return count == 0 ? 0 : largest / pairs.values.front();
}

}  // namespace

double sum_of_weights(const std::vector<double>& weights, std::size_t n) {
  if (weights.empty()) return static_cast<double>(n);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  return sum;
}

std::vector<double> weighted_mean(MatrixView<const double> points,
                                  const std::vector<double>& weights) {
  const double total_weight = sum_of_weights(weights, points.rows());
  std::vector<double> mean(points.cols(), 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double share = (weights.empty() ? 1 : weights[i]) / total_weight;
    for (std::size_t j = 0; j < points.cols(); ++j) mean[j] += share * points(i, j);
  }
  return mean;
}

Matrix<double> collapse(MatrixView<const double> centred_points, MatrixView<const double> b) {
  Matrix<double> padded_b(b.rows(), engine::padded_columns(b.cols()));
  for (std::size_t i = 0; i < b.rows(); ++i) std::ranges::copy(b.row(i), padded_b.row(i).begin());
  Matrix<double> axes(centred_points.cols(), padded_b.cols());
  engine::multiply_add({.m = axes.rows(),
                        .n = axes.cols(),
                        .k = centred_points.rows(),
                        .a = centred_points.data(),
                        .a_row_stride = 1,
                        .a_col_stride = centred_points.stride(),
                        .b = padded_b.data(),
                        .b_stride = padded_b.cols(),
                        .c = axes.data(),
                        .c_stride = axes.cols()});
  return Matrix<double>(axes.view().cols_from(0, b.cols()));
}

PrincipalAxes principal_axes(MatrixView<const double> points, const std::vector<double>& weights,
                             bool center, const ComponentChoice& choice, engine::Workers& workers) {
  const std::size_t n = points.rows();
  const std::size_t d = points.cols();
  PrincipalAxes result;
  result.mean = center ? weighted_mean(points, weights) : std::vector<double>(d, 0.0);
  const auto scaled = scaled_rows(points, weights, result.mean);
  const auto product = engine::transposed_product(scaled.rows, scaled.rows, workers);
  const Matrix<double> scatter(product.view().rows_from(0, d).cols_from(0, d));
  const double unit = scaled.scale * scaled.scale;
  for (std::size_t j = 0; j < d; ++j) result.total_variance += scatter(j, j) * unit;

  Matrix<double> work(scatter);
  const auto pairs = engine::largest_eigenpairs(work, d);
  std::vector<double> values(pairs.values);
  for (double& value : values) value *= unit;
  const double noise = noise_level(std::max(values.front(), 0.0), 0, std::max(n, d), false);
  const std::size_t k = choice.count(values, result.total_variance, noise).value_or(d);
  result.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(k));
  result.axes = Matrix<double>::uninitialized(d, k);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < k; ++j) result.axes(i, j) = pairs.vectors(j, i);
  }
  result.residual = largest_residual(scatter, pairs, k);
  return result;
}

}  // namespace mercer::methods
