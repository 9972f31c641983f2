#include "model/expansion.h"

#include <algorithm>
#include <utility>

#include "engine/tile.h"

namespace mercer::model {

namespace {

/// Columns are those of a, the number of them padded for products.
Matrix<double> padded_transpose(MatrixView<const double> a) {
  Matrix<double> out(a.cols(), engine::padded_columns(a.rows()));
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) out(j, i) = a(i, j);
  }
  return out;
}

/// [B, nu], with zeros for a mean that there is not.
Matrix<double> with_mean(const ModelParts& parts) {
  const std::size_t k = parts.coefficients.cols();
  Matrix<double> columns(parts.coefficients.rows(), k + 1);
  for (std::size_t j = 0; j < columns.rows(); ++j) {
    std::ranges::copy(parts.coefficients.row(j), columns.row(j).begin());
    if (parts.centered) columns(j, k) = parts.mean_coefficients[j];
  }
  return columns;
}

}  // namespace

Expansion::Expansion(const ModelParts& parts)
    : parts_(parts), columns_(padded_transpose(with_mean(parts))) {}

Matrix<double> Expansion::combine(MatrixView<const double> scores,
                                  MatrixView<const double> columns) const {
  const std::size_t k = parts_.coefficients.cols();
  Matrix<double> factors(scores.rows(), k + 1);
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    std::ranges::copy(scores.row(i), factors.row(i).begin());
    factors(i, k) = 1;
  }
  Matrix<double> out(scores.rows(), columns.cols());
  engine::multiply_add({.m = out.rows(),
                        .n = out.cols(),
                        .k = k + 1,
                        .a = factors.data(),
                        .a_row_stride = k + 1,
                        .a_col_stride = 1,
                        .b = columns.data(),
                        .b_stride = columns.stride(),
                        .c = out.data(),
                        .c_stride = out.cols()});
  return out;
}

Matrix<double> Expansion::weights(MatrixView<const double> scores) const {
  return combine(scores, columns_);
}

Matrix<double> Expansion::images(const RunOptions& run) const {
  ModelParts parts;
  parts.kernel = parts_.kernel;
  parts.library = parts_.library;
  parts.coefficients = with_mean(parts_);
  parts.offset.assign(parts.coefficients.cols(), 0.0);
  parts.total_weight = 1;
  parts.centered = false;
  return padded_transpose(Model(std::move(parts)).transform(parts_.library, run));
}

Matrix<double> Expansion::products(MatrixView<const double> scores,
                                   MatrixView<const double> images) const {
  return combine(scores, images);
}

/// The offset is -<u_k, mean>.
double Expansion::norm2(std::span<const double> scores) const {
  double sum = parts_.centered ? parts_.mean_norm2 : 0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    sum += scores[k] * (scores[k] - (parts_.centered ? 2 * parts_.offset[k] : 0));
  }
  return sum;
}

}  // namespace mercer::model
