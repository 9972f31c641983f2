#pragma once

#include <cstddef>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/random.h"

namespace mercer::methods {

/// Throws InvalidArgument, with the reason, for kernels without random features and for orthogonal
/// ones of a kernel that is not isotropic.
void check_random_features(const Kernel& kernel, bool orthogonal);

/// `count` frequencies w drawn from the kernel's spectrum, so that the mean of cos w(x - y) is
/// k(x, y); one a row. Frequency j is the same for every count.
///
/// Isotropic kernels: a Gaussian vector times a random radius of its own. Orthogonal: in groups of
/// `columns` the Gaussian vectors are made orthogonal to each other and given their lengths back,
/// at O(columns^2) a frequency.
Matrix<double> random_frequencies(const Kernel& kernel, std::size_t columns, std::size_t count,
                                  bool orthogonal, const engine::RandomStream& stream,
                                  engine::Workers& workers);

}  // namespace mercer::methods
