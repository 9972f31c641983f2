#pragma once

#include <cstddef>
#include <optional>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/randomized.h>

#include "engine/entry_rounding.h"
#include "engine/randomized_gram.h"

namespace mercer::methods {

/// The control asked for, or the one that suits kernel and quantisation.
ControlVariate control_of(const RandomizedOptions& options, const Kernel& kernel);

/// s, asked for or by default.
double sparsity_of(const RandomizedOptions& options);

/// Throws MemoryLimitError, with the bytes needed and what else to try, when `pairs` eigenpairs of
/// the random matrix of n rows do not fit.
void require_randomized_fits(std::size_t n, std::size_t d, std::size_t pairs,
                             const RandomizedOptions& options, ControlVariate control,
                             double memory_limit_bytes);

/// Levels that are known to enclose the entries of K - K0 without a look at them: -b and b where it
/// is positive semi-definite, since no entry is then larger than its diagonal.
std::optional<engine::EntryRange> levels_beforehand(const RandomizedOptions& options,
                                                    const Kernel& kernel,
                                                    MatrixView<const double> points,
                                                    const engine::LowRank& control);

/// Levels for entries in this range. Throws InvalidArgument for negative ones with zero_one.
engine::EntryRange levels_around(const engine::EntryRange& entries, EntryLevels quantize,
                                 const Kernel& kernel);

}  // namespace mercer::methods
