#include "engine/fourier_features.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/cos_sin.h"

namespace mercer::engine {

namespace {

Matrix<double> in_turns(MatrixView<const double> frequencies) {
  Matrix<double> turns(frequencies);
  for (std::size_t i = 0; i < turns.size(); ++i) turns.data()[i] *= 0.5 * std::numbers::inv_pi;
  return turns;
}

}  // namespace

bool has_fourier_features(const Kernel& kernel) {
  return std::holds_alternative<Gaussian>(kernel) || std::holds_alternative<Laplacian>(kernel) ||
         std::holds_alternative<LaplacianL1>(kernel) || std::holds_alternative<Matern32>(kernel) ||
         std::holds_alternative<Matern52>(kernel) ||
         std::holds_alternative<RationalQuadratic>(kernel);
}

FourierFeatures::FourierFeatures(MatrixView<const double> frequencies)
    : turns_(pack(in_turns(frequencies))),
      scale_(std::sqrt(1 / static_cast<double>(frequencies.rows()))) {}

KernelPoints<double> FourierFeatures::pack(MatrixView<const double> points) {
  return {Linear{}, points, {}};
}

void FourierFeatures::block(std::size_t b, const KernelPoints<double>& points, double* out,
                            std::size_t panel_points) const {
  const std::size_t width = panel_width<double>();
  const std::size_t panel = panel_points * width;
  auto turns = Matrix<double>::uninitialized(kBlock, kBlock);
  turns_.block(b, points, 0, turns.data());
  for (std::size_t p = 0; p * width < turns_.block_size(b); ++p) {
    cos_sin_panel(turns.data() + p * kBlock * width, points.size(), scale_, out + 2 * p * panel,
                  out + (2 * p + 1) * panel);
  }
}

void FourierFeatures::panels(MatrixView<const double> points, double* out,
                             std::size_t panel_points) const {
  const auto packed = pack(points);
  for (std::size_t b = 0; b < blocks(); ++b) {
    block(b, packed, out + b * kBlockFeatures * panel_points, panel_points);
  }
}

Matrix<double> FourierFeatures::rows(MatrixView<const double> points, Workers& workers) const {
  const std::size_t width = panel_width<double>();
  auto features = Matrix<double>::uninitialized(points.rows(), size());
  workers.for_each((points.rows() + kBlock - 1) / kBlock, [&](std::size_t task) {
    const std::size_t first = task * kBlock;
    const auto packed = pack(points.rows_from(first, std::min(kBlock, points.rows() - first)));
    auto values = Matrix<double>::uninitialized(kBlockFeatures, kBlock);
    for (std::size_t b = 0; b < blocks(); ++b) {
      block(b, packed, values.data());
      for (std::size_t i = 0; i < packed.size(); ++i) {
        double* out = &features(first + i, b * kBlockFeatures);
        for (std::size_t f = 0; f < block_size(b); ++f) {
          out[f] = values.data()[((f / width) * kBlock + i) * width + f % width];
        }
      }
    }
  });
  return features;
}

}  // namespace mercer::engine
