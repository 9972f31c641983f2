#include "methods/landmark_angle.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/blas.h"
#include "engine/block_product.h"
#include "engine/kernel_points.h"
#include "engine/tall.h"
#include "engine/tile.h"

namespace mercer::methods {

namespace {

using engine::kBlock;
using engine::KernelPoints;

/// Unit eigenvectors over rows, u_j(x) = sqrt(w) (B_j^T k_C(x) + b_j) / sqrt(lambda_j), for any
/// rows.
class Eigenvectors {
 public:
  Eigenvectors(const Kernel& kernel, const LandmarkSet& set, const LandmarkSpectrum& spectrum,
               const engine::EigenPairs& pairs, std::size_t count, bool center,
               std::span<const double> shift)
      : library_(kernel, set.points.view(), shift),
        coefficients_(set.size(), engine::padded_columns(count)),
        offset_(count, 0.0) {
    for (std::size_t j = 0; j < count; ++j) {
      const double scale = 1 / std::sqrt(pairs.values[j]);
      for (std::size_t i = 0; i < set.size(); ++i) {
        coefficients_(i, j) = scale * pairs.vectors(j, i);
        if (center) offset_[j] -= coefficients_(i, j) * spectrum.mean()[i];
      }
    }
    engine::solve_lower_transposed(set.lower, coefficients_);
  }

  std::size_t count() const { return offset_.size(); }
  double offset(std::size_t j) const { return offset_[j]; }

  /// B^T k_C(x) / sqrt(lambda) of the points in one block, without offset: kBlock rows.
  Matrix<double> block(const KernelPoints<double>& points, std::size_t block) const {
    const std::size_t width = engine::panel_width<double>();
    std::vector<double> tile(kBlock * kBlock);
    Matrix<double> values(kBlock, coefficients_.cols());
    for (std::size_t part = 0; part < library_.blocks(); ++part) {
      library_.block(part, points, block, tile.data());
      engine::add_block_times(
          tile.data(), width, library_.block_size(part), points.block_size(block),
          coefficients_.view().rows_from(part * kBlock, library_.block_size(part)), values);
    }
    return values;
  }

 private:
  KernelPoints<double> library_;
  Matrix<double> coefficients_;
  std::vector<double> offset_;
};

double weight_of(std::span<const double> weights, std::size_t i) {
  return weights.empty() ? 1 : weights[i];
}

/// K W^1/2 u at the rows of the sample, by one pass over all rows.
Matrix<double> kernel_products(const Kernel& kernel, const KernelPoints<double>& sample,
                               const Eigenvectors& u, TrainingRows& data,
                               engine::Workers& workers) {
  constexpr std::size_t kChunkRows = 20 * kBlock;
  const std::size_t width = engine::panel_width<double>();
  Matrix<double> products(sample.size(), engine::padded_columns(u.count()));
  data.for_each_chunk(
      kChunkRows,
      [&](const Chunk& chunk) {
        const KernelPoints<double> rows(kernel, chunk.points, sample.shift());
        Matrix<double> weighted(rows.size(), products.cols());
        workers.for_each(rows.blocks(), [&](std::size_t block) {
          const Matrix<double> values = u.block(rows, block);
          for (std::size_t i = 0; i < rows.block_size(block); ++i) {
            const std::size_t row = block * kBlock + i;
            for (std::size_t j = 0; j < u.count(); ++j) {
              weighted(row, j) = weight_of(chunk.weights, row) * (values(i, j) + u.offset(j));
            }
          }
        });
        // Every part of the sample by one thread, rows in their order: the same bits always.
        workers.for_each(sample.blocks(), [&](std::size_t part) {
          std::vector<double> tile(kBlock * kBlock);
          for (std::size_t block = 0; block < rows.blocks(); ++block) {
            const std::size_t count = rows.block_size(block);
            rows.block(block, sample, part, tile.data());
            engine::add_block_times(
                tile.data(), width, count, sample.block_size(part),
                weighted.view().rows_from(block * kBlock, count),
                products.view().rows_from(part * kBlock, sample.block_size(part)));
          }
        });
      },
      workers);
  return products;
}

}  // namespace

double first_order_sine(std::span<const double> eigenvalues, MatrixView<const double> inside,
                        MatrixView<const double> products) {
  const std::size_t count = products.rows();
  Matrix<double> squares(count, count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      double outside = products(a, b);
      for (std::size_t j = 0; j < inside.rows(); ++j) {
        const double product = inside(j, a) * inside(j, b);
        outside -= product;
        if (j < count) continue;
        squares(a, b) +=
            product / ((eigenvalues[a] - eigenvalues[j]) * (eigenvalues[b] - eigenvalues[j]));
      }
      squares(a, b) += outside / (eigenvalues[a] * eigenvalues[b]);
    }
  }
  const double largest = engine::symmetric_eigenvalues(squares).front();
  return std::min(std::sqrt(std::max(largest, 0.0)), 1.0);
}

double sampled_first_order_sine(const Kernel& kernel, const LandmarkSet& set,
                                const LandmarkSpectrum& spectrum, bool center, std::size_t count,
                                const RowSample& sample, TrainingRows& data, std::uint64_t seed,
                                std::uint64_t& evaluations, engine::Workers& workers) {
  const std::size_t m = spectrum.size();
  const auto pairs = spectrum.eigenpairs(m, std::min(3 * count, m), seed, workers);
  std::size_t rank = 0;
  while (rank < pairs.values.size() && pairs.values[rank] > 1e-12 * pairs.values[0]) ++rank;
  count = std::min(count, rank);
  const auto shift = engine::distance_shift(kernel, set.points);
  const KernelPoints<double> points(kernel, sample.points.view(), shift);
  const Eigenvectors top(kernel, set, spectrum, pairs, count, center, shift);
  const Eigenvectors all(kernel, set, spectrum, pairs, rank, center, shift);
  Matrix<double> y = kernel_products(kernel, points, top, data, workers);

  // K' W^1/2 u_j = Z V_j sqrt(lambda_j), as u = W^1/2 (Z - mean) V lambda^-1/2 and Z^T W (Z - mean)
  // is the scatter: what is left of y is R u.
  const std::size_t s = points.size();
  Matrix<double> u(s, engine::padded_columns(rank));
  std::vector<double> mean(count, 0.0);
  for (std::size_t block = 0; block < points.blocks(); ++block) {
    const Matrix<double> values = all.block(points, block);
    for (std::size_t i = 0; i < points.block_size(block); ++i) {
      const std::size_t row = block * kBlock + i;
      const double root = std::sqrt(weight_of(sample.weights, row));
      for (std::size_t j = 0; j < rank; ++j) u(row, j) = root * (values(i, j) + all.offset(j));
      for (std::size_t j = 0; j < count; ++j) {
        y(row, j) = root * (y(row, j) - pairs.values[j] * values(i, j));
        mean[j] += root * y(row, j);
      }
    }
  }
  const auto n = static_cast<double>(*data.rows());
  const double per_row = n / static_cast<double>(s);
  if (center) {
    for (std::size_t i = 0; i < s; ++i) {
      const double root = std::sqrt(weight_of(sample.weights, i));
      for (std::size_t j = 0; j < count; ++j) {
        y(i, j) -= root * per_row * mean[j] / spectrum.weight();
      }
    }
  }
  auto inside = engine::transposed_product(u.view().cols_from(0, rank), y, workers);
  auto products = engine::transposed_product(y.view().cols_from(0, count), y, workers);
  for (std::size_t i = 0; i < inside.size(); ++i) inside.data()[i] *= per_row;
  for (std::size_t i = 0; i < products.size(); ++i) products.data()[i] *= per_row;
  evaluations += (static_cast<std::uint64_t>(*data.rows()) + s) * m +
                 static_cast<std::uint64_t>(*data.rows()) * s;
  return first_order_sine(pairs.values, inside, products);
}

}  // namespace mercer::methods
