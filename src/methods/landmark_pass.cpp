#include "methods/landmark_pass.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/blas.h"
#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "methods/landmark_spectrum.h"

namespace mercer::methods {

namespace {

template <class Tile, class Scatter>
void add_rows_in(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set,
                 TrainingRows& data, engine::Workers& workers) {
  using Pass = engine::MomentsPass<Tile, Scatter>;
  using engine::kBlock;
  const auto shift = engine::distance_shift(kernel, set.points);
  const engine::KernelPoints<Tile> library(kernel, set.points.view(), shift);
  Pass pass(sums.moments);
  data.for_each_chunk(
      Pass::kChunkRows,
      [&](const Chunk& chunk) {
        engine::check_new_points(kernel, chunk.points, chunk.first_row);
        const auto diagonal = engine::kernel_diagonal(kernel, chunk.points);
        for (std::size_t i = 0; i < diagonal.size(); ++i) {
          sums.trace += (chunk.weights.empty() ? 1 : chunk.weights[i]) * diagonal[i];
        }
        pass.add(
            chunk.points.rows(), chunk.weights,
            [&](std::size_t block, Tile* panels, std::size_t panel_rows) {
              const std::size_t first = block * kBlock;
              const auto rows =
                  chunk.points.rows_from(first, std::min(kBlock, chunk.points.rows() - first));
              const engine::KernelPoints<Tile> queries(kernel, rows, shift);
              for (std::size_t part = 0; part < library.blocks(); ++part) {
                library.block(part, queries, 0, panels + part * kBlock * panel_rows, panel_rows);
              }
            },
            workers);
        sums.kernel_evaluations += static_cast<std::uint64_t>(chunk.points.rows()) * set.size();
      },
      workers);
}

/// Smallest eigenvalue of L L^T by inverse iteration, from above within a few per cent.
double smallest_eigenvalue(MatrixView<const double> lower) {
  const std::size_t m = lower.rows();
  std::vector<double> v(m, 1 / std::sqrt(static_cast<double>(m)));
  // Alternating signs start away from the smooth vectors that belong to large eigenvalues.
  for (std::size_t i = 1; i < m; i += 2) v[i] = -v[i];
  const MatrixView<double> column(v.data(), m, 1);
  constexpr int kSteps = 20;
  double norm = 1;
  for (int step = 0; step < kSteps; ++step) {
    engine::solve_lower(lower, column);
    engine::solve_lower_transposed(lower, column);
    double sum = 0;
    for (const double x : v) sum += x * x;
    norm = std::sqrt(sum);
    if (!(norm > 0) || !std::isfinite(norm)) return 0;
    for (double& x : v) x /= norm;
  }
  return 1 / norm;
}

}  // namespace

LandmarkSums landmark_sums(const LandmarkSet& set) {
  const std::size_t m = set.size();
  // K_mm 1 / m through its factor.
  std::vector<double> partial(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) partial[j] += set.lower(i, j) / static_cast<double>(m);
  }
  std::vector<double> shift(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) shift[i] += set.lower(i, j) * partial[j];
  }
  return {.moments = engine::Moments(std::move(shift))};
}

PassPrecision choose_precision(Precision asked, const Kernel& kernel, const LandmarkSet& set,
                               const RowSample& sample, std::size_t components, bool center,
                               std::uint64_t seed, engine::Workers& workers) {
  if (asked == Precision::float64) return {};
  if (std::holds_alternative<Custom>(kernel)) {
    return {.reason = "custom kernels are evaluated in double precision"};
  }
  constexpr std::size_t kRows = 4000;
  const std::size_t rows = std::min(kRows, sample.points.rows());
  const auto weights =
      sample.weights.empty() ? std::span<const double>() : std::span(sample.weights).first(rows);
  TrainingRows data(sample.points.view().rows_from(0, rows), weights);
  LandmarkSums sums = landmark_sums(set);
  add_rows_in<double, double>(sums, kernel, set, data, workers);
  const LandmarkSpectrum spectrum(sums.moments, set.lower, sums.trace, center);
  const auto pairs = spectrum.eigenpairs(set.size(), components, seed, workers);
  const auto scatter = sums.moments.scatter();
  double largest = 0;
  for (std::size_t j = 0; j < set.size(); ++j) largest = std::max(largest, scatter(j, j));
  const double smallest = smallest_eigenvalue(set.lower);
  double norm2 = 0;  // of L in the Frobenius norm: at least the largest eigenvalue of K_mm
  for (std::size_t i = 0; i < set.lower.size(); ++i) {
    norm2 += set.lower.data()[i] * set.lower.data()[i];
  }
  const double noise = 0x1p-24 * largest / (smallest * pairs.values.back());
  if (noise <= 3e-4) {
    return {.float_values = true,
            .float_products = true,
            .reason = fmt::format("rounding noise {:.1e} of the smallest component", noise)};
  }
  const double condition = norm2 / smallest;
  if (condition <= 1e9) {
    return {.float_values = true,
            .float_products = false,
            .reason = fmt::format("products in double: rounding noise {:.1e} of the smallest "
                                  "component in single precision",
                                  noise)};
  }
  return {.reason = fmt::format("double instead of float: rounding noise {:.1e} of the smallest "
                                "component, condition of the landmarks {:.1e}",
                                noise, condition)};
}

void add_rows(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set, TrainingRows& data,
              const PassPrecision& precision, engine::Workers& workers) {
  if (precision.float_products) {
    add_rows_in<float, float>(sums, kernel, set, data, workers);
  } else if (precision.float_values) {
    add_rows_in<float, double>(sums, kernel, set, data, workers);
  } else {
    add_rows_in<double, double>(sums, kernel, set, data, workers);
  }
}

}  // namespace mercer::methods
