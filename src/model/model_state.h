#pragma once

#include <memory>
#include <mutex>

#include <mercer/model.h>

#include "engine/fourier_features.h"
#include "engine/kernel_points.h"

namespace mercer {

/// The library as kernel tiles read it, in one precision.
template <class T>
struct PackedLibrary {
  std::once_flag once;
  std::unique_ptr<const engine::KernelPoints<T>> points;
};

/// What models that differ only in their input maps or their summary have in common: the large
/// numbers, and whatever is derived from them on first use.
struct FittedParts {
  explicit FittedParts(ModelParts given) : parts(std::move(given)) {}

  ModelParts parts;  ///< without input maps and summary: each model has its own

  mutable PackedLibrary<double> packed_double;
  mutable PackedLibrary<float> packed_float;
  mutable std::once_flag features_once;
  mutable std::unique_ptr<const engine::FourierFeatures> features;
  mutable std::once_flag padded_once;
  /// Coefficients and, as one more column, the mean coefficients or the degree weights (no model
  /// has both), padded to whole vectors.
  mutable Matrix<double> padded_coefficients;
  mutable std::once_flag images_once;
  mutable Matrix<double> images;  ///< of components and mean at the library: Expansion::images
};

struct Model::State {
  std::shared_ptr<const FittedParts> fitted;
  InputMaps input;
  Summary summary;
};

}  // namespace mercer
