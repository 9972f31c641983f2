#include "engine/residual_energies.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// Adds the squares of a tile, [row panel][column][row in panel], by row; columns have weights.
template <class Weight>
void add_squares(const double* tile, std::size_t rows, std::size_t cols, const Weight& weight,
                 std::array<double, kBlock>& sums) {
  const std::size_t width = panel_width<double>();
  for (std::size_t panel = 0; panel * width < rows; ++panel) {
    for (std::size_t j = 0; j < cols; ++j) {
      const double* values = tile + (panel * kBlock + j) * width;
      for (std::size_t i = 0; i < width; ++i) {
        sums[panel * width + i] += weight(j) * values[i] * values[i];
      }
    }
  }
}

}  // namespace

ResidualEnergies::ResidualEnergies(const Kernel& kernel, MatrixView<const double> points,
                                   PartialCholesky& factor, std::span<const double> weights,
                                   bool stored, Workers& workers)
    : factor_(factor),
      weights_(weights),
      workers_(workers),
      packed_(kernel, points, distance_shift(kernel, points)),
      gram_(make_gram(kernel, points, {.stored = stored}, workers)),
      energies_(points.rows(), 0.0) {
  refresh();
  refreshes_ = 0;
}

bool ResidualEnergies::worn() const {
  constexpr double kWorn = 1e-6;
  return std::accumulate(energies_.begin(), energies_.end(), 0.0) < kWorn * sum_at_refresh_;
}

std::uint64_t ResidualEnergies::kernel_evaluations() const {
  return evaluations_ + gram_->kernel_evaluations();
}

void ResidualEnergies::downdate() {
  const std::size_t n = energies_.size();
  const std::size_t last = factor_.rank() - 1;
  const auto g = factor_.factor();
  // W g as the first column of a block; the others stay 0.
  Matrix<double> weighted(n, kProductColumns);
  Matrix<double> h(n, kProductColumns);
  double norm2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    weighted(i, 0) = weight(i) * g(i, last);
    norm2 += weighted(i, 0) * g(i, last);
  }
  gram_->multiply(weighted, h, workers_);
  // What the columns before explain: G (G^T W g).
  std::vector<double> products(last, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < last; ++c) products[c] += g(i, c) * weighted(i, 0);
  }
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    for (std::size_t i = first; i < first + packed_.block_size(block); ++i) {
      double left = h(i, 0);
      for (std::size_t c = 0; c < last; ++c) left -= g(i, c) * products[c];
      const double value = g(i, last);
      energies_[i] = std::max(energies_[i] - 2 * value * left + value * value * norm2, 0.0);
    }
  });
}

void ResidualEnergies::refresh() {
  factor_.refresh_residuals();
  const auto g = factor_.factor();
  const std::size_t width = panel_width<double>();
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = packed_.block_size(block);
    Matrix<double> negative(g.cols(), kBlock);  // -G^T of the rows of the block
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < g.cols(); ++c) negative(c, i) = -g(first + i, c);
    }
    std::vector<double> tile(kBlock * kBlock);
    std::array<double, kBlock> sums{};
    for (std::size_t other = 0; other < packed_.blocks(); ++other) {
      const std::size_t cols = packed_.block_size(other);
      packed_.block(block, packed_, other, tile.data());
      for (std::size_t panel = 0; panel * width < count; ++panel) {
        multiply_add({.m = cols,
                      .n = width,
                      .k = g.cols(),
                      .a = g.data() + other * kBlock * g.stride(),
                      .a_row_stride = g.stride(),
                      .a_col_stride = 1,
                      .b = negative.data() + panel * width,
                      .b_stride = kBlock,
                      .c = tile.data() + panel * kBlock * width,
                      .c_stride = width});
      }
      add_squares(
          tile.data(), count, cols, [&](std::size_t j) { return weight(other * kBlock + j); },
          sums);
      workers_.poll();
    }
    std::copy_n(sums.begin(), count, energies_.begin() + static_cast<std::ptrdiff_t>(first));
  });
  evaluations_ += static_cast<std::uint64_t>(packed_.size()) * packed_.size();
  sum_at_refresh_ = std::accumulate(energies_.begin(), energies_.end(), 0.0);
  ++refreshes_;
}

}  // namespace mercer::engine
