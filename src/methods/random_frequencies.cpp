// Spectra of kernels (Rasmussen & Williams, Gaussian processes for machine learning, 4.2; Rahimi &
// Recht 2007). A Matern kernel is a Gaussian one whose precision is chi-squared, so its spectrum is
// a multivariate t with 2 nu degrees of freedom; a rational quadratic one is a Gaussian whose
// squared frequency is Gamma-distributed; the L1 kernel is a product of one-dimensional ones, whose
// spectrum is Cauchy's.

#include "methods/random_frequencies.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/fourier_features.h"
#include "methods/random_rotation.h"

namespace mercer::methods {

namespace {

using engine::RandomStream;

// Purposes of the streams below the one that is given.
constexpr std::uint64_t kDirections = 0;
constexpr std::uint64_t kRadii = 1;

/// Sum of `degrees` squared normals.
double chi_squared(int degrees, const RandomStream& stream) {
  double sum = 0;
  for (int i = 0; i < degrees; ++i) {
    const double x = stream.normal(static_cast<std::uint64_t>(i));
    sum += x * x;
  }
  // A draw of 0, once in 2^53, would be an infinite frequency.
  return std::max(sum, 0x1p-106);
}

/// Gamma(shape, 1) by the rejection method of Marsaglia & Tsang (2000), which needs shape >= 1;
/// below, Gamma(shape + 1) U^(1/shape).
double gamma_draw(double shape, const RandomStream& stream) {
  if (shape < 1) {
    const double u = stream.substream(1).uniform(0);
    return gamma_draw(shape + 1, stream) * std::pow(u, 1 / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (std::uint64_t position = 0;; position += 4) {
    const double x = stream.normal(position);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    const double u = 1 - stream.uniform(position + 2);  // never 0
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

/// What the standard normal vector of one frequency is multiplied by.
struct DrawRadius {
  const RandomStream& stream;

  double operator()(const Gaussian& k) const { return std::sqrt(2 * *k.gamma); }
  double operator()(const Laplacian& k) const { return *k.gamma * student(1); }
  double operator()(const Matern32& k) const { return student(3) / *k.length; }
  double operator()(const Matern52& k) const { return student(5) / *k.length; }
  double operator()(const RationalQuadratic& k) const {
    return std::sqrt(gamma_draw(k.alpha, stream) / k.alpha) / *k.length;
  }
  template <class Other>
  double operator()(const Other&) const {
    throw InvalidArgument("the kernel has no isotropic spectrum");
  }

  double student(int degrees) const { return std::sqrt(degrees / chi_squared(degrees, stream)); }
};

void scale(double factor, std::span<double> x) {
  for (double& value : x) value *= factor;
}

/// Makes the rows orthogonal and keeps their lengths, of which the directions are independent.
void orthogonalise(MatrixView<double> rows, engine::Workers& workers) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i < rows.rows(); ++i) lengths.push_back(length(rows.row(i)));
  orthonormalise(rows, workers);
  for (std::size_t i = 0; i < rows.rows(); ++i) scale(lengths[i], rows.row(i));
}

Matrix<double> cauchy_frequencies(double gamma, std::size_t columns, std::size_t count,
                                  const RandomStream& stream) {
  auto frequencies = Matrix<double>::uninitialized(count, columns);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double centred = stream.uniform(i) + 0x1p-54 - 0.5;  // inside (-1/2, 1/2)
    frequencies.data()[i] = gamma * std::tan(std::numbers::pi * centred);
  }
  return frequencies;
}

}  // namespace

void check_random_features(const Kernel& kernel, bool orthogonal) {
  if (!engine::has_fourier_features(kernel)) {
    throw InvalidArgument(fmt::format(
        "the {} kernel has no random features: it must depend on x - y alone and have a known "
        "spectrum (gaussian, laplacian, laplacian_l1, matern32, matern52, rational_quadratic)",
        kernel_name(kernel)));
  }
  if (orthogonal && std::holds_alternative<LaplacianL1>(kernel)) {
    throw InvalidArgument(
        "orthogonal features need a kernel of the distance; laplacian_l1 depends on the directions "
        "of the axes too: leave out orthogonal, or use the laplacian kernel");
  }
}

Matrix<double> random_frequencies(const Kernel& kernel, std::size_t columns, std::size_t count,
                                  bool orthogonal, const RandomStream& stream,
                                  engine::Workers& workers) {
  check_random_features(kernel, orthogonal);
  const RandomStream directions = stream.substream(kDirections);
  if (const auto* l1 = std::get_if<LaplacianL1>(&kernel)) {
    return cauchy_frequencies(*l1->gamma, columns, count, directions);
  }
  auto frequencies = Matrix<double>::uninitialized(count, columns);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies.data()[i] = directions.normal(i);
  }
  if (orthogonal) {
    workers.for_each((count + columns - 1) / columns, [&](std::size_t group) {
      const std::size_t first = group * columns;
      orthogonalise(frequencies.view().rows_from(first, std::min(columns, count - first)), workers);
    });
  }
  const RandomStream radii = stream.substream(kRadii);
  for (std::size_t j = 0; j < count; ++j) {
    const RandomStream own = radii.substream(j);
    scale(std::visit(DrawRadius{own}, kernel), frequencies.row(j));
  }
  return frequencies;
}

}  // namespace mercer::methods
