#pragma once

#include <string>

#include <mercer/kernel.h>
#include <mercer/model.h>

#include "model/container.h"

namespace mercer::model {

// Models as container files; docs/model_file.md lists what they hold.

/// The model in a container that was read from `file` (a name for messages). A model over a custom
/// kernel needs `custom`, the others must not be given one. Throws FileError.
Model model_from_container(Container container, const std::string& file,
                           const Custom* custom = nullptr);

}  // namespace mercer::model
