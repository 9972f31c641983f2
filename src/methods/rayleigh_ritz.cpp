#include "methods/rayleigh_ritz.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/blas.h"
#include "engine/tall.h"
#include "engine/tile.h"
#include "methods/component_choice.h"

namespace mercer::methods {

namespace {

/// Unit vectors as columns times factors, padded for products: Q diag(factors).
Matrix<double> scaled_columns(const engine::EigenPairs& pairs, const std::vector<double>& factors) {
  Matrix<double> t(pairs.vectors.cols(), engine::padded_columns(factors.size()));
  for (std::size_t j = 0; j < factors.size(); ++j) {
    for (std::size_t i = 0; i < t.rows(); ++i) t(i, j) = pairs.vectors(j, i) * factors[j];
  }
  return t;
}

/// a^-1/2 of the directions that are more than noise.
std::vector<double> inverse_roots(const CenteredGram& a, const std::vector<double>& values) {
  const double noise =
      noise_level(std::max(values.front(), 0.0), a.uncentered_trace() / a.scale(), a.size(), false);
  std::vector<double> roots;
  for (const double value : values) {
    if (value > noise) roots.push_back(1 / std::sqrt(value));
  }
  return roots;
}

/// factor H v, or factor v when not centred, and the columns that are asked for only.
Matrix<double> centred_columns(MatrixView<const double> v, std::size_t count, double factor,
                               bool center) {
  std::vector<double> means(count, 0.0);
  for (std::size_t i = 0; i < v.rows() && center; ++i) {
    for (std::size_t j = 0; j < count; ++j) means[j] += v(i, j);
  }
  for (double& mean : means) mean /= static_cast<double>(v.rows());
  auto centred = Matrix<double>::uninitialized(v.rows(), count);
  for (std::size_t i = 0; i < v.rows(); ++i) {
    for (std::size_t j = 0; j < count; ++j) centred(i, j) = (v(i, j) - means[j]) * factor;
  }
  return centred;
}

}  // namespace

RitzComponents rayleigh_ritz(CenteredGram& a, Matrix<double> v, engine::Workers& workers) {
  const std::size_t p = v.cols();
  if (p == 0) return {};
  auto w = Matrix<double>::uninitialized(v.rows(), p);
  a.apply(v, w);  // in units of a.scale()
  auto quotient = engine::transposed_product(v, w, workers);
  const auto in_span = engine::largest_eigenpairs(quotient, p);
  const auto roots = inverse_roots(a, in_span.values);
  if (roots.empty()) return {};

  const Matrix<double> t = scaled_columns(in_span, roots);
  engine::multiply_from_right(v, t, workers);
  engine::multiply_from_right(w, t, workers);
  const auto scores = w.view().cols_from(0, t.cols());
  const auto products = engine::transposed_product(scores, scores, workers);
  Matrix<double> variances(products.view().rows_from(0, roots.size()).cols_from(0, roots.size()));
  const auto pairs = engine::largest_eigenpairs(variances, roots.size());
  RitzComponents result;
  for (const double value : pairs.values) result.values.push_back(value * a.scale());

  auto rotation = Matrix<double>(t.cols(), t.cols());
  for (std::size_t j = 0; j < roots.size(); ++j) {
    for (std::size_t i = 0; i < roots.size(); ++i) rotation(i, j) = pairs.vectors(j, i);
  }
  const auto basis = v.view().cols_from(0, t.cols());
  engine::multiply_from_right(basis, rotation, workers);
  result.coefficients = centred_columns(basis, roots.size(), 1 / std::sqrt(a.scale()),
                                        /*center=*/!a.null_vector().empty());
  return result;
}

}  // namespace mercer::methods
