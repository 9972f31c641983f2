#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/gram.h"
#include "engine/parallel.h"
#include "engine/pivot_score.h"
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

/// What a choice of pivots is told.
struct PivotOptions {
  PivotCriterion criterion = PivotCriterion::gain;
  /// Of the rows as terms; may be empty, and must stay.
  std::span<const double> weights{};
  /// Before every choice, rows with a residual below this are cut for good: they are no candidates,
  /// and no terms of the energies of others. 0: none.
  double cut = 0;
};

/// The best of all rows each time (lowest index on ties), by energies that are kept up to date:
/// with the criterion `gain` Franc's exact greedy rule (2005), which on a centred matrix is
/// accelerated kernel feature analysis. One product with the kernel matrix a pivot.
class BestPivots {
 public:
  /// `gram`: the kernel matrix of the factor's points; in single precision it gives the same rows,
  /// faster. The factor must stay.
  BestPivots(std::unique_ptr<GramOperator> gram, PartialCholesky& factor,
             const PivotOptions& options, Workers& workers);

  /// Pivots until the factor has `rank` of them. False when there are no more directions, or all
  /// rows are cut.
  bool grow(std::size_t rank);

  bool all_cut() const { return energies_.active().empty(); }
  std::uint64_t kernel_evaluations() const { return energies_.kernel_evaluations(); }
  std::size_t refreshes() const { return energies_.refreshes(); }

 private:
  std::vector<std::size_t> contenders() const;
  std::optional<std::size_t> winner();
  std::optional<std::size_t> sound_winner();

  PartialCholesky& factor_;
  double cut_;
  PivotScore score_;
  ResidualEnergies energies_;
};

/// The best of some rows by the sum over some others, all drawn anew and uniformly each time: the
/// best of 59 is among the best twentieth of all rows 19 times in 20, and sums over a random part
/// of the terms rank rows nearly as the whole sums do (Schoelkopf & Smola 2002, chapter 14).
class DrawnPivots {
 public:
  /// `candidates` and `terms`: how many are drawn; all rows where there are no more. The factor
  /// must stay.
  DrawnPivots(PartialCholesky& factor, const PivotOptions& options, std::size_t candidates,
              std::size_t terms, RandomStream stream, Workers& workers);

  /// As above.
  bool grow(std::size_t rank);

  bool all_cut() const { return active_.empty(); }
  std::uint64_t kernel_evaluations() const { return evaluations_; }

 private:
  std::optional<std::size_t> winner();
  /// `count` of these rows, ascending.
  std::vector<std::size_t> draw(std::span<const std::size_t> rows, std::size_t count);

  PartialCholesky& factor_;
  PivotOptions options_;
  PivotScore score_;
  std::size_t candidates_;
  std::size_t terms_;
  RandomStream stream_;
  Workers& workers_;
  std::vector<std::size_t> active_;
  std::uint64_t draws_ = 0;
  std::uint64_t evaluations_ = 0;
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
