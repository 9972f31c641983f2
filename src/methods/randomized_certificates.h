#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/summary.h>

#include "engine/entry_rounding.h"
#include "engine/gram.h"
#include "engine/parallel.h"
#include "engine/randomized_gram.h"

namespace mercer::methods {

/// What the spectral norm of a random error E is about: 2 sqrt(max_i sum_j Var E_ij). The norm
/// comes to 0.8 to 1 of it; the 4 sigma sqrt(n) of theorem 1, which puts the largest variance
/// everywhere and asks for entries that no sparsification has before n = 2.5e7, to 0.1 to 0.5.
double predicted_error_norm(const engine::EntryNoise& noise);

/// Whether one entry may change by more than the standard deviation of the largest row: then a few
/// entries carry the error (narrow kernels, little kept), and its norm may exceed the prediction. A
/// sign, not a proof, unless `noise.all_seen`: entries that were kept cannot tell of a large one
/// that was not.
bool prediction_is_doubtful(const engine::EntryNoise& noise, const engine::EntryRounding& rounding);

/// |E| exceeds this with probability `chance` at most (matrix Bernstein inequality; Tropp,
/// "User-friendly tail bounds for sums of random matrices", 2012): with v = max_i sum_j Var E_ij, R
/// the largest |E_ij| possible and L = ln(2 n / chance), R L / 3 + sqrt((R L / 3)^2 + 2 v L).
double bernstein_error_norm(const engine::EntryNoise& noise, const engine::EntryRounding& rounding,
                            double chance);

struct MeasuredNorm {
  double value = 0;
  bool exact = false;  ///< from the whole matrix; otherwise iterated, from below, to about 0.1 %
};

/// |K' - K| of this very matrix: up to 40 products with K, whose values are not stored, or dense
/// when it is small.
MeasuredNorm measured_error_norm(engine::RandomizedGram& randomized, engine::KernelOperator& exact,
                                 std::uint64_t seed, engine::Workers& workers);

/// c_l = (values_l - values_(l+1)) / (2 error_norm), l = 1 .. count, of eigenvalues of the random
/// matrix, descending; `values` has one more than `count` where there is one, otherwise 0 follows.
/// The theorems hold for any two symmetric matrices, so the gaps may be those of either.
std::vector<double> certified_ratios(std::span<const double> values, std::size_t count,
                                     double error_norm);

/// The bounds and ratios of a fit, in its summary. `noise` is that of all entries where
/// `noise.all_seen`, which makes the Bernstein bound rigorous. Nothing when nothing was rounded.
void add_randomized_certificates(Summary& summary, const engine::EntryNoise& noise,
                                 const engine::EntryRounding& rounding,
                                 const std::optional<MeasuredNorm>& measured,
                                 std::span<const double> values, std::size_t count);

}  // namespace mercer::methods
