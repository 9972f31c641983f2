#include "engine/orthogonal_iteration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/orthonormal.h"
#include "engine/random.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

class OrthogonalIteration {
 public:
  OrthogonalIteration(SymmetricOperator& a, const OrthogonalIterationOptions& options,
                      Workers& workers)
      : a_(a),
        options_(options),
        workers_(workers),
        n_(a.size()),
        p_(iterated_columns(options.count)),
        q_(n_, p_),
        z_(n_, p_),
        random_(RandomStream(options.seed).substream(0x6f7274686f67)) {}

  IterativeEigenpairs run();

 private:
  void fill_random(std::size_t column);
  void orthonormalise();
  void rotate_to_ritz_vectors();
  std::vector<double> residuals() const;
  void step();
  void report_progress(double residual);

  SymmetricOperator& a_;
  const OrthogonalIterationOptions& options_;
  Workers& workers_;
  std::size_t n_;
  std::size_t p_;
  Matrix<double> q_;  // orthonormal columns; after a rotation, Ritz vectors
  Matrix<double> z_;  // A q
  std::vector<double> values_;
  double norm_ = 0;  // largest |Ritz value| seen
  RandomStream random_;
  std::uint64_t random_position_ = 0;
};

void OrthogonalIteration::fill_random(std::size_t column) {
  for (std::size_t i = 0; i < n_; ++i) q_(i, column) = random_.normal(random_position_ + i);
  random_position_ += n_;
}

void OrthogonalIteration::orthonormalise() {
  Matrix<double> coupling(p_, p_);
  for (std::size_t i = 0; i < p_; ++i) coupling(i, i) = 1;
  // The threshold belongs to the first pass only: later ones see unit columns.
  double negligible = std::numeric_limits<double>::epsilon() * norm_;
  constexpr int kMostPasses = 6;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!options_.null_vector.empty()) {
      const MatrixView<const double> g(options_.null_vector.data(), n_, 1);
      subtract_product(g, transposed_product(g, q_, workers_), q_, workers_);
    }
    const auto found = orthonormalise_columns(q_, coupling, negligible, workers_);
    for (const std::size_t j : found.empty) fill_random(j);
    if (pass > 0 && found.empty.empty() && found.well_conditioned) return;
    negligible = 0;
  }
}

/// q^T A q = Y theta Y^T; q becomes q Y, and z = A q with it.
void OrthogonalIteration::rotate_to_ritz_vectors() {
  auto projected = transposed_product(q_, z_, workers_);
  for (std::size_t i = 0; i < projected.size(); ++i) {
    if (std::isfinite(projected.data()[i])) continue;
    throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
  }
  const auto pairs = largest_eigenpairs(projected, p_);
  Matrix<double> rotation(p_, p_);
  for (std::size_t j = 0; j < p_; ++j) {
    for (std::size_t i = 0; i < p_; ++i) rotation(i, j) = pairs.vectors(j, i);
  }
  multiply_from_right(q_, rotation, workers_);
  multiply_from_right(z_, rotation, workers_);
  values_ = pairs.values;
  norm_ = std::max({norm_, std::abs(values_.front()), std::abs(values_.back())});
}

std::vector<double> OrthogonalIteration::residuals() const {
  std::vector<double> norms(options_.count, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < norms.size(); ++j) {
      const double difference = z_(i, j) - values_[j] * q_(i, j);
      norms[j] += difference * difference;
    }
  }
  for (double& norm : norms) norm = std::sqrt(norm);
  return norms;
}

/// q = orthonormal basis of (A + shift I) q.
void OrthogonalIteration::step() {
  const double shift = std::max(-values_.back(), 0.0);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    q_.data()[i] = z_.data()[i] + shift * q_.data()[i];
  }
  orthonormalise();
}

void OrthogonalIteration::report_progress(double residual) {
  // Residuals fall geometrically: measure the way on a logarithmic scale.
  if (norm_ == 0 || residual == 0) return;
  const double done = std::log(residual / norm_) / std::log(options_.tolerance);
  workers_.phase_range(std::clamp(done, 0.0, 0.98), std::clamp(done, 0.0, 0.98));
}

IterativeEigenpairs OrthogonalIteration::run() {
  for (std::size_t j = 0; j < p_; ++j) fill_random(j);
  orthonormalise();
  IterativeEigenpairs result;
  for (;;) {
    a_.apply(q_, z_);
    ++result.products;
    rotate_to_ritz_vectors();
    result.residuals = residuals();
    const double largest = std::ranges::max(result.residuals);
    report_progress(largest);
    result.converged = largest <= options_.tolerance * norm_;
    if (result.converged || result.products >= options_.max_products) break;
    step();
  }
  const auto k = static_cast<std::ptrdiff_t>(options_.count);
  result.vectors = Matrix<double>(q_.view().cols_from(0, options_.count));
  result.largest_magnitude = norm_;
  result.smallest_value = values_.back();
  result.negative_values = static_cast<std::size_t>(std::ranges::count_if(
      values_, [&](double value) { return value < -1e-8 * values_.front(); }));
  result.values.assign(values_.begin(), values_.begin() + k);
  return result;
}

}  // namespace

std::size_t iterated_columns(std::size_t count) {
  return padded_columns(count + std::max<std::size_t>(5, count / 2));
}

bool orthogonal_iteration_is_suitable(std::size_t n, std::size_t count) {
  return iterated_columns(count) <= n / 2;
}

double orthogonal_iteration_bytes(std::size_t n, std::size_t count) {
  return 2 * static_cast<double>(n) * static_cast<double>(iterated_columns(count)) * sizeof(double);
}

IterativeEigenpairs orthogonal_iteration(SymmetricOperator& a,
                                         const OrthogonalIterationOptions& options,
                                         Workers& workers) {
  if (options.count == 0 || !orthogonal_iteration_is_suitable(a.size(), options.count)) {
    throw InvalidArgument(
        fmt::format("cannot iterate {} columns for {} eigenpairs of size {}; use a dense solver",
                    iterated_columns(options.count), options.count, a.size()));
  }
  return OrthogonalIteration(a, options, workers).run();
}

}  // namespace mercer::engine
