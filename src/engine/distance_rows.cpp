#include "engine/distance_rows.h"

#include <algorithm>
#include <cmath>

#include "engine/distance_value.h"
#include "engine/kernel_points.h"
#include "engine/kernel_value.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

constexpr std::size_t kWordBits = 64;

std::optional<DistanceForm> form_of(const Distance& distance) {
  if (std::holds_alternative<EuclideanDistance>(distance) ||
      std::holds_alternative<HellingerDistance>(distance) ||
      std::holds_alternative<CosineDistance>(distance)) {
    return DistanceForm::squared_differences;
  }
  if (std::holds_alternative<L1Distance>(distance)) return DistanceForm::differences;
  if (std::holds_alternative<Chi2Distance>(distance)) return DistanceForm::chi2;
  if (std::holds_alternative<JensenShannonDistance>(distance)) {
    return DistanceForm::jensen_shannon;
  }
  return std::nullopt;
}

/// Scaled to a largest entry of 1 on the way, so that no square overflows or vanishes.
double row_norm(std::span<const double> x) {
  double largest = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  double sum = 0;
  for (const double value : x) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

std::vector<double> shift_of(const Distance& distance, MatrixView<const double> points) {
  const auto* kernel = std::get_if<KernelDistance>(&distance);
  return kernel == nullptr ? std::vector<double>{} : distance_shift(kernel->kernel, points);
}

}  // namespace

DistanceRows::DistanceRows(const Distance& distance, MatrixView<const double> points)
    : DistanceRows(distance, points, shift_of(distance, points)) {}

DistanceRows DistanceRows::queries(MatrixView<const double> points) const {
  return {distance_, points, kernel_shift_};
}

DistanceRows::DistanceRows(const Distance& distance, MatrixView<const double> points,
                           std::span<const double> kernel_shift)
    : distance_(distance),
      points_(points),
      form_(form_of(distance)),
      kernel_shift_(kernel_shift.begin(), kernel_shift.end()) {
  if (form_) {
    prepare_numbers();
  } else if (const auto* hamming = std::get_if<HammingDistance>(&distance_)) {
    prepare_bits(hamming->threshold);
  } else if (const auto* jaccard = std::get_if<JaccardDistance>(&distance_)) {
    prepare_bits(jaccard->threshold);
  } else if (const auto* kernel = std::get_if<KernelDistance>(&distance_)) {
    kernel_rows_.emplace(kernel->kernel, points, kernel_shift_);
    kernel_diagonal_ = kernel_diagonal(kernel->kernel, points);
  }
}

void DistanceRows::prepare_numbers() {
  const bool roots = std::holds_alternative<HellingerDistance>(distance_);
  const bool units = std::holds_alternative<CosineDistance>(distance_);
  if (!roots && !units && points_.stride() == padded_columns(points_.cols())) return;
  rows_ = Matrix<double>(points_.rows(), padded_columns(points_.cols()));
  for (std::size_t i = 0; i < points_.rows(); ++i) {
    const auto x = points_.row(i);
    const double norm = units ? row_norm(x) : 1;
    for (std::size_t j = 0; j < x.size(); ++j) {
      rows_(i, j) = roots ? std::sqrt(x[j]) : units ? x[j] / norm : x[j];
    }
  }
}

void DistanceRows::prepare_bits(std::optional<double> threshold) {
  const std::size_t words = (points_.cols() + kWordBits - 1) / kWordBits;
  bits_ = Matrix<std::uint64_t>(points_.rows(), (words + kBitWords - 1) / kBitWords * kBitWords);
  const double cut = threshold.value_or(0.5);
  for (std::size_t i = 0; i < points_.rows(); ++i) {
    for (std::size_t j = 0; j < points_.cols(); ++j) {
      if (points_(i, j) > cut) bits_(i, j / kWordBits) |= std::uint64_t{1} << (j % kWordBits);
    }
  }
}

double DistanceRows::bytes(std::size_t n, std::size_t d) {
  return static_cast<double>(n) * static_cast<double>((padded_columns(d) + 1) * sizeof(double));
}

void DistanceRows::kernel_squares(const DistanceRows& from, std::size_t row,
                                  std::span<const std::size_t> columns, double* out) const {
  // KernelRows takes columns as 16-bit steps from a first one.
  constexpr std::size_t kMost = 64;
  std::vector<std::uint16_t> steps;
  for (std::size_t begin = 0; begin < columns.size(); begin += steps.size()) {
    steps.clear();
    const std::size_t first = columns[begin];
    for (std::size_t c = begin; c < columns.size() && steps.size() < kMost; ++c) {
      if (columns[c] < first || columns[c] - first > UINT16_MAX) break;
      steps.push_back(static_cast<std::uint16_t>(columns[c] - first));
    }
    kernel_rows_->values(*from.kernel_rows_, row, first, steps, out + begin);
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    out[c] = std::max(0.0, from.kernel_diagonal_[row] + kernel_diagonal_[columns[c]] - 2 * out[c]);
  }
}

void DistanceRows::squares(const DistanceRows& from, std::size_t row,
                           std::span<const std::size_t> columns, double* out) const {
  if (columns.empty()) return;
  if (form_) {
    distance_sums({.form = *form_,
                   .depth = padded_columns(points_.cols()),
                   .x = from.numbers() + row * padded_columns(points_.cols()),
                   .rows = numbers(),
                   .columns = columns,
                   .out = out});
    if (std::holds_alternative<HellingerDistance>(distance_) ||
        std::holds_alternative<CosineDistance>(distance_)) {
      for (std::size_t c = 0; c < columns.size(); ++c) out[c] /= 2;
    }
  } else if (!bits_.empty()) {
    bit_distances({.jaccard = std::holds_alternative<JaccardDistance>(distance_),
                   .words = bits_.cols(),
                   .x = from.bits_.row(row).data(),
                   .rows = bits_.data(),
                   .columns = columns,
                   .out = out});
  } else if (kernel_rows_) {
    kernel_squares(from, row, columns, out);
  } else if (const auto* given = std::get_if<PrecomputedDistance>(&distance_)) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double value = from.points_(row, columns[c]);
      out[c] = given->squared ? value : value * value;
    }
  } else {
    const auto& custom = std::get<CustomDistance>(distance_);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      out[c] = custom.squared(from.points_.row(row), points_.row(columns[c]));
    }
  }
  for (std::size_t c = 0; c < columns.size(); ++c) checked_square(out[c], row, columns[c]);
}

}  // namespace mercer::engine
