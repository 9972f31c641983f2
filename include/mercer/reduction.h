#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/rows.h>
#include <mercer/run.h>

namespace mercer {

/// How far the rows are from the centres that stand for them: averages by weight of functions of
/// d = |x - c| and k = k(x, c), with kappa = k(x, x).
struct Quantization {
  double mean_squared_distance = 0;  ///< of d^2
  double mean_feature_distance = 0;  ///< of |phi(x) - phi(c)| = sqrt(2 (kappa - k))
  /// of |phi(x) phi(x)^T - phi(c) phi(c)^T| = sqrt(2 (kappa^2 - k^2)), Hilbert-Schmidt
  double mean_operator_distance = 0;
};

/// How centres are found.
enum class Reduction {
  none,     ///< all rows
  shadow,   ///< a row that no centre covers becomes one (Kingravi, Vela & Gray 2013): one pass, the
            ///< error bounded by the radius, mergeable
  kmeans,   ///< means of k-means cells
  paring,   ///< rows drawn at random
  herding,  ///< kernel herding (Chen, Welling & Smola 2010): n^2 kernel values
};

/// What centres weigh.
enum class CenterWeights {
  count,    ///< the rows that came to a centre first; for paring in proportion to their own weight
            ///< (n / m each without), for herding to how often they were drawn
  nearest,  ///< the rows nearest to it; one more pass
  operator_optimal,  ///< least Hilbert-Schmidt distance of the covariance operators; one more pass
  mmd_optimal,       ///< least distance of the feature means; one more pass
};

/// A few weighted points that stand for many. What a set says of itself is believed: bounds in the
/// summary of a fit rest on it.
struct WeightedSet {
  Matrix<double> centers;           ///< m x d
  std::vector<double> weights;      ///< m, positive
  std::vector<std::uint64_t> rows;  ///< the row of the data that each centre is; empty: means
  /// The centre that stands for each row; empty for rows that were streamed and for reductions that
  /// assign none.
  std::vector<std::size_t> map;
  /// Every row is nearer than this to its centre (0: each is a centre); empty when that was not
  /// asked for.
  std::optional<double> radius;
  /// Empty where rows have no centre of their own (equal weights, herding), and for kernels that
  /// are not radial.
  std::optional<Quantization> quantization;
  std::optional<Kernel> kernel;                    ///< that the quantization was measured with
  Reduction reduction = Reduction::none;           ///< where the centres come from
  CenterWeights weighting = CenterWeights::count;  ///< and their weights
  std::size_t data_rows = 0;  ///< how many rows the set stands for; 0: as many as centres
  double data_weight = 0;     ///< and their weight; 0: that of the centres
  std::uint64_t kernel_evaluations = 0;
  std::uint64_t distance_evaluations = 0;

  std::size_t size() const { return centers.rows(); }
  /// N = sum of the weights of the centres.
  double total_weight() const;
};

inline constexpr double kDefaultEll = 4;

struct ReductionOptions {
  Reduction method = Reduction::shadow;
  /// Radius of a shadow in length scales of the kernel: radius = length_scale / ell. Paper's range
  /// 3 to 5. Empty: 4, unless `radius` is given.
  std::optional<double> ell{};
  /// The radius itself.
  std::optional<double> radius{};
  /// How many centres k-means, paring and herding have. Empty: as many as a shadow cover.
  std::optional<std::size_t> centers{};
  CenterWeights weights = CenterWeights::count;
  /// Covers depend on the order of the rows; this takes them in a random one (in memory only).
  bool shuffle = false;
  /// Of Lloyd's algorithm.
  std::size_t iterations = 20;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// The length scale lambda of a radial kernel: 1/sqrt(gamma) (gaussian), 1/gamma (laplacian),
/// length (matern, rational quadratic). Empty for other kernels.
std::optional<double> length_scale(const Kernel& kernel);

/// The radius that the options mean: `radius`, or length_scale / `ell`. Throws InvalidArgument for
/// a kernel that is not radial.
double shadow_radius(const Kernel& kernel, const ReductionOptions& options = {});

/// Replaces rows by few weighted centres. The kernel needs all its parameters. Same bits for any
/// number of threads. Throws InvalidArgument for a kernel that is not radial where a radius comes
/// from `ell`.
WeightedSet reduce_to_centers(MatrixView<const double> points, std::span<const double> weights,
                              const Kernel& kernel, const ReductionOptions& options = {},
                              const RunOptions& run = {});
/// From a source: shadow and paring only, the others need all rows at once.
WeightedSet reduce_to_centers(RowSource& rows, const Kernel& kernel,
                              const ReductionOptions& options = {}, const RunOptions& run = {});

/// Kernel density sum_j w_j k(x, c_j) / N at every point, unnormalised (k(x, x) = 1 for a point on
/// a lone centre). With all rows as centres it is the usual estimate, with a reduced set its
/// reduced form. Weights are positive; empty: equal. Every kernel with a formula and all its
/// parameters will do. n m kernel values, none kept; the same bits for any number of threads and
/// whatever points are evaluated together.
std::vector<double> kernel_density(const Kernel& kernel, MatrixView<const double> centers,
                                   std::span<const double> weights, MatrixView<const double> points,
                                   const RunOptions& run = {});
std::vector<double> kernel_density(const WeightedSet& set, const Kernel& kernel,
                                   MatrixView<const double> points, const RunOptions& run = {});

}  // namespace mercer
