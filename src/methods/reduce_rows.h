#pragma once

#include <cstdint>

#include <mercer/kernel.h>
#include <mercer/reduction.h>

#include "engine/parallel.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// What `reduce_to_centers` does, inside the phases of a fit. Throws MemoryLimitError when there
/// are too many centres for optimal weights.
WeightedSet reduce_rows(TrainingRows& data, const Kernel& kernel, const ReductionOptions& options,
                        std::uint64_t seed, double memory_limit_bytes, engine::Workers& workers);

const char* reduction_name(Reduction reduction);
const char* center_weights_name(CenterWeights weights);

}  // namespace mercer::methods
