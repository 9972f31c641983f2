#include "methods/landmark_set.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/pivoted_cholesky.h"
#include "engine/tile.h"

namespace mercer::methods {

namespace {

using engine::kBlock;

/// Calls use(first row, count, z) with the coordinates of every block of points.
void for_each_block(const Kernel& kernel, const LandmarkSet& set, MatrixView<const double> points,
                    const std::function<void(std::size_t first, std::size_t count,
                                             MatrixView<const double> z)>& use,
                    engine::Workers& workers) {
  const LandmarkCoordinates coordinates(kernel, set);
  workers.for_each((points.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = std::min(kBlock, points.rows() - first);
    use(first, count, coordinates.block(points.rows_from(first, count)));
  });
}

}  // namespace

LandmarkCoordinates::LandmarkCoordinates(const Kernel& kernel, const LandmarkSet& set)
    : kernel_(kernel),
      shift_(engine::distance_shift(kernel, set.points)),
      library_(kernel, set.points.view(), shift_),
      lower_(set.lower) {}

Matrix<double> LandmarkCoordinates::block(MatrixView<const double> points) const {
  const std::size_t width = engine::panel_width<double>();
  const engine::KernelPoints<double> queries(kernel_, points, shift_);
  Matrix<double> z(library_.size(), kBlock);
  std::vector<double> tile(kBlock * kBlock);
  for (std::size_t part = 0; part < library_.blocks(); ++part) {
    // With the points on the panel side, runs of a panel are runs of a row of z.
    queries.block(0, library_, part, tile.data());
    for (std::size_t row = 0; row < library_.block_size(part); ++row) {
      auto out = z.row(part * kBlock + row);
      for (std::size_t col = 0; col < points.rows(); col += width) {
        std::copy_n(tile.data() + (col / width * kBlock + row) * width,
                    std::min(width, points.rows() - col), out.data() + col);
      }
    }
  }
  lower_.solve(z);
  return z;
}

double smallest_eigenvalue(const LandmarkSet& set) {
  const std::size_t m = set.size();
  std::vector<double> v(m, 1 / std::sqrt(static_cast<double>(m)));
  // Alternating signs start away from the smooth vectors that belong to large eigenvalues.
  for (std::size_t i = 1; i < m; i += 2) v[i] = -v[i];
  // Both substitutions then run along rows.
  const Matrix<double>& lower = set.lower;
  Matrix<double> upper(m, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) upper(j, i) = lower(i, j);
  }
  constexpr int kMostIterations = 20;
  constexpr double kEnough = 0.01;
  double norm = 0;
  for (int step = 0; step < kMostIterations; ++step) {
    for (std::size_t i = 0; i < m; ++i) {
      const double x = v[i] /= lower(i, i);
      for (std::size_t j = i + 1; j < m; ++j) v[j] -= x * upper(i, j);
    }
    for (std::size_t i = m; i-- > 0;) {
      const double x = v[i] /= lower(i, i);
      for (std::size_t j = 0; j < i; ++j) v[j] -= x * lower(i, j);
    }
    double sum = 0;
    for (const double x : v) sum += x * x;
    const double before = std::exchange(norm, std::sqrt(sum));
    if (!(norm > 0) || !std::isfinite(norm)) return 0;
    if (norm - before <= kEnough * norm) break;  // it only grows
    for (double& x : v) x /= norm;
  }
  return 1 / norm;
}

LandmarkSet independent_landmarks(const Kernel& kernel, MatrixView<const double> points,
                                  engine::Workers& workers) {
  engine::PartialCholesky factor(kernel, points, points.rows(), workers);
  engine::append_first(factor, points.rows());
  return {.points = pick_rows(points, factor.pivots()), .lower = factor.pivot_factor()};
}

LandmarkSet first_landmarks(const LandmarkSet& set, std::size_t count) {
  return {.points = Matrix<double>(set.points.view().rows_from(0, count)),
          .lower = Matrix<double>(set.lower.view().rows_from(0, count).cols_from(0, count))};
}

Matrix<double> landmark_coordinates(const Kernel& kernel, const LandmarkSet& set,
                                    MatrixView<const double> points, engine::Workers& workers) {
  auto coordinates = Matrix<double>::uninitialized(points.rows(), set.size());
  for_each_block(
      kernel, set, points,
      [&](std::size_t first, std::size_t count, MatrixView<const double> z) {
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t j = 0; j < set.size(); ++j) coordinates(first + i, j) = z(j, i);
        }
      },
      workers);
  return coordinates;
}

std::vector<double> landmark_residuals(const Kernel& kernel, const LandmarkSet& set,
                                       MatrixView<const double> points, engine::Workers& workers) {
  auto residuals = engine::kernel_diagonal(kernel, points);
  for_each_block(
      kernel, set, points,
      [&](std::size_t first, std::size_t count, MatrixView<const double> z) {
        for (std::size_t j = 0; j < set.size(); ++j) {
          for (std::size_t i = 0; i < count; ++i) residuals[first + i] -= z(j, i) * z(j, i);
        }
        for (std::size_t i = 0; i < count; ++i) {
          residuals[first + i] = std::max(residuals[first + i], 0.0);
        }
      },
      workers);
  return residuals;
}

double residual_fraction(const Kernel& kernel, const LandmarkSet& set,
                         MatrixView<const double> points, std::span<const double> weights,
                         engine::Workers& workers) {
  const auto residuals = landmark_residuals(kernel, set, points, workers);
  const auto diagonal = engine::kernel_diagonal(kernel, points);
  double residual = 0;
  double total = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    residual += weight * residuals[i];
    total += weight * diagonal[i];
  }
  return total > 0 ? residual / total : 0;
}

}  // namespace mercer::methods
