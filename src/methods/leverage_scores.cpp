// C. Musco, C. Musco: Recursive Sampling for the Nystroem Method, NIPS 2017 (Algorithm 3 with a
// fixed number of samples, as in the authors' experiments).
//
//   n, m        rows, rows to choose
//   K' , kappa' kernel matrix of the weighted rows, sqrt(w_i w_j) k(x_i, x_j), and its diagonal
//   S, v        the current sample and its scales
//   mu          ridge of the current level;  q the rank that it leaves out;  o = ln m oversampling
//
// Half of the rows, chosen uniformly, give scores that are good enough to sample all rows with;
// those of the half come from a quarter, and so on down to m rows. The scores of a level cost
// |rows of the level| |S|^2, a geometric sum.
//
// Prefer it to uniform rows where clusters differ in size; randomly pivoted Cholesky finds rare
// rows more surely.

#include "methods/leverage_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "engine/blas.h"
#include "engine/kernel_matrix.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/tile.h"
#include "engine/triangular.h"

namespace mercer::methods {

namespace {

using engine::kBlock;

/// Rows whose kernel values with the sample are computed together; a multiple of kBlock.
constexpr std::size_t kChunkRows = 2 * kBlock;

// Ridges as shares of the mean of kappa': where the sample is no larger than q, and the least one.
constexpr double kRidgeOfSmallSample = 1e-5;
constexpr double kLeastRidge = 1e-10;

/// A level's sample has about m rows. Where it would have far more (many rows that the level below
/// does not explain at all) a uniform part of it is taken, to keep memory and time in bounds.
constexpr std::size_t kLargestSample = 3;  // times m

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1 : weights[row];
}

/// The given rows of the points; of a precomputed kernel, their values with the sample.
Matrix<double> gather(const Kernel& kernel, MatrixView<const double> points,
                      std::span<const std::size_t> rows, std::span<const std::size_t> sample) {
  const bool precomputed = std::holds_alternative<Precomputed>(kernel);
  Matrix<double> gathered(rows.size(), precomputed ? sample.size() : points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < gathered.cols(); ++j) {
      gathered(i, j) = points(rows[i], precomputed ? sample[j] : j);
    }
  }
  return gathered;
}

/// Factor of A + mu I, and mu.
struct RidgeFactor {
  double mu = 0;
  engine::LowerTriangle triangle;
};

RidgeFactor factor_with_ridge(const Matrix<double>& a, std::size_t kept, double mean_diagonal) {
  double mu = kRidgeOfSmallSample * mean_diagonal;
  if (kept < a.rows()) {
    auto work = a;
    const auto values = engine::symmetric_eigenvalues(work);
    const double tail =
        std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(kept), values.end(), 0.0);
    mu = std::max(tail / static_cast<double>(kept), kLeastRidge * mean_diagonal);
  }
  // Rounding, or a kernel that is not positive semi-definite, may ask for more; the trace is
  // enough.
  for (;; mu *= 10) {
    auto factor = a;
    for (std::size_t i = 0; i < a.rows(); ++i) factor(i, i) += mu;
    if (engine::cholesky_lower(factor)) return {mu, engine::LowerTriangle(factor)};
  }
}

/// Columns of the sample in units of their scales.
std::vector<double> sample_factors(std::span<const double> weights, const WeightedSample& sample) {
  std::vector<double> factors(sample.rows.size());
  for (std::size_t j = 0; j < factors.size(); ++j) {
    factors[j] = sample.scales[j] * std::sqrt(weight_of(weights, sample.rows[j]));
  }
  return factors;
}

/// Adds up |L^-1 t|^2 of the rows in block `block` of `rows`, for unit weights of those rows.
void explained_by_sample(const engine::KernelPoints<double>& rows, std::size_t block,
                         const engine::KernelPoints<double>& sample,
                         std::span<const double> factors, const engine::LowerTriangle& triangle,
                         std::span<double> explained) {
  const std::size_t width = engine::panel_width<double>();
  const std::size_t panels = (rows.block_size(block) + width - 1) / width;
  // One column of t per row of the block, so that a solve takes the whole block at once.
  Matrix<double> t(sample.size(), kBlock);
  std::vector<double> tile(kBlock * kBlock);
  for (std::size_t sample_block = 0; sample_block < sample.blocks(); ++sample_block) {
    rows.block(block, sample, sample_block, tile.data());
    for (std::size_t j = 0; j < sample.block_size(sample_block); ++j) {
      const std::size_t column = sample_block * kBlock + j;
      for (std::size_t panel = 0; panel < panels; ++panel) {
        const double* values = tile.data() + (panel * kBlock + j) * width;
        double* out = &t(column, panel * width);
        for (std::size_t lane = 0; lane < width; ++lane) out[lane] = factors[column] * values[lane];
      }
    }
  }
  triangle.solve(t);
  for (std::size_t j = 0; j < t.rows(); ++j) {
    for (std::size_t i = 0; i < explained.size(); ++i) explained[i] += t(j, i) * t(j, i);
  }
}

/// Keeps each of the rows (in random order) with probability min(1, o l).
WeightedSample keep_by_scores(std::span<const std::size_t> rows, std::span<const double> scores,
                              double oversampling, std::size_t m,
                              const engine::RandomStream& stream) {
  WeightedSample sample;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double p = std::min(1.0, oversampling * scores[i]);
    if (!(stream.uniform(i) < p)) continue;
    sample.rows.push_back(rows[i]);
    sample.scales.push_back(1 / std::sqrt(p));
  }
  if (sample.rows.empty()) {
    const std::size_t count = std::min(m, rows.size());
    sample.rows.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
    sample.scales.assign(count,
                         std::sqrt(static_cast<double>(rows.size()) / static_cast<double>(count)));
  }
  const std::size_t largest = kLargestSample * m;
  if (sample.rows.size() > largest) {
    const double rest =
        std::sqrt(static_cast<double>(sample.rows.size()) / static_cast<double>(largest));
    sample.rows.resize(largest);
    sample.scales.resize(largest);
    for (double& scale : sample.scales) scale *= rest;
  }
  return sample;
}

/// m of the rows one after the other, each in proportion to its mass among those left: the smallest
/// of exponential variables with the masses as rates (Efraimidis & Spirakis 2006). Rows without
/// mass come last, uniformly.
std::vector<std::size_t> draw_without_replacement(std::span<const std::size_t> rows,
                                                  std::span<const double> masses, std::size_t m,
                                                  const engine::RandomStream& stream) {
  std::vector<std::tuple<double, double, std::size_t>> keys;
  keys.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double exponential = -std::log1p(-stream.uniform(i));
    const double key =
        masses[i] > 0 ? exponential / masses[i] : std::numeric_limits<double>::infinity();
    keys.emplace_back(key, exponential, rows[i]);
  }
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(m, keys.size()));
  std::partial_sort(keys.begin(), end, keys.end());
  std::vector<std::size_t> drawn;
  std::transform(keys.begin(), end, std::back_inserter(drawn),
                 [](const auto& key) { return std::get<2>(key); });
  return drawn;
}

}  // namespace

std::vector<double> ridge_leverage_scores(const Kernel& kernel, MatrixView<const double> points,
                                          std::span<const double> weights,
                                          std::span<const std::size_t> rows,
                                          const WeightedSample& sample, std::size_t kept,
                                          engine::Workers& workers) {
  auto diagonal = engine::kernel_diagonal(kernel, points);
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] *= weight_of(weights, i);
  const double mean_diagonal =
      std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(diagonal.size());
  if (!(mean_diagonal > 0)) return std::vector<double>(rows.size(), 0.0);

  const auto factors = sample_factors(weights, sample);
  const auto sample_points = gather(kernel, points, sample.rows, sample.rows);
  const auto shift = engine::distance_shift(kernel, sample_points);
  const engine::KernelPoints<double> columns(kernel, sample_points, shift);
  auto a = engine::kernel_matrix(kernel, sample_points, sample_points, workers);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) a(i, j) *= factors[i] * factors[j];
    a(i, i) = sample.scales[i] * sample.scales[i] * diagonal[sample.rows[i]];
  }
  const RidgeFactor ridge = factor_with_ridge(a, kept, mean_diagonal);

  std::vector<double> scores(rows.size());
  workers.for_each((rows.size() + kChunkRows - 1) / kChunkRows, [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunkRows;
    const auto chunk_rows = rows.subspan(begin, std::min(kChunkRows, rows.size() - begin));
    const auto chunk_points = gather(kernel, points, chunk_rows, sample.rows);
    const engine::KernelPoints<double> tiles(kernel, chunk_points, shift);
    std::vector<double> explained(chunk_rows.size(), 0.0);
    for (std::size_t block = 0; block < tiles.blocks(); ++block) {
      explained_by_sample(tiles, block, columns, factors, ridge.triangle,
                          std::span(explained).subspan(block * kBlock, tiles.block_size(block)));
    }
    for (std::size_t i = 0; i < chunk_rows.size(); ++i) {
      const std::size_t row = chunk_rows[i];
      const double left = diagonal[row] - weight_of(weights, row) * explained[i];
      scores[begin + i] = std::max(left / ridge.mu, 0.0);
    }
  });
  return scores;
}

std::vector<std::size_t> leverage_score_rows(const Kernel& kernel, MatrixView<const double> points,
                                             std::span<const double> weights, std::size_t m,
                                             const engine::RandomStream& stream,
                                             engine::Workers& workers) {
  const std::size_t n = points.rows();
  // Nested sets: the first n, n/2, n/4, ... rows of one random order.
  auto order = engine::sample_without_replacement(n, n, stream.substream(0));
  if (m >= n) return order;
  if (m == 0) return {};
  const double oversampling = std::log(std::max(static_cast<double>(m), 2.0));
  const auto kept =
      static_cast<std::size_t>(std::ceil(static_cast<double>(m) / (4 * oversampling)));
  std::vector<std::size_t> sizes = {n};
  while (sizes.back() > m) sizes.push_back((sizes.back() + 1) / 2);

  WeightedSample sample{
      .rows = {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(sizes.back())},
      .scales = std::vector<double>(sizes.back(), 1.0)};
  for (std::size_t level = sizes.size() - 2;; --level) {
    const auto rows = std::span(order).first(sizes[level]);
    auto scores = ridge_leverage_scores(kernel, points, weights, rows, sample, kept, workers);
    const auto level_stream = stream.substream(level + 1);
    if (level == 0) {
      for (double& score : scores) score = std::min(score, 1.0);
      return draw_without_replacement(rows, scores, m, level_stream);
    }
    sample = keep_by_scores(rows, scores, oversampling, m, level_stream);
  }
}

}  // namespace mercer::methods
