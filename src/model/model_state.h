#pragma once

#include <memory>

#include <mercer/model.h>

namespace mercer {

/// What models that differ only in their input maps have in common: the large numbers, and whatever
/// is derived from them on first use.
struct FittedParts {
  ModelParts parts;  ///< `parts.input` is empty; each model has its own
};

struct Model::State {
  std::shared_ptr<const FittedParts> fitted;
  InputMaps input;
};

}  // namespace mercer
