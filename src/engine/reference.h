#pragma once

#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

// Slow, obvious versions of what the engine and the methods do: the oracle of the tests. Nothing
// here is blocked, threaded, vectorised by hand, or shared with the code it checks.
namespace mercer::engine::reference {

/// k(a_i, b_j) for all i, j.
Matrix<double> kernel_matrix(const Kernel& kernel, MatrixView<const double> a,
                             MatrixView<const double> b);

/// a b.
Matrix<double> multiply(MatrixView<const double> a, MatrixView<const double> b);

struct Eigen {
  std::vector<double> values;  ///< descending
  Matrix<double> vectors;      ///< column j belongs to value j
};
/// All eigenpairs of a symmetric matrix by cyclic Jacobi rotations.
Eigen symmetric_eigen(MatrixView<const double> a);

struct KernelPca {
  std::vector<double> eigenvalues;
  Matrix<double> training_scores;  ///< n x k
  Matrix<double> new_scores;       ///< m x k
  double total_variance = 0;
};
/// Textbook kernel PCA from the full kernel matrices: gram is n x n, cross is m x n (new points in
/// rows). New points are centred by their own kernel means, as the literature writes it.
KernelPca kernel_pca(MatrixView<const double> gram, MatrixView<const double> cross,
                     std::size_t components, bool center);

struct Pivots {
  std::vector<std::size_t> rows;  ///< in the order drawn
  std::vector<double> residuals;  ///< of every row, given them
  double residual_fraction = 0;   ///< sum w d / sum w k(x, x)
};
/// Randomly pivoted Cholesky one pivot at a time (Chen, Epperly, Tropp & Webber 2022): draw i takes
/// the first row whose cumulative sum of w d exceeds uniforms[i] times the whole. Ends early when
/// no residual is above 1e-10 of the largest k(x, x).
Pivots randomly_pivoted_cholesky(MatrixView<const double> gram, std::span<const double> weights,
                                 std::span<const double> uniforms);

/// Cholesky with the row of largest residual as the next pivot (the first of equals).
Pivots greedily_pivoted_cholesky(MatrixView<const double> gram, std::size_t count);

}  // namespace mercer::engine::reference
