#include "methods/product_spectrum.h"

#include <cmath>

#include <gtest/gtest.h>

#include "engine/reference.h"
#include "numbers.h"

namespace mercer::methods {
namespace {

using testing::normal_matrix;

/// Indefinite factors, so that products of two negative eigenvalues are positive.
engine::NearestProduct example() {
  engine::NearestProduct product;
  product.first = normal_matrix(3, 3, 1);
  product.second = normal_matrix(4, 4, 2);
  for (auto* factor : {&product.first, &product.second}) {
    for (std::size_t i = 0; i < factor->rows(); ++i) {
      for (std::size_t j = 0; j < i; ++j) (*factor)(i, j) = (*factor)(j, i);
    }
  }
  return product;
}

TEST(ProductSpectrum, HasTheEigenpairsOfTheProductInTheRowsOfTheData) {
  const auto product = example();
  const std::vector<std::size_t> rows{5, 0, 11, 2, 7, 1, 3, 9, 4, 10, 6, 8};
  const std::size_t n = 14;  // two rows are not in the product
  Matrix<double> k(n, n);
  for (std::size_t r = 0; r < 12; ++r) {
    for (std::size_t c = 0; c < 12; ++c) {
      k(rows[r], rows[c]) = product.first(r / 4, c / 4) * product.second(r % 4, c % 4);
    }
  }
  const auto expected = engine::reference::symmetric_eigen(k);
  const ProductSpectrum spectrum(product, rows);
  const auto pairs = spectrum.largest(12);
  const auto v = spectrum.vectors(pairs, n, 16);
  const auto image = engine::reference::multiply(k, v);
  std::size_t positive = 0;
  std::size_t negative = 0;
  for (const double value : expected.values) {
    positive += value > 1e-10 ? 1 : 0;
    negative += value < -1e-10 ? 1 : 0;
  }
  ASSERT_EQ(pairs.size(), positive);
  EXPECT_EQ(spectrum.negative(pairs.front().value), negative);
  for (std::size_t j = 0; j < 16; ++j) {
    double norm2 = 0;
    for (std::size_t i = 0; i < n; ++i) norm2 += v(i, j) * v(i, j);
    EXPECT_NEAR(norm2, j < positive ? 1 : 0, 1e-13);
    if (j >= positive) continue;
    EXPECT_NEAR(pairs[j].value, expected.values[j], 1e-12);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(image(i, j), pairs[j].value * v(i, j), 1e-12);
  }
}

TEST(ProductSpectrum, GivesNoMoreThanAsked) {
  std::vector<std::size_t> rows(12);
  for (std::size_t i = 0; i < 12; ++i) rows[i] = i;
  const ProductSpectrum spectrum(example(), rows);
  EXPECT_EQ(spectrum.largest(2).size(), 2U);
  EXPECT_EQ(spectrum.vectors({}, 12, 0).cols(), 0U);
}

}  // namespace
}  // namespace mercer::methods
