#pragma once

#include <string>

#include <mercer/run.h>

namespace mercer::cli {

/// "pass 1.2M of 5.0M rows, 2.1M rows/s, 2 s left"; without the time left while the number of rows
/// is not known. `seconds` have passed since the first of the rows.
std::string row_progress_text(const Progress& progress, double seconds);

/// "sample         [######........................]  20 %"
std::string bar_text(const Progress& progress);

}  // namespace mercer::cli
