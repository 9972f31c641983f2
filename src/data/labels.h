#pragma once

#include <memory>
#include <string>

#include "data/table_source.h"

namespace mercer::data {

/// Labels from bytes of a format that `recognise_format` gave.
Labels read_labels(std::unique_ptr<ByteSource> bytes, FileFormat format, const std::string& file);

}  // namespace mercer::data
