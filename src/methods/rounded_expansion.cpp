#include "methods/rounded_expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer::methods {

namespace {

Matrix<double> unit_sizes(MatrixView<const double> coefficients) {
  Matrix<double> sizes(coefficients.rows(), coefficients.cols());
  for (std::size_t k = 0; k < coefficients.cols(); ++k) {
    double largest = 0;
    for (std::size_t i = 0; i < sizes.rows(); ++i) {
      largest = std::max(largest, std::abs(coefficients(i, k)));
    }
    if (largest == 0) continue;
    double squares = 0;  // of numbers up to 1: neither overflow nor underflow matter
    for (std::size_t i = 0; i < sizes.rows(); ++i) {
      sizes(i, k) = std::abs(coefficients(i, k)) / largest;
      squares += sizes(i, k) * sizes(i, k);
    }
    for (std::size_t i = 0; i < sizes.rows(); ++i) sizes(i, k) /= std::sqrt(squares);
  }
  return sizes;
}

Matrix<double> largest_of_rows(const Matrix<double>& sizes) {
  Matrix<double> largest(sizes.rows(), 1);
  for (std::size_t i = 0; i < sizes.rows(); ++i) largest(i, 0) = std::ranges::max(sizes.row(i));
  return largest;
}

double clipped(double scale, double size) {
  return size == 0 ? 0 : std::min(1.0, scale * size);
}

}  // namespace

RoundedExpansion::RoundedExpansion(MatrixView<const double> coefficients, bool per_component)
    : coefficients_(coefficients), sizes_(unit_sizes(coefficients)) {
  if (!per_component) sizes_ = largest_of_rows(sizes_);
}

double RoundedExpansion::probability(std::size_t i, std::size_t k, double scale) const {
  return clipped(scale, sizes_(i, sizes_.cols() == 1 ? 0 : k));
}

double RoundedExpansion::row_probability(std::size_t i, double scale) const {
  double none = 1;
  for (const double size : sizes_.row(i)) none *= 1 - clipped(scale, size);
  return sizes_.cols() == 1 ? clipped(scale, sizes_(i, 0)) : 1 - none;
}

double RoundedExpansion::expected_rows(double scale) const {
  double sum = 0;
  for (std::size_t i = 0; i < sizes_.rows(); ++i) sum += row_probability(i, scale);
  return sum;
}

std::vector<double> RoundedExpansion::variances(std::span<const double> energies,
                                                double scale) const {
  std::vector<double> sums(coefficients_.cols(), 0.0);
  for (std::size_t i = 0; i < sizes_.rows(); ++i) {
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const double p = probability(i, k, scale);
      if (p == 0 || p == 1) continue;  // without a coefficient, or kept as it is
      const double b = coefficients_(i, k);
      sums[k] += energies[i] * b * (b / p) * (1 - p);
    }
  }
  return sums;
}

double RoundedExpansion::total_variance(std::span<const double> energies, double scale) const {
  const auto sums = variances(energies, scale);
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double RoundedExpansion::scale_for(std::span<const double> energies, double total) const {
  double smallest = 1;  // of the sizes that are not zero
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_.data()[i] > 0) smallest = std::min(smallest, sizes_.data()[i]);
  }
  // Everything is kept at `high`; the variance falls with the scale.
  double high = std::log2(1 / std::max(smallest, std::numeric_limits<double>::min())) + 1;
  double low = -64;
  if (total_variance(energies, std::exp2(low)) <= total) return std::exp2(low);
  constexpr int kSteps = 60;  // to the last digit that the scale needs
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (total_variance(energies, std::exp2(middle)) <= total ? high : low) = middle;
  }
  return std::exp2(high);
}

RoundedExpansion::Rounded RoundedExpansion::draw(double scale,
                                                 const engine::RandomStream& stream) const {
  const std::size_t n = sizes_.rows();
  const std::size_t draws = sizes_.cols();
  const auto is_drawn = [&](std::size_t i, std::size_t j) {
    return stream.uniform(i * draws + j) < clipped(scale, sizes_(i, j));
  };
  Rounded rounded;
  for (std::size_t i = 0; i < n; ++i) {
    bool any = false;
    for (std::size_t j = 0; j < draws && !any; ++j) any = is_drawn(i, j);
    if (any) rounded.rows.push_back(i);
  }
  const bool forced = rounded.rows.empty();
  if (forced) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if (row_probability(i, scale) > row_probability(best, scale)) best = i;
    }
    rounded.rows.push_back(best);
  }
  const std::size_t components = coefficients_.cols();
  rounded.coefficients = Matrix<double>(rounded.rows.size(), components);
  for (std::size_t r = 0; r < rounded.rows.size(); ++r) {
    const std::size_t i = rounded.rows[r];
    for (std::size_t k = 0; k < components; ++k) {
      if (forced) {
        rounded.coefficients(r, k) = coefficients_(i, k);
      } else if (is_drawn(i, draws == 1 ? 0 : k)) {
        rounded.coefficients(r, k) = coefficients_(i, k) / probability(i, k, scale);
      }
    }
  }
  return rounded;
}

}  // namespace mercer::methods
