#include "model/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/block_product.h"
#include "engine/tile.h"

namespace mercer::model {

namespace {

using engine::kBlock;

constexpr double kCancelled = 1e-3;

/// Multiplies a block of kernel values, [panel][point][library point in panel], by the gamma of the
/// points, and adds the absolute values to `magnitudes`.
void weigh(double* values, std::size_t width, std::size_t rows, std::size_t first,
           MatrixView<const double> gamma, std::span<const std::size_t> points,
           std::span<double> magnitudes) {
  for (std::size_t panel = 0; panel * width < rows; ++panel) {
    const std::size_t count = std::min(width, rows - panel * width);
    for (std::size_t i = 0; i < points.size(); ++i) {
      double* value = values + (panel * kBlock + i) * width;
      const double* factor = &gamma(points[i], first + panel * width);
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j) {
        value[j] *= factor[j];
        sum += std::abs(value[j]);
      }
      magnitudes[i] += sum;
    }
  }
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                               [](double x, double y) { return (x - y) * (x - y); });
}

double spread_of(MatrixView<const double> points) {
  const auto n = static_cast<double>(points.rows());
  std::vector<double> mean(points.cols(), 0.0);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.cols(); ++j) mean[j] += points(i, j) / n;
  }
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) sum += squared_distance(points.row(i), mean) / n;
  return std::sqrt(sum);
}

}  // namespace

FixedPoint::FixedPoint(const engine::RadialKernel& kernel, MatrixView<const double> library,
                       const PreimageOptions& options)
    : kernel_(kernel),
      fall_(*kernel.fall()),
      fall_profile_(*engine::RadialKernel::of(fall_)),
      options_(options),
      middle_(engine::distance_shift(fall_, library)),
      library_(fall_, library, middle_),
      targets_(library.rows(), engine::padded_columns(library.cols() + 1)),
      spread_(spread_of(library)) {
  const std::size_t d = library.cols();
  for (std::size_t j = 0; j < library.rows(); ++j) {
    for (std::size_t c = 0; c < d; ++c) targets_(j, c) = library(j, c) - middle_[c];
    targets_(j, d) = 1;
  }
}

bool FixedPoint::weighted_mean(std::span<const double> sums, double magnitude,
                               std::span<double> mean) const {
  const double total = sums[mean.size()];
  if (!(total > kCancelled * magnitude)) return false;
  for (std::size_t c = 0; c < mean.size(); ++c) mean[c] = middle_[c] + sums[c] / total;
  return true;
}

std::vector<FixedPoint::Iterations> FixedPoint::iterate(MatrixView<const double> gamma,
                                                        MatrixView<double> z) const {
  const std::size_t d = z.cols();
  const std::size_t width = engine::panel_width<double>();
  std::vector<Iterations> results(z.rows());
  std::vector<std::size_t> moving(z.rows());
  std::iota(moving.begin(), moving.end(), std::size_t{0});
  auto values = Matrix<double>::uninitialized(kBlock, kBlock);
  std::vector<double> next(d);
  for (std::size_t step = 1; step <= options_.max_iterations && !moving.empty(); ++step) {
    auto points = Matrix<double>::uninitialized(moving.size(), d);
    for (std::size_t i = 0; i < moving.size(); ++i) {
      std::ranges::copy(z.row(moving[i]), points.row(i).begin());
    }
    const engine::KernelPoints<double> queries(fall_, std::as_const(points).view(), middle_);
    Matrix<double> sums(moving.size(), targets_.cols());
    std::vector<double> magnitudes(moving.size(), 0.0);
    for (std::size_t block = 0; block < library_.blocks(); ++block) {
      const std::size_t first = block * kBlock;
      const std::size_t rows = library_.block_size(block);
      library_.block(block, queries, 0, values.data());
      weigh(values.data(), width, rows, first, gamma, moving, magnitudes);
      engine::add_block_times(values.data(), width, rows, moving.size(),
                              targets_.view().rows_from(first, rows), sums);
    }
    std::vector<std::size_t> still_moving;
    for (std::size_t i = 0; i < moving.size(); ++i) {
      Iterations& result = results[moving[i]];
      result.count = step;
      if (!weighted_mean(sums.row(i), magnitudes[i], next)) {
        result.outcome = Outcome::cancelled;
        continue;
      }
      const auto point = z.row(moving[i]);
      const double moved = std::sqrt(squared_distance(point, next));
      std::ranges::copy(next, point.begin());
      if (moved <= options_.tolerance * spread_) {
        result.outcome = Outcome::converged;
      } else {
        still_moving.push_back(moving[i]);
      }
    }
    moving = std::move(still_moving);
  }
  return results;
}

bool FixedPoint::one_step(std::span<const double> gamma, std::span<const double> products,
                          std::span<double> z) const {
  const bool same = std::holds_alternative<Gaussian>(fall_);
  std::vector<double> sums(targets_.cols(), 0.0);
  double magnitude = 0;
  for (std::size_t j = 0; j < targets_.rows(); ++j) {
    // A product is a kernel value at the distance of some point; rounding may take it out of them.
    constexpr double kSmallest = 1e-8;
    const double value =
        same ? products[j]
             : fall_profile_.value(kernel_.distance(std::clamp(products[j], kSmallest, 1.0)));
    const double weight = gamma[j] * value;
    magnitude += std::abs(weight);
    const auto target = targets_.row(j);
    for (std::size_t c = 0; c < target.size(); ++c) sums[c] += weight * target[c];
  }
  return weighted_mean(sums, magnitude, z);
}

}  // namespace mercer::model
