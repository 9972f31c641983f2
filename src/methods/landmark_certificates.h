#pragma once

#include <cstdint>

#include <mercer/kernel.h>
#include <mercer/summary.h>

#include "engine/parallel.h"
#include "methods/landmark_set.h"
#include "methods/landmark_spectrum.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// Adds what can be said of R = K - K' (weighted) beyond its trace to `summary.bounds`. Where n^2
/// is affordable and the rows fit in a quarter of the memory, products with R itself:
///     residual_frobenius_norm, ..._upper_95     mean |R omega|^2 over Gaussian probes, 95 % end
///     residual_spectral_norm_upper_9999         Halko, Martinsson & Tropp 2011, lemma 4.1
///     centred_residual_mean                     w^T R w / N, the part of the trace that centring
///     takes
/// and the first-order angle of the top components to the exact ones as subspace_error_estimate.
/// Otherwise the same norms from all pairs of a uniform sample of rows, where the spectral norm of
/// its matrix is biased upwards and no bound, and the angle from one more pass that sees R at the
/// rows of the sample. Returns the kernel values that were computed.
std::uint64_t add_certificates(Summary& summary, const Kernel& kernel, const LandmarkSet& set,
                               const LandmarkSpectrum& spectrum, std::size_t components,
                               bool center, TrainingRows& data, const RowSample& sample,
                               double memory_limit_bytes, std::uint64_t seed,
                               engine::Workers& workers);

}  // namespace mercer::methods
