#pragma once

#include <cstddef>
#include <vector>

#include <mercer/matrix.h>

#include "engine/blas.h"
#include "engine/nearest_product.h"

namespace mercer::methods {

/// Eigenpairs of a Kronecker product K1 (x) K2 from those of its factors: values l1_a l2_b, vectors
/// u1_a (x) u2_b, of which only those that are asked for are ever made. O(n1^3 + n2^3).
class ProductSpectrum {
 public:
  /// `rows[i]` is the row of the data that stands at place i of the product.
  ProductSpectrum(engine::NearestProduct product, std::vector<std::size_t> rows);

  /// The largest positive eigenvalues, descending; at most `count`.
  std::vector<engine::ProductValue> largest(std::size_t count) const;
  /// Eigenvalues below -1e-8 times `largest_value`.
  std::size_t negative(double largest_value) const;
  /// Unit eigenvectors in the rows of the data as the first columns of an n x `columns` matrix;
  /// rows that are not in the product, and columns that are left, are zero.
  Matrix<double> vectors(const std::vector<engine::ProductValue>& pairs, std::size_t n,
                         std::size_t columns) const;

 private:
  engine::EigenPairs first_;
  engine::EigenPairs second_;
  std::vector<std::size_t> rows_;
};

}  // namespace mercer::methods
