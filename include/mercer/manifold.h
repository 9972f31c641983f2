#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/reduction.h>
#include <mercer/rows.h>
#include <mercer/run.h>

// Eigenvectors of graphs whose nodes are points and whose edges are kernel values, on all rows or
// on few weighted centres that stand for them. A centre of weight w counts as w copies of itself:
// with integer weights the eigenpairs are those of the repeated rows, less the ones that are not
// constant on copies. The constant eigenvector says nothing and is left out everywhere.
//
// Models extend the eigenvectors to new points (Nystroem), dividing by the degree
//     d(x) = sum_j w_j k(c_j, x),
// so that `transform` gives NaN for a point far from every centre. Edges cannot be negative: the
// linear, polynomial, cosine and sigmoid kernels are refused, and so is a precomputed one, whose
// rows cannot be weighted centres. `Model::residual` has no meaning for these models.
namespace mercer {

/// How the eigenvectors are found; the same planning as in `ExactOptions` chooses between the dense
/// solver and block Krylov iteration, the Gram matrix stored or recomputed.
struct GraphSolverOptions {
  /// Largest residual |A v - lambda v| allowed, relative to the norm of the matrix.
  double tolerance = 1e-12;
  /// Most products with the Gram matrix before the iteration gives up (and says so in the summary).
  /// The unnormalised Laplacian of many rows may need more: its small eigenvalues lie close
  /// together.
  std::size_t max_products = 300;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Which matrix of the graph. K is the kernel matrix, D = diag(d) the degrees, W the weights.
enum class GraphLaplacian {
  /// (D - K W) y = mu D y: the normalised cut (Shi & Malik 2000), also the random walk D^-1 K W
  /// with
  /// eigenvalues lambda = 1 - mu. Balances clusters by the weight of their edges.
  random_walk,
  /// (D - K W) y = mu y: the ratio cut. Balances clusters by their number of points; a lone outlier
  /// is
  /// often a cluster of its own.
  unnormalized,
};

/// Laplacian eigenmaps (Belkin & Niyogi 2003).
///
/// random_walk: component j is y_j with sum_i w_i d_i y_ij^2 = 1; `eigenvalues` are lambda_j = 1 -
/// mu_j, descending, and those not above rounding are left out. y_j(x) = sum_i w_i k(x, c_i) y_ij /
/// (lambda_j d(x)).
///
/// unnormalized: sum_i w_i y_ij^2 = 1; `eigenvalues` are mu_j, ascending. y_j(x) = sum_i w_i k(x,
/// c_i) y_ij / (d(x) - mu_j), which has a pole where d(x) = mu_j: components with mu_j above the
/// smallest degrees should not be extended to sparse regions.
struct LaplacianEigenmapOptions {
  /// How many, the constant one not counted. Fewer come back when the graph has fewer.
  std::size_t components = 2;
  GraphLaplacian laplacian = GraphLaplacian::random_walk;
  /// Whether every point has an edge of weight k(x, x) to itself. Without them new points still
  /// have coordinates, but those of the training points are only approximately reproduced, and a
  /// point without neighbours is an error. The unnormalised Laplacian does not see self-loops.
  bool self_loops = true;
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  /// How rows become nodes. All of them by default.
  ReductionOptions reduction{.method = Reduction::none};
  GraphSolverOptions solver{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Laplacian eigenmaps of the rows of `points`. Cost: that of the reduction, then m^2 d / 2 for the
/// kernel matrix of m nodes and some tens of products with it.
Fit fit_laplacian_eigenmaps(MatrixView<const double> points, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options = {},
                            const RunOptions& run = {});
/// From a source, which needs a reduction that streams (shadow or paring). Weights come with the
/// rows.
Fit fit_laplacian_eigenmaps(RowSource& rows, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options, const RunOptions& run = {});
/// Of centres that are there already; `weights` and `reduction` must be left alone.
Fit fit_laplacian_eigenmaps(const WeightedSet& set, const Kernel& kernel,
                            const LaplacianEigenmapOptions& options = {},
                            const RunOptions& run = {});

/// Diffusion maps (Coifman & Lafon 2006). With q = K w, the random walk of the kernel k(x, y) /
/// (q(x) q(y))^alpha has eigenvalues lambda_j (`eigenvalues`, descending) and eigenvectors psi_j,
/// of variance 1 under its stationary law; component j is lambda_j^time psi_j. Euclidean distances
/// of all components together are diffusion distances at that time.
struct DiffusionMapOptions {
  /// How many, the constant one not counted. Fewer come back when fewer eigenvalues are positive.
  std::size_t components = 2;
  /// How much of the density of the points is divided out, 0 to 1: 1 gives the geometry alone
  /// (Laplace-Beltrami), 1/2 the Fokker-Planck diffusion, 0 the random walk of Laplacian eigenmaps.
  double alpha = 1;
  /// Steps of the walk, not negative; larger ones blur small structures.
  double time = 1;
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  /// How rows become nodes. All of them by default.
  ReductionOptions reduction{.method = Reduction::none};
  GraphSolverOptions solver{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Diffusion maps of the rows of `points`; costs one product more than Laplacian eigenmaps.
Fit fit_diffusion_maps(MatrixView<const double> points, const Kernel& kernel,
                       const DiffusionMapOptions& options = {}, const RunOptions& run = {});
/// From a source, which needs a reduction that streams (shadow or paring).
Fit fit_diffusion_maps(RowSource& rows, const Kernel& kernel, const DiffusionMapOptions& options,
                       const RunOptions& run = {});
/// Of centres that are there already; `weights` and `reduction` must be left alone.
Fit fit_diffusion_maps(const WeightedSet& set, const Kernel& kernel,
                       const DiffusionMapOptions& options = {}, const RunOptions& run = {});

/// Clusters by the normalised cut (Shi & Malik 2000): k-means in the coordinates of random-walk
/// Laplacian eigenmaps.
struct NormalizedCutOptions {
  /// How many clusters, at least 2. Fewer come back when there are fewer nodes.
  std::size_t clusters = 2;
  /// Coordinates that k-means sees. Empty: clusters - 1, which with the constant one are as many as
  /// separate clusters have eigenvalues near 1. The next one varies inside a cluster, most of all
  /// at its outliers, and draws k-means there.
  std::optional<std::size_t> components{};
  bool self_loops = true;  ///< as in LaplacianEigenmapOptions
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  /// How rows become nodes. All of them by default.
  ReductionOptions reduction{.method = Reduction::none};
  /// k-means starts from as many seedings (k-means++); the one of least inertia wins.
  std::size_t restarts = 10;
  /// Most steps of Lloyd's algorithm in each.
  std::size_t iterations = 100;
  GraphSolverOptions solver{};

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// The label of a row that is too far from every centre to have coordinates.
inline constexpr std::size_t kNoLabel = std::numeric_limits<std::size_t>::max();

struct NormalizedCut {
  Fit fit;
  /// The cluster of every row; of every centre where a WeightedSet was given.
  std::vector<std::size_t> labels;
  Matrix<double> cluster_centers;  ///< one row per cluster, in the coordinates of the model
};

/// Clusters of the rows of `points`. With a reduction k-means runs on the centres by their weights,
/// and each row then goes to the cluster nearest to its own coordinates.
NormalizedCut fit_normalized_cut(MatrixView<const double> points, const Kernel& kernel,
                                 const NormalizedCutOptions& options = {},
                                 const RunOptions& run = {});
/// From a source, which needs a reduction that streams (shadow or paring); labels take one more
/// pass, so the source must be able to rewind.
NormalizedCut fit_normalized_cut(RowSource& rows, const Kernel& kernel,
                                 const NormalizedCutOptions& options, const RunOptions& run = {});
/// Of centres that are there already; `weights` and `reduction` must be left alone.
NormalizedCut fit_normalized_cut(const WeightedSet& set, const Kernel& kernel,
                                 const NormalizedCutOptions& options = {},
                                 const RunOptions& run = {});

/// The cluster of each point: the nearest row of `cluster_centers` to its coordinates, the lowest
/// on ties; kNoLabel where it has none.
std::vector<std::size_t> label_rows(const Model& model, MatrixView<const double> cluster_centers,
                                    MatrixView<const double> points, const RunOptions& run = {});

}  // namespace mercer
