#include "methods/landmark_set.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/gram.h"
#include "engine/kernel_value.h"
#include "engine/pivoted_cholesky.h"
#include "engine/tile.h"
#include "engine/triangular.h"

namespace mercer::methods {

namespace {

Matrix<double> gather(MatrixView<const double> points, std::span<const std::size_t> rows) {
  auto picked = Matrix<double>::uninitialized(rows.size(), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(points.row(rows[i]), picked.row(i).begin());
  }
  return picked;
}

/// Calls use(first row, z) with the coordinates of a block of points, z being m x (padded count): a
/// column per point.
void for_each_block(const Kernel& kernel, const LandmarkSet& set, MatrixView<const double> points,
                    const std::function<void(std::size_t first, std::size_t count,
                                             MatrixView<const double> z)>& use,
                    engine::Workers& workers) {
  using engine::kBlock;
  const auto shift = engine::distance_shift(kernel, set.points);
  const engine::KernelPoints<double> library(kernel, set.points.view(), shift);
  const engine::LowerTriangle lower(set.lower);
  const std::size_t width = engine::panel_width<double>();
  workers.for_each((points.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = std::min(kBlock, points.rows() - first);
    const engine::KernelPoints<double> queries(kernel, points.rows_from(first, count), shift);
    Matrix<double> z(set.size(), kBlock);
    std::vector<double> tile(kBlock * kBlock);
    for (std::size_t part = 0; part < library.blocks(); ++part) {
      // With the points on the panel side, runs of a panel are runs of a row of z.
      queries.block(0, library, part, tile.data());
      for (std::size_t row = 0; row < library.block_size(part); ++row) {
        auto out = z.row(part * kBlock + row);
        for (std::size_t col = 0; col < count; col += width) {
          std::copy_n(tile.data() + (col / width * kBlock + row) * width,
                      std::min(width, count - col), out.data() + col);
        }
      }
    }
    lower.solve(z);
    use(first, count, z);
  });
}

}  // namespace

LandmarkSet independent_landmarks(const Kernel& kernel, MatrixView<const double> points,
                                  engine::Workers& workers) {
  engine::PartialCholesky factor(kernel, points, points.rows(), workers);
  constexpr std::size_t kBatch = 128;
  std::vector<std::size_t> rows(points.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::size_t first = 0; first < rows.size(); first += kBatch) {
    const std::size_t count = std::min(kBatch, rows.size() - first);
    factor.append(std::span(rows).subspan(first, count), count);
  }
  return {.points = gather(points, factor.pivots()), .lower = factor.pivot_factor()};
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
