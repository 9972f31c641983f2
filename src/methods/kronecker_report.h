#pragma once

#include <cstddef>
#include <vector>

#include <mercer/kernel.h>
#include <mercer/kronecker.h>

#include "engine/nearest_product.h"
#include "methods/fit_record.h"
#include "methods/kronecker_plan.h"
#include "methods/product_spectrum.h"

namespace mercer::methods {

/// What was decided before the fit: sizes, order, storage (for `vectors` components).
void report_plan(const KroneckerPlan& plan, const KroneckerOptions& options, std::size_t vectors,
                 bool stored, FitRecord& record);

/// How far the product is from the kernel matrix, with a warning where that is too far to be of
/// use, and whether the sweeps converged.
void report_product(const engine::NearestProduct& product, FitRecord& record);

/// Warns of negative eigenvalues, which are dropped.
void report_negative(const ProductSpectrum& spectrum, const Kernel& kernel, FitRecord& record);

/// Says so where the components cannot explain the fraction `retain` of the total variance: a
/// product need not have the trace of the kernel matrix.
void report_retained(const std::vector<double>& eigenvalues, double total_variance, double retain,
                     FitRecord& record);

}  // namespace mercer::methods
