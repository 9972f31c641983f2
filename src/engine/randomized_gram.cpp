#include "engine/randomized_gram.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "engine/kernel_points.h"
#include "engine/kernel_rows.h"
#include "engine/kernel_value.h"
#include "engine/tall.h"

namespace mercer::engine {

namespace {

/// The points and the rows of K0's factors, made ready for kernel values and inner products.
template <class Set>
struct Factors {
  Factors(const Kernel& kernel, MatrixView<const double> rows, const LowRank& control)
      : points(kernel, rows, distance_shift(kernel, rows)) {
    const std::span<const double> no_shift;
    if (!control.left.empty()) left.emplace(Linear{}, control.left.view(), no_shift);
    if (!control.right.empty()) right.emplace(Linear{}, control.right.view(), no_shift);
  }
  const Set& other() const { return right ? *right : *left; }

  Set points;
  std::optional<Set> left;
  std::optional<Set> right;
};

/// Whole blocks of K - K0.
BlockEntries residual_blocks(Factors<KernelPoints<double>> factors) {
  return [f = std::move(factors)](std::size_t i, std::size_t j, double* out) {
    f.points.block(i, f.points, j, out);
    if (!f.left) return;
    auto known = Matrix<double>::uninitialized(kBlock, kBlock);
    f.left->block(i, f.other(), j, known.data());
    for (std::size_t e = 0; e < known.size(); ++e) out[e] -= known.data()[e];
  };
}

/// Single entries of K - K0.
SparseSymmetric::Entries residual_entries(Factors<KernelRows> factors) {
  return [f = std::move(factors)](std::size_t row, std::size_t first,
                                  std::span<const std::uint16_t> columns, double* out) {
    f.points.values(f.points, row, first, columns, out);
    if (!f.left) return;
    std::array<double, SparseSymmetric::kSide> known;
    f.other().values(*f.left, row, first, columns, known.data());
    for (std::size_t c = 0; c < columns.size(); ++c) out[c] -= known[c];
  };
}

}  // namespace

double LowRank::entry(std::size_t i, std::size_t j) const {
  double sum = 0;
  for (std::size_t c = 0; c < left.cols(); ++c) sum += left(i, c) * other()(j, c);
  return sum;
}

EntryRange residual_range(const Kernel& kernel, MatrixView<const double> points,
                          const LowRank& control, Workers& workers) {
  return entry_range(points.rows(), residual_blocks({kernel, points, control}), workers);
}

EntryNoise residual_noise(const Kernel& kernel, MatrixView<const double> points,
                          const LowRank& control, const EntryRounding& rounding, Workers& workers) {
  return entry_noise(points.rows(), rounding, residual_blocks({kernel, points, control}), workers);
}

RandomizedGram::RandomizedGram(const Kernel& kernel, MatrixView<const double> points,
                               LowRank control, const EntryRounding& rounding,
                               const RandomStream& stream, Workers& workers)
    : KernelOperator(kernel_diagonal(kernel, points)),
      control_(std::move(control)),
      rounding_(rounding),
      rest_(diagonal_) {
  const std::size_t n = size();
  if (rounding.levels && rounding.sparsity == 1) {
    bits_.emplace(n, *rounding.levels, stream, residual_blocks({kernel, points, control_}),
                  workers);
    everywhere_ = rounding.levels->low;
    evaluations_ = static_cast<std::uint64_t>(n) * (n + 1) / 2;
  } else {
    sparse_.emplace(n, rounding, stream, residual_entries({kernel, points, control_}), workers);
    evaluations_ = sparse_->kept() + n;
  }
  for (std::size_t i = 0; i < n; ++i) rest_[i] -= control_.entry(i, i) + everywhere_;
}

std::uint64_t RandomizedGram::kept() const {
  return sparse_ ? sparse_->kept() : static_cast<std::uint64_t>(size()) * (size() - 1) / 2;
}

void RandomizedGram::multiply(MatrixView<const double> v, MatrixView<double> y, Workers& workers) {
  const std::size_t p = v.cols();
  std::vector<double> sums(p, 0.0);
  if (everywhere_ != 0) {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t c = 0; c < p; ++c) sums[c] += everywhere_ * v(i, c);
    }
  }
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t c = 0; c < p; ++c) y(i, c) = rest_[i] * v(i, c) + sums[c];
  }
  if (sparse_) sparse_->add_product(v, y, workers);
  if (bits_) bits_->add_product(v, y, workers);
  if (control_.left.empty()) return;
  Matrix<double> inner = transposed_product(control_.other(), v, workers);
  for (std::size_t i = 0; i < inner.size(); ++i) inner.data()[i] = -inner.data()[i];
  subtract_product(control_.left, inner, y, workers);
}

Matrix<double> RandomizedGram::dense(Workers& workers) {
  const std::size_t n = size();
  auto k = Matrix<double>::uninitialized(n, n);
  Matrix<double> unit(n, kProductColumns);
  Matrix<double> image(n, kProductColumns);
  for (std::size_t first = 0; first < n; first += kProductColumns) {
    const std::size_t count = std::min(kProductColumns, n - first);
    for (std::size_t c = 0; c < count; ++c) unit(first + c, c) = 1;
    multiply(unit, image, workers);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(image.row(i).data(), count, &k(i, first));
    for (std::size_t c = 0; c < count; ++c) unit(first + c, c) = 0;
  }
  return k;
}

double RandomizedGram::bytes(std::size_t n, const EntryRounding& rounding) {
  return rounding.levels && rounding.sparsity == 1 ? BitSymmetric::bytes(n)
                                                   : SparseSymmetric::bytes(n, rounding);
}

double RandomizedGram::making_bytes(std::size_t n, std::size_t d, std::size_t control_rank) {
  return KernelRows::bytes(n, d) + (control_rank > 0 ? KernelRows::bytes(n, control_rank) : 0);
}

}  // namespace mercer::engine
