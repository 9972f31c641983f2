#include "methods/factor_moments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/tile.h"

namespace mercer::methods {

namespace {

std::vector<double> weighted_mean(MatrixView<const double> factor,
                                  std::span<const double> weights) {
  std::vector<double> mean(factor.cols(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < factor.rows(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    total += weight;
    for (std::size_t j = 0; j < factor.cols(); ++j) mean[j] += weight * factor(i, j);
  }
  for (double& value : mean) value /= total;
  return mean;
}

}  // namespace

engine::Moments factor_moments(MatrixView<const double> factor, std::span<const double> weights,
                               engine::Workers& workers) {
  using Pass = engine::MomentsPass<double, double>;
  engine::Moments moments(weighted_mean(factor, weights));
  Pass pass(moments);
  const std::size_t width = engine::panel_width<double>();
  for (std::size_t first = 0; first < factor.rows(); first += Pass::kChunkRows) {
    const std::size_t rows = std::min(Pass::kChunkRows, factor.rows() - first);
    pass.add(
        rows, weights.empty() ? weights : weights.subspan(first, rows),
        [&](std::size_t block, double* panels, std::size_t panel_rows) {
          const std::size_t begin = block * engine::kBlock;
          for (std::size_t i = begin; i < std::min(begin + engine::kBlock, rows); ++i) {
            const auto row = factor.row(first + i);
            for (std::size_t j = 0; j < row.size(); ++j) {
              panels[(j / width * panel_rows + (i - begin)) * width + j % width] = row[j];
            }
          }
        },
        workers);
  }
  return moments;
}

}  // namespace mercer::methods
