#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/gram_storage.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/precision.h>
#include <mercer/run.h>

namespace mercer {

enum class EigenSolver {
  automatic,
  dense,         ///< LAPACK on the n x n matrix: O(n^3), for many components or small n
  block_krylov,  ///< top components only, O(n^2) per product
};

/// Exact kernel PCA (Schoelkopf, Smola & Mueller 1998).
struct ExactOptions {
  /// How many components. Fewer come back when the data have fewer directions.
  std::size_t components = 10;
  /// Instead of a count: as many as explain this fraction (0, 1] of the total variance.
  std::optional<double> retain{};
  /// Instead of a count: all with an eigenvalue (of the Gram matrix, not divided by n) at least
  /// this.
  std::optional<double> min_eigenvalue{};
  /// Subtract the mean in feature space.
  bool center = true;
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  Precision precision = Precision::float64;
  EigenSolver solver = EigenSolver::automatic;
  GramStorage storage = GramStorage::automatic;
  /// Largest residual |A u - lambda u| allowed, relative to lambda_1.
  double solver_tolerance = 1e-12;
  /// Most products with the Gram matrix before the solver gives up (and says so in the summary).
  std::size_t max_products = 300;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Kernel PCA of the rows of `points`. For a Precomputed kernel `points` is the n x n Gram matrix.
/// Cost: n^2 d / 2 for the Gram matrix and about ten to thirty products of n^2 p with it.
Fit fit_exact(MatrixView<const double> points, const Kernel& kernel,
              const ExactOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
