#pragma once

#include <span>

#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/run.h>

namespace mercer::methods {

/// The eigenvectors of landmarks extended to all rows, which then serve as if they were exact ones
/// (Williams & Seeger 2001; Zhang & Kwok 2010 with landmarks weighted by their cells). `reduced` is
/// kernel PCA of the landmarks, weighing as much together as the rows. The model keeps all rows.
ModelParts extend_to_rows(const Model& reduced, MatrixView<const double> points,
                          std::span<const double> weights, const RunOptions& run);

}  // namespace mercer::methods
