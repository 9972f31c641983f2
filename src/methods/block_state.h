#pragma once

#include <mercer/block_model.h>

#include "methods/fit_record.h"
#include "model/block_file.h"

namespace mercer {

struct BlockModel::State {
  model::BlockNumbers numbers;
};

namespace methods {

BlockModel make_block_model(model::BlockNumbers numbers);

/// The model of the leading components, and what is certain about it.
Fit fit_of_block(const model::BlockNumbers& block, const BlockFitOptions& options,
                 FitRecord& record);

/// Throws InvalidArgument when the kernel lacks a parameter or is not positive semi-definite.
void check_block_kernel(const Kernel& kernel);

}  // namespace methods
}  // namespace mercer
