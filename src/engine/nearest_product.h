#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/block_gram.h"
#include "engine/parallel.h"

namespace mercer::engine {

struct NearestProductOptions {
  double tolerance = 1e-10;      ///< on the change of the second factor, whose norm is 1
  std::size_t max_sweeps = 100;  ///< passes over the matrix
};

/// K is about first (x) second: block (i, j) is first_ij times second.
struct NearestProduct {
  Matrix<double> first;       ///< n1 x n1, symmetric, in the units of K
  Matrix<double> second;      ///< n2 x n2, symmetric, of Frobenius norm 1
  double relative_error = 0;  ///< |K - first (x) second|_F / |K|_F of these very factors
  std::size_t sweeps = 0;
  double change = 0;  ///< of the second factor in the last sweep
  bool converged = false;
};

/// min |K - K1 (x) K2|_F by the power method on K with its blocks spread out as rows, whose largest
/// singular vectors are K1 and K2 (C. Van Loan, N. Pitsianis, "Approximation with Kronecker
/// products", 1993). Both factors are positive semi-definite where K is: each is a partial trace of
/// K (I (x) K2) or K (K1 (x) I). A factor of the next sweep needs block (i, j) and K1_ij only, so a
/// sweep is one pass. Throws NumericalError where the diagonal blocks, which it starts from, add up
/// to zero.
NearestProduct nearest_product(BlockGram& k, const NearestProductOptions& options,
                               Workers& workers);

/// One eigenvalue of a product and the eigenvalues of the factors that make it.
struct ProductValue {
  std::size_t first = 0;
  std::size_t second = 0;
  double value = 0;
};

/// The `count` largest positive products of a number of `first` and one of `second`, both
/// descending; fewer when there are no more. Ties go to the lowest indices. A heap holds the next
/// candidate of each row, so that O(count log n1) products are looked at instead of n1 n2.
std::vector<ProductValue> largest_products(std::span<const double> first,
                                           std::span<const double> second, std::size_t count);

}  // namespace mercer::engine
