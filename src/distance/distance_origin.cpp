#include "distance/distance_origin.h"

#include <variant>

namespace mercer::distance {

namespace {

bool has_unit_norm(const Kernel& kernel) {
  return std::holds_alternative<Gaussian>(kernel) || std::holds_alternative<Laplacian>(kernel) ||
         std::holds_alternative<LaplacianL1>(kernel) || std::holds_alternative<Matern32>(kernel) ||
         std::holds_alternative<Matern52>(kernel) || std::holds_alternative<Cosine>(kernel) ||
         std::holds_alternative<RationalQuadratic>(kernel) ||
         std::holds_alternative<ExponentialChi2>(kernel);
}

}  // namespace

double OriginFunction::operator()(std::span<const double> to_landmarks) const {
  double value = offset;
  for (std::size_t j = 0; j < weights.size(); ++j) value += weights[j] * to_landmarks[j];
  return value;
}

std::optional<double> sphere_constant(const Distance& distance, std::size_t columns) {
  // Bits as +-1/2 have squared norm p/4.
  if (std::holds_alternative<HammingDistance>(distance)) return static_cast<double>(columns) / 8;
  // d^2 = 1 - k with k(x, x) = 1: half of the kernel's own.
  if (std::holds_alternative<CosineDistance>(distance) ||
      std::holds_alternative<JaccardDistance>(distance)) {
    return 0.25;
  }
  const auto* kernel = std::get_if<KernelDistance>(&distance);
  if (kernel != nullptr && has_unit_norm(kernel->kernel)) return 0.5;
  return std::nullopt;
}

OriginFunction make_origin(DistanceOrigin origin, double constant, MatrixView<const double> among) {
  const std::size_t m = among.rows();
  OriginFunction g{.weights = std::vector<double>(m, 0.0)};
  if (origin == DistanceOrigin::constant) {
    g.offset = constant;
  } else if (origin == DistanceOrigin::base_point) {
    g.weights[0] = 0.5;
  } else {
    double sum = 0;
    for (std::size_t i = 0; i < m; ++i) {
      g.weights[i] = 0.5 / static_cast<double>(m);
      for (const double value : among.row(i)) sum += value;
    }
    g.offset = -0.25 * sum / (static_cast<double>(m) * static_cast<double>(m));
  }
  return g;
}

Matrix<double> selection_gram(MatrixView<const double> squares, std::optional<double> constant) {
  const std::size_t n = squares.rows();
  std::vector<double> g(n, constant.value_or(0));
  if (!constant) {
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double value : squares.row(i)) g[i] += value / static_cast<double>(n);
      mean += g[i] / static_cast<double>(n);
    }
    // Norms about the centroid are g_i - mean/2, their mean is mean/2.
    const double lift = mean > 0 ? mean / 2 : 1;
    for (double& value : g) value = value / 2 - mean / 4 + lift / 2;
  }
  auto gram = Matrix<double>::uninitialized(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram(i, j) = g[i] + g[j] - squares(i, j) / 2;
  }
  return gram;
}

}  // namespace mercer::distance
