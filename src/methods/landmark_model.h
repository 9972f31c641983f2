#pragma once

#include <mercer/kernel.h>
#include <mercer/landmarks.h>
#include <mercer/model.h>

#include "engine/parallel.h"
#include "methods/component_choice.h"
#include "methods/fit_record.h"
#include "methods/landmark_set.h"
#include "methods/landmark_spectrum.h"

namespace mercer::methods {

/// Model and certificates of the orthogonalised Nystrom approximation: exact eigenpairs of
/// K' = K_nm K_mm^-1 K_mn, from the scatter of the rows in landmark coordinates.
///     Sz = U diag(lambda) U^T,   B = L^-T U,   b = -U^T mean
/// A subspace error that the record already has is kept.
Fit landmark_fit(const Kernel& kernel, const LandmarkSet& set, const LandmarkSpectrum& spectrum,
                 const engine::EigenPairs& pairs, const LandmarkOptions& options, std::size_t n,
                 FitRecord& record);
/// The components that the options ask for.
engine::EigenPairs landmark_components(const LandmarkSpectrum& spectrum,
                                       const LandmarkOptions& options, bool single_precision,
                                       FitRecord& record);
/// Both at once.
Fit landmark_fit(const Kernel& kernel, const LandmarkSet& set, const LandmarkSpectrum& spectrum,
                 const LandmarkOptions& options, std::size_t n, bool single_precision,
                 FitRecord& record);

}  // namespace mercer::methods
