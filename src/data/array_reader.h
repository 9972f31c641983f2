#pragma once

#include <memory>
#include <string>

#include "data/table_source.h"

namespace mercer::data {

/// NPY and IDX arrays. Plain files are mapped; compressed ones and pipes are read in order.
std::unique_ptr<TableSource> open_npy(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                      const TableOptions& options, Keep keep);
std::unique_ptr<TableSource> open_idx(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                      const TableOptions& options, Keep keep);

}  // namespace mercer::data
