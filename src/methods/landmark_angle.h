#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <mercer/kernel.h>
#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "methods/landmark_set.h"
#include "methods/landmark_spectrum.h"
#include "methods/training_rows.h"

namespace mercer::methods {

/// Sine of the largest angle by which R = K - K' turns the space of the top components u_1 .. u_k
/// over the rows, by first-order perturbation: with y_i = R u_i, a direction u_j of the landmarks'
/// span comes in by <u_j, y_i> / (lambda_i - lambda_j); directions outside it have the eigenvalue 0
/// in K', so they come in by their part of y_i / lambda_i. `inside` (r x k) holds <u_j, y_i>,
/// `products` (k x k) <y_i, y_l>. Components from the (r+1)-th on may be left out of `inside`: they
/// then count as if outside, which makes little of small eigenvalues. Good below about 0.15.
double first_order_sine(std::span<const double> eigenvalues, MatrixView<const double> inside,
                        MatrixView<const double> products);

/// The same with the y_i known at the rows of a uniform sample only, for any number of rows: s rows
/// see s values of every y_i, which scatter the result by some ten per cent at s = 1000. One pass
/// over the data: n (m + s) kernel values, n (m + s) k flops. Their number is added to
/// `evaluations`.
double sampled_first_order_sine(const Kernel& kernel, const LandmarkSet& set,
                                const LandmarkSpectrum& spectrum, bool center, std::size_t count,
                                const RowSample& sample, TrainingRows& data, std::uint64_t seed,
                                std::uint64_t& evaluations, engine::Workers& workers);

}  // namespace mercer::methods
