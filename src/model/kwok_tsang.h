#pragma once

#include <span>

#include <mercer/matrix.h>
#include <mercer/preimage.h>

#include "engine/radial_kernel.h"

namespace mercer::model {

/// The point at given distances from the nearest points of the library: J. Kwok, I. Tsang, "The
/// pre-image problem in kernel methods", IEEE Trans. Neural Networks 15 (2004). `products` are
/// <P phi, phi(c_j)>, `norm2` is |P phi|^2; the distances are those of P phi / |P phi|, which like
/// every image has norm 1 (without this division they are all too large). N^2 d flops for N
/// neighbours.
void kwok_tsang(const engine::RadialKernel& kernel, MatrixView<const double> library,
                std::span<const double> products, double norm2, const PreimageOptions& options,
                std::span<double> z);

}  // namespace mercer::model
