#include "methods/landmark_pass.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/kernel_points.h"
#include "engine/kernel_value.h"

namespace mercer::methods {

namespace {

using engine::kBlock;

/// Passes over the data; fill(rows, panels, panel_rows) writes the features of at most kBlock rows.
template <class Tile, class Scatter, class Fill>
void add_features(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set,
                  TrainingRows& data, const Fill& fill, engine::Workers& workers) {
  using Pass = engine::MomentsPass<Tile, Scatter>;
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
              fill(chunk.points.rows_from(first, std::min(kBlock, chunk.points.rows() - first)),
                   panels, panel_rows);
            },
            workers);
        sums.kernel_evaluations += static_cast<std::uint64_t>(chunk.points.rows()) * set.size();
      },
      workers);
}

template <class Tile, class Scatter>
void add_kernel_values(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set,
                       TrainingRows& data, engine::Workers& workers) {
  const auto shift = engine::distance_shift(kernel, set.points);
  const engine::KernelPoints<Tile> library(kernel, set.points.view(), shift);
  add_features<Tile, Scatter>(
      sums, kernel, set, data,
      [&](MatrixView<const double> rows, Tile* panels, std::size_t panel_rows) {
        const engine::KernelPoints<Tile> queries(kernel, rows, shift);
        for (std::size_t part = 0; part < library.blocks(); ++part) {
          library.block(part, queries, 0, panels + part * kBlock * panel_rows, panel_rows);
        }
      },
      workers);
}

/// The same for coordinates, in double.
void add_coordinates(LandmarkSums& sums, const Kernel& kernel, const LandmarkSet& set,
                     TrainingRows& data, engine::Workers& workers) {
  const LandmarkCoordinates coordinates(kernel, set);
  const std::size_t width = engine::panel_width<double>();
  add_features<double, double>(
      sums, kernel, set, data,
      [&](MatrixView<const double> rows, double* panels, std::size_t panel_rows) {
        const Matrix<double> z = coordinates.block(rows);
        for (std::size_t j = 0; j < set.size(); ++j) {
          for (std::size_t i = 0; i < rows.rows(); ++i) {
            panels[(j / width * panel_rows + i) * width + j % width] = z(j, i);
          }
        }
      },
      workers);
}

/// Squared Frobenius norm of L, the trace of K_mm: at least its largest eigenvalue.
double landmark_trace(const LandmarkSet& set) {
  double sum = 0;
  for (std::size_t i = 0; i < set.lower.size(); ++i) {
    sum += set.lower.data()[i] * set.lower.data()[i];
  }
  return sum;
}

}  // namespace

LandmarkSums landmark_sums(const LandmarkSet& set) {
  const std::size_t m = set.size();
  // The mean of the landmarks: L^T 1 / m in coordinates, K_mm 1 / m in kernel values.
  std::vector<double> coordinates(m, 0.0);
  double largest = 0;
  for (std::size_t i = 0; i < m; ++i) {
    double diagonal = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      coordinates[j] += set.lower(i, j) / static_cast<double>(m);
      diagonal += set.lower(i, j) * set.lower(i, j);
    }
    largest = std::max(largest, diagonal);
  }
  const double smallest = smallest_eigenvalue(set);
  if (0x1p-53 * largest > 1e-9 * smallest) {
    return {.moments = engine::Moments(std::move(coordinates)),
            .of_coordinates = true,
            .smallest_eigenvalue = smallest};
  }
  std::vector<double> values(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) values[i] += set.lower(i, j) * coordinates[j];
  }
  return {.moments = engine::Moments(std::move(values)), .smallest_eigenvalue = smallest};
}

double lost_to_rounding(const LandmarkSums& sums) {
  const auto mean = sums.moments.mean();
  double farthest = 0;
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const double difference = mean[j] - sums.moments.shift()[j];
    farthest = std::max(farthest, difference * difference);
  }
  const double error = 0x1p-53 * sums.moments.weight() * farthest;
  return sums.of_coordinates ? error : error / sums.smallest_eigenvalue;
}

LandmarkSpectrum spectrum_of(const LandmarkSums& sums, const LandmarkSet& set, bool center,
                             engine::Workers& workers) {
  if (sums.of_coordinates) return {sums.moments, sums.trace, center};
  return {sums.moments, set.lower, sums.trace, center, workers};
}

PassPrecision choose_precision(Precision asked, const Kernel& kernel, const LandmarkSet& set,
                               const RowSample& sample, std::size_t components, bool center,
                               std::uint64_t seed, engine::Workers& workers) {
  if (asked == Precision::float64) return {};
  if (std::holds_alternative<Custom>(kernel)) {
    return {.reason = "custom kernels are evaluated in double precision"};
  }
  LandmarkSums sums = landmark_sums(set);
  if (sums.of_coordinates) {
    return {.reason = "double instead of float: the landmarks nearly depend on each other"};
  }
  const RowSample rows = spread_rows(sample, std::max<std::size_t>(1000, 8 * components));
  TrainingRows data(rows.points, rows.weights);
  add_kernel_values<double, double>(sums, kernel, set, data, workers);
  const LandmarkSpectrum spectrum = spectrum_of(sums, set, center, workers);
  const auto pairs = spectrum.eigenpairs(set.size(), components, seed, workers);
  const auto scatter = sums.moments.scatter();
  double largest = 0;
  for (std::size_t j = 0; j < set.size(); ++j) largest = std::max(largest, scatter(j, j));
  const double smallest = sums.smallest_eigenvalue;
  const double noise = 0x1p-24 * largest / (smallest * pairs.values.back());
  if (noise <= 3e-4) {
    return {.float_values = true,
            .float_products = true,
            .reason = fmt::format("rounding noise {:.1e} of the smallest component", noise)};
  }
  const double condition = landmark_trace(set) / smallest;
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
  if (sums.of_coordinates) {
    add_coordinates(sums, kernel, set, data, workers);
  } else if (precision.float_products) {
    add_kernel_values<float, float>(sums, kernel, set, data, workers);
  } else if (precision.float_values) {
    add_kernel_values<float, double>(sums, kernel, set, data, workers);
  } else {
    add_kernel_values<double, double>(sums, kernel, set, data, workers);
  }
}

}  // namespace mercer::methods
