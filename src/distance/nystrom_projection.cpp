#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>
#include <mercer/sparse_distance.h>

#include "distance/distance_origin.h"
#include "distance/gram_powers.h"
#include "engine/blas.h"
#include "engine/dense_product.h"
#include "engine/parallel.h"

// Section 9 of Epstein & Betke. With G_mm = U S U^T the approximation is G = G_nm G_mm^+ G_mn. Its
// eigenvectors are taken for sqrt(m/n) G_nm U S^+, its eigenvalues for (n/m) S; so the inverse that
// is printed is
//     (m/n)^2 G_nm U S^-3 U^T G_mn,
// which would be right if those vectors were orthonormal. With F = G_nm U S^-1/2 = W D V^T the
// pseudo-inverse is W D^-2 W^T.

namespace mercer {

namespace {

using distance::kIndependent;

/// Columns f_k and factors t_k with G^+ ~ sum_k f_k t_k f_k^T.
struct InverseFactors {
  Matrix<double> columns;  ///< n x r
  std::vector<double> factors;
};

/// G_nm U, scaled column by column by S^power; directions without weight are left out.
Matrix<double> scaled_images(const Matrix<double>& to_landmarks, const Matrix<double>& vectors,
                             std::span<const double> values, double power,
                             engine::Workers& workers) {
  Matrix<double> directions(vectors.cols(), vectors.rows());
  for (std::size_t k = 0; k < vectors.rows(); ++k) {
    const double factor = values[k] > kIndependent * values.back() ? std::pow(values[k], power) : 0;
    for (std::size_t j = 0; j < vectors.cols(); ++j) directions(j, k) = factor * vectors(k, j);
  }
  return engine::dense_product(to_landmarks, directions, workers);
}

InverseFactors invert(const Matrix<double>& gram, std::span<const std::size_t> landmarks,
                      NystromInverse inverse, engine::Workers& workers) {
  const std::size_t n = gram.rows();
  const std::size_t m = landmarks.size();
  Matrix<double> to_landmarks(n, m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) to_landmarks(i, j) = gram(i, landmarks[j]);
  }
  Matrix<double> vectors(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) vectors(i, j) = to_landmarks(landmarks[i], j);
  }
  const std::vector<double> values = engine::symmetric_eigen(vectors);  // ascending
  InverseFactors result;
  if (inverse == NystromInverse::printed) {
    const double share = static_cast<double>(m) / static_cast<double>(n);
    result.columns = scaled_images(to_landmarks, vectors, values, -1.5, workers);
    result.factors.assign(m, share * share);
    return result;
  }
  auto svd = engine::singular_values(scaled_images(to_landmarks, vectors, values, -0.5, workers));
  for (const double value : svd.values) {
    const bool kept = value > kIndependent * svd.values.front();
    result.factors.push_back(kept ? 1 / (value * value) : 0);
  }
  result.columns = std::move(svd.left);
  return result;
}

}  // namespace

Matrix<double> nystrom_estimates(MatrixView<const double> squares,
                                 std::span<const std::size_t> landmarks,
                                 MatrixView<const double> query_squares, double constant,
                                 NystromInverse inverse, const RunOptions& run) {
  const std::size_t n = squares.rows();
  if (squares.cols() != n || query_squares.cols() != n || landmarks.empty()) {
    throw InvalidArgument(fmt::format(
        "{} x {} squared distances of items, {} columns of queries and {} landmarks do not fit "
        "together",
        n, squares.cols(), query_squares.cols(), landmarks.size()));
  }
  for (const std::size_t item : landmarks) {
    if (item >= n) {
      throw InvalidArgument(fmt::format("landmark {} of {} items", item, n));
    }
  }
  engine::Workers workers(run);
  const Matrix<double> gram = distance::selection_gram(squares, constant);
  const InverseFactors inverted = invert(gram, landmarks, inverse, workers);
  Matrix<double> kernel(query_squares);
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    kernel.data()[i] = 2 * constant - kernel.data()[i] / 2;
  }
  Matrix<double> shares = engine::dense_product(kernel, inverted.columns, workers);
  for (std::size_t q = 0; q < shares.rows(); ++q) {
    for (std::size_t k = 0; k < shares.cols(); ++k) shares(q, k) *= inverted.factors[k];
  }
  // K beta for all queries at once.
  const Matrix<double> images = engine::dense_transposed_product(inverted.columns, gram, workers);
  Matrix<double> estimates = engine::dense_product(shares, images, workers);
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    estimates.data()[i] = 4 * constant - 2 * estimates.data()[i];
  }
  return estimates;
}

}  // namespace mercer
