#pragma once

#include <memory>
#include <string>

#include "data/table_source.h"

namespace mercer::data {

/// LIBSVM (SVMlight) text: `label index:value index:value ...`, indices from 1 and increasing,
/// `qid:` and comments behind '#' passed over. Rows stay sparse. All lines have a label or none
/// has.
///
/// The width is that of the rules, or else the largest index, for which `Keep::points` reads the
/// file once more beforehand. The label is no column, so rules apply to it as to a table that lacks
/// the left-out columns.
std::unique_ptr<TableSource> open_libsvm(std::unique_ptr<ByteSource> bytes, const std::string& file,
                                         const TableOptions& options, Keep keep);

}  // namespace mercer::data
