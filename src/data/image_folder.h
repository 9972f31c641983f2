#pragma once

#include <filesystem>
#include <memory>

#include "data/table_source.h"

namespace mercer::data {

/// A folder of pictures of one size, one row each, in order of their names. Files that do not end
/// in .png or .pgm are passed over.
std::unique_ptr<TableSource> open_image_folder(const std::filesystem::path& folder,
                                               const TableOptions& options, Keep keep);

}  // namespace mercer::data
