#pragma once

#include <span>
#include <vector>

#include <mercer/exact.h>
#include <mercer/kernel.h>
#include <mercer/matrix.h>
#include <mercer/model.h>
#include <mercer/reduction.h>
#include <mercer/run.h>

#include "engine/parallel.h"

namespace mercer::methods {

/// Kernel PCA of few weighted centres in the place of many rows: K_CC between the roots of the
/// weights instead of K, so m^2 instead of n^2 kernel values. `options.weights` has one number for
/// each centre; those without weight have no part. Reports no progress: phases belong to the
/// caller.
Fit fit_weighted_centers(MatrixView<const double> centres, const Kernel& kernel,
                         ExactOptions options, const RunOptions& run);

/// Throws DataError or InvalidArgument unless the set has finite centres, a positive weight for
/// each, and a kernel of points with all its parameters.
void check_set(const WeightedSet& set, const Kernel& kernel);
/// How many rows the set stands for, and their weight, where it says so; else its own.
std::size_t rows_of(const WeightedSet& set);
double row_weight_of(const WeightedSet& set);

/// The weight of the rows nearest to each centre. O(n m d).
std::vector<double> cell_weights(MatrixView<const double> points, std::span<const double> weights,
                                 MatrixView<const double> centres, engine::Workers& workers);

/// The numbers of a model, to make another one of them; without input maps and summary.
ModelParts parts_of(const Model& model);

}  // namespace mercer::methods
