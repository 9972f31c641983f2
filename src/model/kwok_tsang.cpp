#include "model/kwok_tsang.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/blas.h"

namespace mercer::model {

namespace {

/// Library points with the largest products, largest first, by number on ties.
std::vector<std::size_t> nearest(std::span<const double> products, std::size_t count) {
  std::vector<std::size_t> order(products.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                            [&](std::size_t a, std::size_t b) {
                              return products[a] != products[b] ? products[a] > products[b] : a < b;
                            });
  order.resize(count);
  return order;
}

}  // namespace

void kwok_tsang(const engine::RadialKernel& kernel, MatrixView<const double> library,
                std::span<const double> products, double norm2, const PreimageOptions& options,
                std::span<double> z) {
  const std::size_t d = library.cols();
  const auto neighbors =
      nearest(products.first(library.rows()), std::min(options.neighbors, library.rows()));
  const auto n = static_cast<double>(neighbors.size());
  std::vector<double> mean(d, 0.0);
  for (const std::size_t j : neighbors) {
    for (std::size_t c = 0; c < d; ++c) mean[c] += library(j, c) / n;
  }
  // Rows X - mean = left diag(values) right; with y the coordinates of z along `right`,
  // |z - x_i|^2 - |x_i - mean|^2 = |y|^2 - 2 (left diag(values))_i y, and the constant |y|^2 drops
  // out because the columns of `left` sum to 0.
  Matrix<double> centered(neighbors.size(), d);
  std::vector<double> differences(neighbors.size());
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    double from_mean = 0;
    for (std::size_t c = 0; c < d; ++c) {
      centered(i, c) = library(neighbors[i], c) - mean[c];
      from_mean += centered(i, c) * centered(i, c);
    }
    constexpr double kSmallest = 1e-8;
    const double value = norm2 > 0
                             ? std::clamp(products[neighbors[i]] / std::sqrt(norm2), kSmallest, 1.0)
                             : kSmallest;
    const double distance = kernel.distance(value);
    differences[i] = distance * distance - from_mean;
  }
  const auto svd = engine::singular_values(centered.view());
  std::ranges::copy(mean, z.begin());
  for (std::size_t r = 0; r < svd.values.size(); ++r) {
    if (!(svd.values[r] > 0) || svd.values[r] < options.cutoff * svd.values[0]) break;
    double y = 0;
    for (std::size_t i = 0; i < neighbors.size(); ++i) y += svd.left(i, r) * differences[i];
    y *= -0.5 / svd.values[r];
    for (std::size_t c = 0; c < d; ++c) z[c] += y * svd.right(r, c);
  }
}

}  // namespace mercer::model
