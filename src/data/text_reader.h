#pragma once

#include <memory>
#include <string>

#include "data/table_source.h"

namespace mercer::data {

/// Delimited text: quotes, header, delimiter found by itself (text_dialect.h).
std::unique_ptr<TableSource> open_text(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                       const TableOptions& options, Keep keep);

}  // namespace mercer::data
