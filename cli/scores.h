#pragma once

#include <functional>

#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/rows.h>
#include <mercer/run.h>

#include "cli/progress_bar.h"

namespace mercer::cli {

/// Components of all rows of a source, block by block; `use` gets the rows of each and their
/// scores. Returns the number of rows. Throws Cancelled when a signal comes.
std::size_t transform_rows(const Model& model, RowSource& source, RunOptions run, ProgressBar& bar,
                           const std::function<void(MatrixView<const double> points,
                                                    MatrixView<const double> scores)>& use);

}  // namespace mercer::cli
