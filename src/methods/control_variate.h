#pragma once

#include <cstddef>
#include <cstdint>

#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/randomized.h>

#include "engine/parallel.h"
#include "engine/random.h"
#include "engine/randomized_gram.h"

namespace mercer::methods {

struct Control {
  engine::LowRank matrix;  ///< K0
  std::uint64_t kernel_evaluations = 0;
};

/// K0 for the kernel matrix of these points. Any K0 leaves the rounded matrix right in expectation,
/// as long as the entries are drawn from other random numbers than it is. Means are those of 100
/// random columns: those of all would take all kernel values.
Control make_control(ControlVariate kind, std::size_t landmarks, const Kernel& kernel,
                     MatrixView<const double> points, const engine::RandomStream& stream,
                     engine::Workers& workers);

/// Rank of K0 at most.
std::size_t control_rank(ControlVariate kind, std::size_t landmarks, std::size_t n);

/// Bytes of K0, and of what is needed beside it while it is made.
double control_bytes(ControlVariate kind, std::size_t landmarks, std::size_t n);
double control_making_bytes(ControlVariate kind, std::size_t landmarks, std::size_t n,
                            std::size_t d);

}  // namespace mercer::methods
