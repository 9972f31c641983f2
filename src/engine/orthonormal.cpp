#include "engine/orthonormal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/blas.h"
#include "engine/tall.h"

namespace mercer::engine {

Orthonormalised orthonormalise_columns(MatrixView<double> b, Matrix<double>& coupling,
                                       double negligible, Workers& workers) {
  const std::size_t p = b.cols();
  auto gram = transposed_product(b, b, workers);
  std::vector<double> scale(p);
  for (std::size_t j = 0; j < p; ++j) scale[j] = std::sqrt(std::max(gram(j, j), 0.0));
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) {
      const double product = scale[i] * scale[j];
      gram(i, j) = product > 0 ? gram(i, j) / product : (i == j ? 1.0 : 0.0);
    }
  }
  symmetric_eigen(gram);  // row i: direction i in scaled columns
  Matrix<double> rotation(p, p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t i = 0; i < p; ++i) rotation(j, i) = scale[j] > 0 ? gram(i, j) / scale[j] : 0;
  }
  multiply_from_right(b, rotation, workers);
  const auto rotated_gram = transposed_product(b, b, workers);

  Matrix<double> update(p, p);  // b before = b after * update
  Matrix<double> normalise(p, p);
  Orthonormalised result;
  for (std::size_t i = 0; i < p; ++i) {
    const double norm = std::sqrt(std::max(rotated_gram(i, i), 0.0));
    double row_norm2 = 0;
    for (std::size_t j = 0; j < p; ++j) {
      update(i, j) = norm * gram(i, j) * scale[j];
      row_norm2 += update(i, j) * update(i, j);
    }
    if (norm < 1e-15 || std::sqrt(row_norm2) <= negligible) {
      for (std::size_t j = 0; j < p; ++j) update(i, j) = 0;
      result.empty.push_back(i);
    } else {
      normalise(i, i) = 1 / norm;
      if (norm <= 1e-3) result.well_conditioned = false;
    }
  }
  multiply_from_right(b, normalise, workers);

  Matrix<double> product(p, p);
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t l = 0; l < p; ++l) {
      for (std::size_t j = 0; j < p; ++j) product(i, j) += update(i, l) * coupling(l, j);
    }
  }
  coupling = std::move(product);
  return result;
}

}  // namespace mercer::engine
