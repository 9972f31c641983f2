#pragma once

#include <functional>
#include <memory>
#include <string>

#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/rows.h>
#include <mercer/run.h>

#include "cli/progress_bar.h"
#include "cli/run_flags.h"

namespace mercer::cli {

/// Rows to apply a model to, read as its training rows were. Throws DataError when the columns do
/// not fit.
std::unique_ptr<RowSource> open_new_rows(const std::string& path, const Model& model,
                                         const RunFlags& run);

/// All rows of a source, block by block. Returns their number. Throws Cancelled when a signal
/// comes.
std::size_t for_each_block(const Model& model, RowSource& source, const char* phase,
                           ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points)>& use);

/// Components of all rows of a source, block by block; `use` gets the rows of each and their
/// scores. Returns the number of rows. Throws Cancelled when a signal comes.
std::size_t transform_rows(const Model& model, RowSource& source, RunOptions run, ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points,
                                                    MatrixView<const double> scores)>& use);

}  // namespace mercer::cli
