#pragma once

#include <optional>
#include <span>

#include <mercer/feature_analysis.h>
#include <mercer/matrix.h>
#include <mercer/model.h>

#include "engine/feature_mean.h"
#include "engine/parallel.h"
#include "engine/pivoted_cholesky.h"

namespace mercer::methods {

/// What it costs to keep the projection of the mean on the chosen rows in the place of the mean.
struct SparseMeanError {
  double squared = 0;    ///< squared feature-space distance of the two
  double of_scores = 0;  ///< root of the mean squared error of the scores of the training rows
};

struct FeatureModel {
  ModelParts parts;
  std::optional<SparseMeanError> mean_error{};
};

/// The model of the features that the pivots of the factor make. `mean` has no products where the
/// features are not centred.
FeatureModel feature_model(const engine::PartialCholesky& factor, const engine::FeatureMean& mean,
                           std::span<const double> weights, MeanProjection projection,
                           engine::Workers& workers);

}  // namespace mercer::methods
