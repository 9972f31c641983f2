#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/model.h>

namespace mercer::compat {

/// Names of the saved models, each with a table of new rows and the outputs that it must give.
std::vector<std::string> model_names();

/// Blocks that can be merged, and streams that can go on: NAME.block, with new rows and outputs as
/// above of the model that they finish with.
std::vector<std::string> block_names();

/// The model of a saved block or stream.
Model finished(const std::filesystem::path& path);

/// The function of the model "custom".
Custom custom_kernel();

/// Fits every model to formula-made data and writes NAME.mercer, NAME.input.csv and NAME.output.csv
/// (components, then the residual where the model has one) to the folder; blocks likewise.
void write_models(const std::filesystem::path& folder);

}  // namespace mercer::compat
