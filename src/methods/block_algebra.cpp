#include "methods/block_algebra.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/blas.h"
#include "engine/dense_product.h"
#include "methods/factor_moments.h"
#include "methods/pca.h"
#include "system/memory.h"

namespace mercer::methods {

namespace {

double squared_norm(std::span<const double> v) {
  return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
}

/// Mean and scatter of the rows of a factor, the scatter about the mean or about the origin.
struct FactorSpread {
  Matrix<double> scatter;
  std::vector<double> mean;
};

FactorSpread spread_of(MatrixView<const double> factor, std::span<const double> weights,
                       bool center, engine::Workers& workers) {
  if (factor.cols() == 0) return {};
  const auto moments = factor_moments(factor, weights, workers);
  FactorSpread spread{.scatter = moments.scatter(), .mean = moments.mean()};
  if (center) return spread;
  std::vector<double> origin(spread.mean.size(), 0.0);
  add_difference(spread.scatter, moments.weight(), spread.mean, origin);
  spread.mean = std::move(origin);
  return spread;
}

}  // namespace

std::size_t components_kept(std::span<const double> variances, double total, double lost,
                            double noise, const MergeOptions& options) {
  const auto above = static_cast<std::size_t>(
      std::ranges::count_if(variances, [&](double variance) { return variance > noise; }));
  std::size_t kept = above;
  if (options.keep < 1) {
    const double target =
        options.keep * (options.rule == DeflationRule::cumulative ? total + lost : total);
    double sum = 0;
    for (kept = 0; kept < above && sum < target; ++kept) sum += variances[kept];
  }
  return std::min(kept, options.max_components.value_or(kept));
}

double negligible_variance(double largest, double energy) {
  constexpr double kComponentTolerance = 1e-10;
  constexpr double kRounding = 0x1p-48;
  return std::max(kComponentTolerance * largest, kRounding * energy);
}

void give_up(BlockNumbers& block, double variance) {
  if (!(variance > 0)) return;
  block.lost += variance;
  block.deviation += std::sqrt(variance);
}

void set_components(BlockNumbers& block, const LandmarkSet& set, Matrix<double> scatter,
                    const std::vector<double>& mean, const MergeOptions& options) {
  const std::size_t s = set.size();
  double total = 0;
  for (std::size_t i = 0; i < s; ++i) total += scatter(i, i);
  if (!std::isfinite(total)) {
    throw NumericalError("kernel values overflowed: scale the data or the kernel's parameters");
  }
  block.mean_norm2 = squared_norm(mean);
  engine::EigenPairs pairs;
  if (s > 0) {
    const bool few = options.max_components && *options.max_components < s && options.keep == 1;
    pairs = engine::largest_eigenpairs(scatter, few ? *options.max_components : s);
  }
  const double largest = pairs.values.empty() ? 0 : pairs.values.front();
  const std::size_t r = components_kept(
      pairs.values, total, block.lost,
      negligible_variance(largest, total + block.weight * block.mean_norm2), options);

  block.singular_values.clear();
  block.mean_scores.clear();
  Matrix<double> columns(s, r + 1);  // L^-T [U, mean]
  double kept = 0;
  for (std::size_t j = 0; j < r; ++j) {
    kept += pairs.values[j];
    block.singular_values.push_back(std::sqrt(pairs.values[j]));
    const auto u = pairs.vectors.row(j);
    block.mean_scores.push_back(std::inner_product(u.begin(), u.end(), mean.begin(), 0.0));
    for (std::size_t i = 0; i < s; ++i) columns(i, j) = u[i];
  }
  for (std::size_t i = 0; i < s; ++i) columns(i, r) = mean[i];
  give_up(block, total - kept);
  if (s > 0) engine::solve_lower_transposed(set.lower, columns);
  block.library = set.points;
  if (block.linear()) {
    columns = s > 0 ? collapse(set.points, columns) : Matrix<double>(block.columns, r + 1);
    block.library = Matrix<double>(0, block.columns);
  }
  block.components = Matrix<double>(columns.view().cols_from(0, r));
  block.mean_coefficients.resize(columns.rows());
  for (std::size_t i = 0; i < columns.rows(); ++i) block.mean_coefficients[i] = columns(i, r);
}

BlockCoordinates coordinates_of(const BlockNumbers& block, MatrixView<const double> points,
                                engine::Workers& workers) {
  const std::size_t r = block.singular_values.size();
  auto columns = Matrix<double>::uninitialized(block.terms(), r + 1);
  for (std::size_t i = 0; i < block.terms(); ++i) {
    for (std::size_t j = 0; j < r; ++j) {
      columns(i, j) = block.components(i, j) * block.singular_values[j];
    }
    columns(i, r) = block.mean_coefficients[i];
  }
  const auto product = engine::dense_transposed_product(points, columns, workers);
  BlockCoordinates coordinates{.root = Matrix<double>(product.view().cols_from(0, r)), .mean = {}};
  for (std::size_t i = 0; i < product.rows(); ++i) coordinates.mean.push_back(product(i, r));
  return coordinates;
}

void give_up_unseen(BlockNumbers& block, const BlockNumbers& part, const BlockCoordinates& seen) {
  const double variance =
      squared_norm(part.singular_values) - squared_norm({seen.root.data(), seen.root.size()});
  const double mean = part.weight * (part.mean_norm2 - squared_norm(seen.mean));
  block.lost += std::max(variance, 0.0);
  block.lost_mean += std::max(mean, 0.0);
  block.deviation += std::sqrt(std::max(variance, 0.0) + std::max(mean, 0.0));
}

void add_scatter(Matrix<double>& scatter, MatrixView<const double> root, engine::Workers& workers) {
  const auto product = engine::outer_product(root, workers);
  for (std::size_t i = 0; i < scatter.size(); ++i) scatter.data()[i] += product.data()[i];
}

void add_difference(Matrix<double>& scatter, double factor, std::span<const double> a,
                    std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      scatter(i, j) += factor * (a[i] - b[i]) * (a[j] - b[j]);
    }
  }
}

BlockNumbers sums_of(const BlockNumbers& a, const BlockNumbers& b) {
  BlockNumbers sums;
  sums.kernel = a.kernel;
  sums.input = a.input;
  sums.columns = a.columns;
  sums.centered = a.centered;
  sums.rows = a.rows + b.rows;
  sums.weight = a.weight + b.weight;
  sums.trace = a.trace + b.trace;
  sums.residual = a.residual + b.residual;
  sums.lost = a.lost + b.lost;
  sums.lost_mean = a.lost_mean + b.lost_mean;
  sums.deviation = std::hypot(a.deviation, b.deviation);  // of different rows
  sums.kernel_evaluations = a.kernel_evaluations + b.kernel_evaluations;
  return sums;
}

namespace {

/// Counts and sums of the rows that a library was chosen for.
BlockNumbers sums_of_rows(const GreedyLibrary& library, std::size_t rows) {
  BlockNumbers sums;
  sums.rows = rows;
  sums.weight = library.weight();
  sums.trace = library.trace();
  sums.residual = library.residual();
  sums.deviation = std::sqrt(sums.residual);
  sums.kernel_evaluations = library.kernel_evaluations();
  return sums;
}

}  // namespace

BlockNumbers block_of_library(const GreedyLibrary& library, const Kernel& kernel,
                              std::size_t columns, bool center, std::span<const double> weights,
                              const MergeOptions& options, engine::Workers& workers) {
  const auto factor = library.factor().factor();
  BlockNumbers block = sums_of_rows(library, factor.rows());
  block.kernel = kernel;
  block.columns = columns;
  block.centered = center;
  auto spread = spread_of(factor, weights, center, workers);
  set_components(block, library.landmarks(), std::move(spread.scatter), spread.mean, options);
  return block;
}

BlockNumbers block_with_rows(const BlockNumbers& block, const GreedyLibrary& library,
                             std::span<const double> weights, const MergeOptions& options,
                             engine::Workers& workers) {
  const auto factor = library.factor().factor();
  const std::size_t given = block.library.rows();
  const std::size_t rows = factor.rows() - given;
  const BlockNumbers added = sums_of_rows(library, rows);
  BlockNumbers both = sums_of(block, added);
  auto spread = spread_of(factor.rows_from(given, rows), weights, block.centered, workers);
  const auto before = coordinates_of(block, factor.rows_from(0, given), workers);
  give_up_unseen(both, block, before);
  add_scatter(spread.scatter, before.root, workers);
  add_difference(spread.scatter, block.weight * added.weight / both.weight, before.mean,
                 spread.mean);
  for (std::size_t i = 0; i < spread.mean.size(); ++i) {
    spread.mean[i] = (block.weight * before.mean[i] + added.weight * spread.mean[i]) / both.weight;
  }
  set_components(both, library.landmarks(), std::move(spread.scatter), spread.mean, options);
  return both;
}

Matrix<double> stacked_rows(MatrixView<const double> a, MatrixView<const double> b,
                            std::size_t cols) {
  auto both = Matrix<double>::uninitialized(a.rows() + b.rows(), cols);
  for (std::size_t i = 0; i < a.rows(); ++i) std::ranges::copy(a.row(i), both.row(i).begin());
  for (std::size_t i = 0; i < b.rows(); ++i) {
    std::ranges::copy(b.row(i), both.row(a.rows() + i).begin());
  }
  return both;
}

void require_room(double bytes, double memory_limit_bytes, const char* what) {
  if (bytes <= memory_limit_bytes) return;
  throw MemoryLimitError(fmt::format(
      "{} needs {}, more than the limit of {}: take smaller libraries (a larger mse, or "
      "max_library)",
      what, system::format_bytes(bytes), system::format_bytes(memory_limit_bytes)));
}

}  // namespace mercer::methods
