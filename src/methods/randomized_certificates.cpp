#include "methods/randomized_certificates.h"

#include <algorithm>
#include <cmath>

#include "engine/blas.h"
#include "engine/eigensolver.h"

namespace mercer::methods {

namespace {

/// With which |E| may exceed the Bernstein bound of a summary.
constexpr double kChance = 0.01;

constexpr std::size_t kBlockColumns = 8;

double largest_row_variance(const engine::EntryNoise& noise) {
  return noise.row_variances.empty() ? 0 : std::ranges::max(noise.row_variances);
}

/// (K' - K)^2 / scale^2. The norm may be at either end of the spectrum of K' - K, while a solver
/// for the largest eigenvalues drops the other end when it restarts; of the square there is one
/// end.
class SquaredError final : public engine::SymmetricOperator {
 public:
  SquaredError(engine::KernelOperator& randomized, engine::KernelOperator& exact, double scale,
               engine::Workers& workers)
      : randomized_(randomized), exact_(exact), scale_(scale), workers_(workers) {}

  std::size_t size() const override { return exact_.size(); }
  void apply(MatrixView<const double> v, MatrixView<double> y) override {
    auto once = Matrix<double>::uninitialized(v.rows(), v.cols());
    apply_error(v, once);
    apply_error(once, y);
  }

 private:
  void apply_error(MatrixView<const double> v, MatrixView<double> y) {
    randomized_.multiply(v, y, workers_);
    auto kernel = Matrix<double>::uninitialized(v.rows(), v.cols());
    exact_.multiply(v, kernel, workers_);
    for (std::size_t i = 0; i < y.rows(); ++i) {
      for (std::size_t j = 0; j < y.cols(); ++j) y(i, j) = (y(i, j) - kernel(i, j)) / scale_;
    }
  }

  engine::KernelOperator& randomized_;
  engine::KernelOperator& exact_;
  double scale_;
  engine::Workers& workers_;
};

}  // namespace

double predicted_error_norm(const engine::EntryNoise& noise) {
  return 2 * std::sqrt(largest_row_variance(noise));
}

bool prediction_is_doubtful(const engine::EntryNoise& noise,
                            const engine::EntryRounding& rounding) {
  return rounding.largest_error(noise.entries) > std::sqrt(largest_row_variance(noise));
}

double bernstein_error_norm(const engine::EntryNoise& noise, const engine::EntryRounding& rounding,
                            double chance) {
  const auto n = static_cast<double>(noise.row_variances.size());
  const double logarithm = std::log(2 * n / chance);
  const double linear = rounding.largest_error(noise.entries) * logarithm / 3;
  return linear + std::sqrt(linear * linear + 2 * largest_row_variance(noise) * logarithm);
}

MeasuredNorm measured_error_norm(engine::RandomizedGram& randomized, engine::KernelOperator& exact,
                                 std::uint64_t seed, engine::Workers& workers) {
  if (!engine::krylov_is_suitable(exact.size(), 1, kBlockColumns)) {
    Matrix<double> error = randomized.dense(workers);
    const Matrix<double> kernel = exact.dense(workers);
    for (std::size_t i = 0; i < error.size(); ++i) error.data()[i] -= kernel.data()[i];
    const auto values = engine::symmetric_eigenvalues(error);
    return {.value = std::max(std::abs(values.front()), std::abs(values.back())), .exact = true};
  }
  const double scale = predicted_error_norm(randomized.noise());
  if (scale == 0) return {};
  // Ritz values come from below. The edge of a random spectrum is dense, so the last digits are
  // dear: this tolerance leaves 0.1 % of the norm.
  SquaredError error(randomized, exact, scale, workers);
  const auto found = engine::krylov_eigenpairs(
      error,
      {.count = 1, .block = kBlockColumns, .tolerance = 0.01, .max_products = 20, .seed = seed},
      workers);
  return {.value = scale * std::sqrt(found.largest_magnitude), .exact = false};
}

std::vector<double> certified_ratios(std::span<const double> values, std::size_t count,
                                     double error_norm) {
  std::vector<double> ratios;
  for (std::size_t j = 0; j < count; ++j) {
    const double next = j + 1 < values.size() ? values[j + 1] : 0;
    ratios.push_back((values[j] - next) / (2 * error_norm));
  }
  return ratios;
}

void add_randomized_certificates(Summary& summary, const engine::EntryNoise& noise,
                                 const engine::EntryRounding& rounding,
                                 const std::optional<MeasuredNorm>& measured,
                                 std::span<const double> values, std::size_t count) {
  double norm = predicted_error_norm(noise);
  if (norm == 0) return;
  summary.bounds.push_back({.name = "error_norm_predicted", .value = norm, .rigorous = false});
  summary.bounds.push_back({.name = "error_norm_bernstein",
                            .value = bernstein_error_norm(noise, rounding, kChance),
                            .rigorous = noise.all_seen});
  if (measured) {
    summary.bounds.push_back(
        {.name = "error_norm_measured", .value = measured->value, .rigorous = measured->exact});
    norm = measured->value;
  }
  if (norm > 0) summary.certified_ratio = certified_ratios(values, count, norm);
}

}  // namespace mercer::methods
