#pragma once

#include <mercer/landmarks.h>

#include "methods/fit_record.h"
#include "methods/landmark_choice.h"
#include "methods/landmark_pass.h"
#include "methods/landmark_spectrum.h"
#include "methods/training_rows.h"

namespace mercer::methods {

// What a landmark fit says of itself in its summary.

const char* selection_name(Selection selection);

/// How the landmarks were chosen, how many, and why no more.
void report_choice(FitRecord& record, const LandmarkOptions& options, const LandmarkPlan& plan,
                   const Samples& samples, const LandmarkChoice& choice,
                   const PassPrecision& precision);

/// What the sample promised, held against all rows and the components that are kept: a tolerance
/// that was missed becomes the termination. A subspace error that the record already has is taken
/// for certified.
void check_tolerances(FitRecord& record, const LandmarkPlan& plan, const LandmarkSpectrum& spectrum,
                      const engine::EigenPairs& pairs);

}  // namespace mercer::methods
