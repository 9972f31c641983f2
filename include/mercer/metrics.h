#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/run.h>

// How good an embedding is, alone (nearest neighbours), beside a better one (alignment, principal
// angles), and how well a small weighted set stands for a large one (maximum mean discrepancy).
//
// Rows are samples. Everything here is computed in double, by threads, with the same bits for every
// number of them. Sizes that do not fit throw InvalidArgument; NaN and Inf, labels or points that
// are missing, and matrices of zeros where a direction is needed throw DataError.

namespace mercer {

/// The class of every test row by majority vote of its `neighbors` nearest training rows in
/// Euclidean distance. Exact: the answer is that of comparing sum_j (x_j - y_j)^2 of every pair,
/// summed in double over the columns in order. Equal distances go to the lower training row, equal
/// votes to the lower class. Labels are any numbers, with the same meaning on both sides.
///
/// Cost: n_test n_train d multiply-adds in tiles that only sort out candidates, which are then
/// measured by differences (about neighbors ln(n_train / neighbors) for every test row, all of them
/// at worst). Memory: one more copy of the training rows.
std::vector<std::size_t> knn_classify(MatrixView<const double> train,
                                      std::span<const std::size_t> train_labels,
                                      MatrixView<const double> test, std::size_t neighbors,
                                      const RunOptions& run = {});

/// The fraction of the test rows for which `knn_classify` finds the label they have.
double knn_accuracy(MatrixView<const double> train, std::span<const std::size_t> train_labels,
                    MatrixView<const double> test, std::span<const std::size_t> test_labels,
                    std::size_t neighbors, const RunOptions& run = {});

/// A linear map of one embedding onto another.
struct Alignment {
  Matrix<double> map;         ///< M, k' x k: approximate * M is near the reference
  double relative_error = 0;  ///< min over M of |A - B M|_F / |A|_F, in [0, 1]
  std::size_t rank = 0;       ///< independent columns of the approximate scores
};

/// Least squares: the M that minimises |A - B M|_F for reference scores A (n x k) and approximate
/// scores B (n x k'). What is left measures how much of A lies outside the span of B, whatever the
/// order, signs, scales and mixing of its columns; use it to compare methods with exact kernel PCA.
///
/// [B A] is first reduced to a triangle R of at most k' + k rows by Householder QR, which keeps
/// every |A - B M|_F and never squares the condition number. The columns of B are brought to unit
/// norm and its singular values below max(n, k') * 2.2e-16 of the largest count as 0; M is the
/// solution of least norm in the scaled columns. Nothing is centred. Throws DataError when A is all
/// zeros.
/// Cost: 2 n (k + k')^2 flops and O((k + k')^3); memory O((k + k')^2) for every few thousand rows.
Alignment align_least_squares(MatrixView<const double> reference,
                              MatrixView<const double> approximate, const RunOptions& run = {});

struct ProcrustesOptions {
  /// Also choose a common factor, s = tr(Q^T B^T A) / |B|_F^2, instead of s = 1.
  bool scale = false;
};

struct Procrustes {
  Matrix<double> rotation;    ///< Q, k x k orthogonal: rotations and reflections
  double scale = 1;           ///< s
  double relative_error = 0;  ///< |A - s B Q|_F / |A|_F
};

/// The orthogonal Q (and s >= 0) that minimise |A - s B Q|_F (Schoenemann 1966): Q = U V^T for
/// B^T A = U S V^T. Unlike least squares it forgives only what leaves all distances between rows as
/// they are. Both matrices are n x k; nothing is centred. The error is that of the difference
/// itself, so that a rotated copy gives 1e-15 and not the 1e-8 of cancelling norms.
/// Throws DataError when A is all zeros. Cost and memory as `align_least_squares`.
Procrustes align_procrustes(MatrixView<const double> reference,
                            MatrixView<const double> approximate,
                            const ProcrustesOptions& options = {}, const RunOptions& run = {});

/// The angles, in radians and ascending, between the spaces spanned by the columns of two matrices
/// with equally many rows: as many as the smaller rank of the two. Ranks are decided as in
/// `align_least_squares`.
///
/// Bjoerck & Golub 1973: with orthonormal bases Q_a, Q_b the singular values of Q_a^T Q_b are the
/// cosines, those of Q_b - Q_a Q_a^T Q_b the sines; each angle is taken from the one that is
/// accurate there. Absolute error about 1e-15 times the condition numbers of the matrices with unit
/// columns, also for angles of 1e-12. Throws DataError when a matrix is all zeros.
/// Cost and memory as `align_least_squares`.
std::vector<double> principal_angles(MatrixView<const double> a, MatrixView<const double> b,
                                     const RunOptions& run = {});

/// Squared maximum mean discrepancy of two weighted sets of points (Gretton et al. 2012, with the
/// diagonals, "biased"): the squared distance of their means in feature space,
///
///     u^T K_xx u + v^T K_yy v - 2 u^T K_xy v,     u = w_x / sum w_x,  v = w_y / sum w_y.
///
/// Empty weights are equal ones. Weights may be negative (as herding and quadrature make them) as
/// long as their sum is positive. Rounding leaves an error of about 1e-15 times the largest kernel
/// value; results below 0 are given as 0, which for an indefinite kernel (sigmoid) also hides
/// values that are truly negative. The kernel needs all its parameters and must not be precomputed.
///
/// Cost: n_x^2 / 2 + n_y^2 / 2 + n_x n_y kernel values, none of them stored. Memory: one more copy
/// of the points.
double mmd_squared(const Kernel& kernel, MatrixView<const double> x,
                   std::span<const double> x_weights, MatrixView<const double> y,
                   std::span<const double> y_weights, const RunOptions& run = {});

}  // namespace mercer
