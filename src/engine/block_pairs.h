#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "engine/parallel.h"

namespace mercer::engine {

/// Part of a phase, for progress.
struct PhasePart {
  double from = 0;
  double to = 1;
};

/// Runs task(i, j) for every pair j <= i of `blocks` blocks, by all threads. Pairs that have a
/// block in common never run at the same time and always in the same order, so that a product with
/// a symmetric matrix may add into both blocks of its result, with neither partial results nor bits
/// that depend on the threads: first the pairs (i, i), then the rounds of a tournament (the circle
/// method), in each of which every block meets one other.
///
/// Progress goes evenly through `part`, or is left to the caller.
void for_each_block_pair(std::size_t blocks, Workers& workers,
                         const std::function<void(std::size_t i, std::size_t j)>& task,
                         const std::optional<PhasePart>& part = std::nullopt);

}  // namespace mercer::engine
