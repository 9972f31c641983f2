#include "methods/product_spectrum.h"

#include <utility>

namespace mercer::methods {

ProductSpectrum::ProductSpectrum(engine::NearestProduct product, std::vector<std::size_t> rows)
    : first_(engine::largest_eigenpairs(product.first, product.first.rows())),
      second_(engine::largest_eigenpairs(product.second, product.second.rows())),
      rows_(std::move(rows)) {}

std::vector<engine::ProductValue> ProductSpectrum::largest(std::size_t count) const {
  return engine::largest_products(first_.values, second_.values, count);
}

std::size_t ProductSpectrum::negative(double largest_value) const {
  std::size_t count = 0;
  for (const double a : first_.values) {
    for (const double b : second_.values) count += a * b < -1e-8 * largest_value ? 1 : 0;
  }
  return count;
}

Matrix<double> ProductSpectrum::vectors(const std::vector<engine::ProductValue>& pairs,
                                        std::size_t n, std::size_t columns) const {
  Matrix<double> v(n, columns);
  const std::size_t n2 = second_.values.size();
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    for (std::size_t c = 0; c < pairs.size(); ++c) {
      v(rows_[place], c) =
          first_.vectors(pairs[c].first, place / n2) * second_.vectors(pairs[c].second, place % n2);
    }
  }
  return v;
}

}  // namespace mercer::methods
