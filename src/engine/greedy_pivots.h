#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"
#include "engine/random.h"
#include "engine/residual_energies.h"

namespace mercer::engine {

/// Pivots of largest residual (lowest index on ties) until the factor has `rank` of them. False
/// when there are no more directions.
///
/// Residuals only fall, so the next pivots are known for sure as long as they are larger than all
/// that were not looked at (lazy evaluation: Minoux 1978). Rows of large residual are eliminated
/// among themselves, and the columns of those that come first are appended together: the factor is
/// read once for many pivots instead of once for each.
bool grow_greedily(PartialCholesky& factor, std::size_t rank);

// Pivots that lower the mean squared residual as much as they can. Taking row j lowers sum w d by
// r_j / d_j (ResidualEnergies), against d_j itself at least for `grow_greedily`, which looks at no
// other row and chases outliers.

/// The best of all rows each time (lowest index on ties): Franc's exact greedy rule (2005), which
/// on a centred kernel matrix is accelerated kernel feature analysis. One product with the kernel
/// matrix a pivot.
class BestPivots {
 public:
  /// Arguments as for ResidualEnergies.
  BestPivots(const Kernel& kernel, MatrixView<const double> points, PartialCholesky& factor,
             std::span<const double> weights, bool stored, Workers& workers);

  /// Pivots until the factor has `rank` of them. False when there are no more directions.
  bool grow(std::size_t rank);

  std::uint64_t kernel_evaluations() const { return energies_.kernel_evaluations(); }
  std::size_t refreshes() const { return energies_.refreshes(); }

 private:
  struct Winner {
    std::size_t row = 0;
    double score = 0;
  };
  std::optional<Winner> winner() const;
  std::optional<Winner> sound_winner();

  PartialCholesky& factor_;
  std::span<const double> weights_;
  ResidualEnergies energies_;
};

/// The best of a few candidates, which are drawn with P(j) ~ w_j d_j: about as good as the best of
/// all rows for `candidates` kernel columns a pivot.
class SampledBestPivots {
 public:
  /// `weights` may be empty; they must stay.
  SampledBestPivots(PartialCholesky& factor, std::span<const double> weights,
                    std::size_t candidates, RandomStream stream);

  /// As above.
  bool grow(std::size_t rank);

 private:
  PartialCholesky& factor_;
  std::span<const double> weights_;
  std::size_t candidates_;
  RandomStream stream_;
  std::uint64_t position_ = 0;
};

/// Why a factor grew no further.
enum class PivotStop {
  count,        ///< as many pivots as asked
  mean_square,  ///< the mean of the residuals, by weight, is small enough
  largest,      ///< every residual is
  rank,         ///< all rows depend on the pivots
};

/// Looked at before every pivot, in this order. A target of 0 is none.
struct PivotLimits {
  std::size_t count = 0;   ///< most pivots
  double mean_square = 0;  ///< sum w d / sum w
  double largest = 0;      ///< max d over rows of positive weight
};

/// sum w d / sum w.
double mean_residual(const PartialCholesky& factor, std::span<const double> weights);

/// How a rule likes to be asked for pivots.
enum class PivotSteps {
  single,   ///< one at a time
  batches,  ///< many; those beyond a limit are given back, at most an eighth
};

/// Grows the factor by a rule that behaves as those above, to the first pivot at which a limit
/// holds.
PivotStop grow_until(PartialCholesky& factor, std::span<const double> weights,
                     const PivotLimits& limits, const std::function<bool(std::size_t rank)>& grow,
                     PivotSteps steps = PivotSteps::single);

}  // namespace mercer::engine
