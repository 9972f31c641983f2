#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/gram_storage.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer {

/// Which row makes the next feature. r_j is the energy of what the features so far leave of column
/// j of the (centred) kernel matrix, d_j the squared distance of row j from their span.
enum class FeatureRule {
  akfa,   ///< accelerated kernel feature analysis: largest r_j / d_j, the largest variance that one
          ///< row can add
  ackfa,  ///< the same among rows with d_j >= delta only; the others are cut for good, also from r
  skfa,   ///< sparse kernel feature analysis: largest r_j / (1 + |c_j|_1)^2, c_j the coefficients
          ///< by which the rows chosen before make up row j
};

/// What stands for the feature mean when new points are projected.
enum class MeanProjection {
  exact,        ///< the mean itself: all rows stay in the library
  sparse_mean,  ///< its projection on the chosen rows, which alone stay; the summary has the error
};

/// Kernel feature analysis (Jiang, Snapp, Motai & Zhu 2006; Smola, Mangasarian & Schoelkopf 1999):
/// features found one by one, each in the span of the rows chosen so far.
struct FeatureAnalysisOptions {
  FeatureRule rule = FeatureRule::akfa;
  /// Most features. Empty: 10, or as many as `stop_error` takes. Fewer come back when the rows have
  /// no more directions, or all are cut.
  std::optional<std::size_t> features{};
  /// Enough when the mean squared feature-space distance of the rows from the features is at most
  /// this.
  std::optional<double> stop_error{};
  /// Rows with d_j below this are cut before each choice; of `ackfa`, which needs it. The larger,
  /// the faster and the fewer features.
  std::optional<double> delta{};
  /// `delta` is a fraction of the largest d_j at the beginning.
  bool delta_relative = false;
  /// Subtract the mean in feature space.
  bool center = true;
  MeanProjection projection = MeanProjection::exact;
  /// Score this many rows, drawn anew for each feature, instead of all. The best of 59 is among the
  /// best twentieth with probability 0.95 (Schoelkopf & Smola 2002, chapter 14).
  std::optional<std::size_t> candidates{};
  /// Sum r_j over this many rows, drawn anew for each feature, instead of all (ibidem).
  std::optional<std::size_t> terms{};
  /// One positive weight per row, or empty. Integer weights equal repetition.
  std::vector<double> weights{};
  GramStorage storage = GramStorage::automatic;

  /// Throws InvalidArgument naming the field.
  void validate() const;
};

/// Features keep their natural signs: each has a positive coefficient on its own row. They are no
/// eigenvectors: the summary has the variance that each explains in `gains` (which need not
/// decrease), and no eigenvalues.
///
/// Cost of l features: l + 1 products with the n x n kernel matrix and n l^2 flops, 8 n l bytes;
/// with `candidates` m n l kernel values instead (and one product for the mean). Throws
/// InvalidArgument for kernels that are not positive semi-definite and for precomputed ones.
Fit fit_feature_analysis(MatrixView<const double> points, const Kernel& kernel,
                         const FeatureAnalysisOptions& options = {}, const RunOptions& run = {});

}  // namespace mercer
