// Model::transform and Model::residual: z(x) = B^T f(x) + b by tiles of new points against the
// library, s (d + k) multiply-adds and s kernel values a point, O(s + k) memory a thread; with D
// random features D (d / 2 + k) multiply-adds and D cosines or sines. The degree that a normaliser
// divides by is one more column of B.

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/block_product.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/parallel.h"
#include "engine/tile.h"
#include "model/degree_normalizer.h"
#include "model/input_maps.h"
#include "model/model_state.h"

namespace mercer {

namespace {

using engine::kBlock;
using engine::padded_columns;

const Matrix<double>& padded_coefficients(const FittedParts& fitted) {
  std::call_once(fitted.padded_once, [&] {
    const ModelParts& parts = fitted.parts;
    const std::size_t k = parts.coefficients.cols();
    Matrix<double> out(parts.coefficients.rows(), padded_columns(k + 1));
    for (std::size_t i = 0; i < out.rows(); ++i) {
      std::ranges::copy(parts.coefficients.row(i), out.row(i).begin());
      if (!parts.mean_coefficients.empty()) out(i, k) = parts.mean_coefficients[i];
      if (!parts.degree_weights.empty()) out(i, k) = parts.degree_weights[i];
    }
    fitted.padded_coefficients = std::move(out);
  });
  return fitted.padded_coefficients;
}

template <class T>
const engine::KernelPoints<T>& packed_library(const FittedParts& fitted) {
  auto& packed = [&]() -> auto& {
    if constexpr (std::is_same_v<T, double>) {
      return fitted.packed_double;
    } else {
      return fitted.packed_float;
    }
  }();
  std::call_once(packed.once, [&] {
    const ModelParts& parts = fitted.parts;
    packed.points = std::make_unique<const engine::KernelPoints<T>>(
        parts.kernel, parts.library.view(), engine::distance_shift(parts.kernel, parts.library));
  });
  return *packed.points;
}

/// sums (rows x columns of b) += k(x_i, c_j) b_j for one block of points, library block by block.
template <class T>
void add_library_product(const FittedParts& fitted, MatrixView<const double> points,
                         MatrixView<const double> b, MatrixView<double> sums) {
  const auto& library = packed_library<T>(fitted);
  const engine::KernelPoints<T> queries(fitted.parts.kernel, points, library.shift());
  const std::size_t width = engine::panel_width<T>();
  auto values = Matrix<T>::uninitialized(kBlock, kBlock);
  auto promoted = Matrix<double>::uninitialized(std::is_same_v<T, float> ? kBlock : 0, kBlock);
  for (std::size_t block = 0; block < library.blocks(); ++block) {
    library.block(block, queries, 0, values.data());
    const double* product_values = nullptr;
    if constexpr (std::is_same_v<T, double>) {
      product_values = values.data();
    } else {
      engine::promote(values.data(), values.size(), promoted.data());
      product_values = promoted.data();
    }
    const std::size_t rows = library.block_size(block);
    engine::add_block_times(product_values, width, rows, points.rows(),
                            b.rows_from(block * kBlock, rows), sums);
  }
}

const engine::FourierFeatures& packed_features(const FittedParts& fitted) {
  std::call_once(fitted.features_once, [&] {
    fitted.features =
        std::make_unique<const engine::FourierFeatures>(fitted.parts.frequencies.view());
  });
  return *fitted.features;
}

/// The same with random features in the place of kernel values.
void add_features_product(const FittedParts& fitted, MatrixView<const double> points,
                          MatrixView<const double> b, MatrixView<double> sums) {
  const auto& features = packed_features(fitted);
  const auto packed = engine::FourierFeatures::pack(points);
  auto values = Matrix<double>::uninitialized(engine::FourierFeatures::kBlockFeatures, kBlock);
  for (std::size_t block = 0; block < features.blocks(); ++block) {
    features.block(block, packed, values.data());
    const std::size_t rows = features.block_size(block);
    engine::add_block_times(values.data(), engine::panel_width<double>(), rows, points.rows(),
                            b.rows_from(block * engine::FourierFeatures::kBlockFeatures, rows),
                            sums);
  }
}

/// The feature map is the point itself: linear and precomputed kernels.
void add_direct_product(MatrixView<const double> points, MatrixView<const double> b,
                        MatrixView<double> sums) {
  engine::multiply_add({.m = points.rows(),
                        .n = b.cols(),
                        .k = points.cols(),
                        .a = points.data(),
                        .a_row_stride = points.stride(),
                        .a_col_stride = 1,
                        .b = b.data(),
                        .b_stride = b.stride(),
                        .c = sums.data(),
                        .c_stride = sums.stride()});
}

/// Whether kernel values of rows of T are floats: custom kernels take rows of doubles only.
template <class T>
bool uses_single_precision(const Kernel& kernel) {
  return std::is_same_v<T, float> && !std::holds_alternative<Custom>(kernel);
}

/// Calls use(first row, mapped points, sums) for every block of rows, sums being the first
/// `columns` columns of features(points) * [B, mean or degree weights].
template <class T, class Use>
void for_each_block(const FittedParts& fitted, const InputMaps& input, MatrixView<const T> points,
                    std::size_t columns, const RunOptions& run, const Use& use) {
  const ModelParts& parts = fitted.parts;
  const model::RowMapper mapper(input);
  const auto b = padded_coefficients(fitted).view().cols_from(0, padded_columns(columns));
  engine::Workers workers(run);
  workers.begin_phase("transform");
  workers.for_each((points.rows() + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const auto raw = points.rows_from(first, std::min(kBlock, points.rows() - first));
    auto rows = Matrix<double>::uninitialized(raw.rows(), raw.cols());
    for (std::size_t i = 0; i < raw.rows(); ++i) {
      std::ranges::copy(raw.row(i), rows.row(i).begin());
    }
    const Matrix<double> mapped = mapper.points(std::move(rows), first);
    engine::check_new_points(parts.kernel, mapped.view(), first);
    Matrix<double> sums(raw.rows(), b.cols());
    if (!parts.frequencies.empty()) {
      add_features_product(fitted, mapped, b, sums);
    } else if (parts.library.empty()) {
      add_direct_product(mapped, b, sums);
    } else if (uses_single_precision<T>(parts.kernel)) {
      add_library_product<float>(fitted, mapped, b, sums);
    } else {
      add_library_product<double>(fitted, mapped, b, sums);
    }
    use(first, mapped.view(), sums.view());
  });
}

void check_width(const Model& model, std::size_t cols) {
  if (cols == model.input_columns()) return;
  throw DataError(fmt::format("the points have {} columns, the model was fitted on {}{}", cols,
                              model.input_columns(),
                              std::holds_alternative<Precomputed>(model.kernel())
                                  ? " (precomputed: one kernel value for each training point)"
                                  : ""));
}

template <class T>
Matrix<T> scores(const Model& model, const FittedParts& fitted, const InputMaps& input,
                 MatrixView<const T> points, const RunOptions& run) {
  check_width(model, points.cols());
  const ModelParts& parts = fitted.parts;
  const std::size_t k = model.components();
  auto z = Matrix<T>::uninitialized(points.rows(), k);
  const auto fill = [&](std::size_t columns, const auto& value) {
    for_each_block(fitted, input, points, columns, run,
                   [&](std::size_t first, MatrixView<const double>, MatrixView<const double> sums) {
                     for (std::size_t i = 0; i < sums.rows(); ++i) {
                       for (std::size_t j = 0; j < k; ++j) {
                         z(first + i, j) = static_cast<T>(value(sums.row(i), j));
                       }
                     }
                   });
  };
  if (parts.degree_weights.empty()) {
    fill(k, [&](std::span<const double> sums, std::size_t j) { return sums[j] + parts.offset[j]; });
    return z;
  }
  const model::DegreeNormalizer normalizer(parts.degree_weights, parts.degree_shift,
                                           uses_single_precision<T>(parts.kernel));
  fill(k + 1, [&](std::span<const double> sums, std::size_t j) {
    return (sums[j] + parts.offset[j]) / normalizer.divisor(sums[k], j);
  });
  return z;
}

}  // namespace

Matrix<double> Model::transform(MatrixView<const double> points, const RunOptions& run) const {
  return scores(*this, *state_->fitted, state_->input, points, run);
}

Matrix<float> Model::transform(MatrixView<const float> points, const RunOptions& run) const {
  return scores(*this, *state_->fitted, state_->input, points, run);
}

std::vector<double> Model::residual(MatrixView<const double> points, const RunOptions& run) const {
  const ModelParts& parts = state_->fitted->parts;
  if (std::holds_alternative<Precomputed>(parts.kernel)) {
    throw InvalidArgument(
        "residuals need k(x, x), which rows of a precomputed kernel do not contain");
  }
  if (!parts.degree_weights.empty()) {
    throw InvalidArgument(
        "the components of this model are functions on a graph, divided by the degree of the "
        "point: they are no projections in feature space, so there are no residuals");
  }
  if (parts.centered && parts.mean_coefficients.empty()) {
    throw InvalidArgument("this model keeps no feature-space mean, so it has no residuals");
  }
  check_width(*this, points.cols());
  const std::size_t k = components();
  std::vector<double> residuals(points.rows());
  for_each_block(
      *state_->fitted, state_->input, points, k + 1, run,
      [&](std::size_t first, MatrixView<const double> mapped, MatrixView<const double> sums) {
        const auto self = engine::kernel_diagonal(parts.kernel, mapped);
        for (std::size_t i = 0; i < sums.rows(); ++i) {
          // |phi(x) - mean|^2 less the part inside the subspace.
          double rest = self[i];
          if (parts.centered) rest += parts.mean_norm2 - 2 * sums(i, k);
          for (std::size_t j = 0; j < k; ++j) {
            const double z = sums(i, j) + parts.offset[j];
            rest -= z * z;
          }
          residuals[first + i] = std::max(rest, 0.0);
        }
      });
  return residuals;
}

}  // namespace mercer
