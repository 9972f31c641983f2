#include "engine/pivoted_cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_matrix.h"
#include "engine/kernel_value.h"
#include "engine/tile.h"

namespace mercer::engine {

namespace {

/// Relative to the largest k(x, x): below it a pivot is as much rounding as distance, and dividing
/// by its root would spoil the columns that follow.
constexpr double kPivotTolerance = 1e-10;

/// Relative to the largest k(x, x) before centring, whose rounding remains when centring takes all
/// else away.
constexpr double kRounding = 1e-14;

}  // namespace

PartialCholesky::PartialCholesky(const Kernel& kernel, MatrixView<const double> points,
                                 std::size_t capacity, Workers& workers,
                                 std::vector<double> offsets)
    : kernel_(kernel),
      points_(points),
      workers_(workers),
      shift_(distance_shift(kernel, points)),
      offsets_(std::move(offsets)),
      packed_(kernel, points, shift_),
      capacity_(std::min(capacity, points.rows())),
      stride_(padded_columns(capacity_) + kProductColumns),
      memory_(points.rows() * stride_ * sizeof(double), system::LargeBuffer::Pages::ordinary),
      values_(static_cast<double*>(memory_.data())),
      diagonal_(kernel_diagonal(kernel, points)),
      residuals_(diagonal_) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (!std::isfinite(diagonal_[i])) {
      throw NumericalError(
          fmt::format("k(x, x) of row {} is {}: scale the data or the kernel's parameters", i + 1,
                      diagonal_[i]));
    }
    negligible_ = std::max(negligible_, kRounding * std::abs(diagonal_[i]));
    if (!offsets_.empty()) diagonal_[i] -= 2 * offsets_[i];
    residuals_[i] = std::max(diagonal_[i], 0.0);
  }
  for (std::size_t block = 0; block < packed_.blocks(); ++block) {
    open_.push_back(packed_.block_size(block));
  }
  if (residuals_.empty()) return;
  negligible_ = std::max(negligible_, kPivotTolerance * std::ranges::max(residuals_));
}

double PartialCholesky::bytes(std::size_t n, std::size_t capacity) {
  return static_cast<double>(n) *
         static_cast<double>((padded_columns(capacity) + kProductColumns) * sizeof(double));
}

std::size_t PartialCholesky::capacity_within(std::size_t n, double bytes) {
  // A row of the factor is padded to whole products, and by one product more.
  const double row = bytes / (sizeof(double) * static_cast<double>(n));
  const double products = std::min(row / kProductColumns, 1e9) - 1;
  return products < 1 ? 0 : std::min(n, static_cast<std::size_t>(products) * kProductColumns);
}

Matrix<double> PartialCholesky::pivot_factor() const {
  Matrix<double> lower(rank(), rank());
  for (std::size_t i = 0; i < rank(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = factor()(pivots_[i], j);
  }
  return lower;
}

Matrix<double> PartialCholesky::proposal_matrix(std::span<const std::size_t> rows) const {
  const std::size_t b = rows.size();
  if (std::holds_alternative<Precomputed>(kernel_)) {
    auto given = Matrix<double>::uninitialized(b, b);
    for (std::size_t i = 0; i < b; ++i) {
      for (std::size_t j = 0; j < b; ++j) given(i, j) = points_(rows[i], rows[j]);
    }
    return given;
  }
  auto proposals = Matrix<double>::uninitialized(b, points_.cols());
  for (std::size_t j = 0; j < b; ++j) {
    std::ranges::copy(points_.row(rows[j]), proposals.row(j).begin());
  }
  return kernel_matrix(kernel_, proposals, proposals, workers_);
}

Matrix<double> PartialCholesky::residual_matrix(std::span<const std::size_t> rows) {
  const std::size_t b = rows.size();
  const std::size_t c = rank();
  const Matrix<double> values = proposal_matrix(rows);
  const auto offset = [&](std::size_t i) { return offsets_.empty() ? 0 : offsets_[rows[i]]; };
  evaluations_ += b * b;
  Matrix<double> picked = Matrix<double>::uninitialized(b, c);
  Strips negative(c, b);
  for (std::size_t i = 0; i < b; ++i) {
    std::ranges::copy(factor().row(rows[i]), picked.row(i).begin());
    for (std::size_t l = 0; l < c; ++l) negative(l, i) = -picked(i, l);
  }
  Matrix<double> h(b, padded_columns(b));
  workers_.for_each((b + kBlock - 1) / kBlock, [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t end = std::min(first + kBlock, b);
    for (std::size_t i = first; i < end; ++i) {
      for (std::size_t j = 0; j < end; ++j) h(i, j) = values(i, j) - offset(i) - offset(j);
    }
    const RowBlock g{.values = picked.data() + first * c, .count = end - first, .stride = c};
    const RowBlock y{.values = &h(first, 0), .count = end - first, .stride = h.cols()};
    negative.for_each_until(end,
                            [&](StripRange strip) { negative.add_product(g, 0, c, strip, y); });
    for (std::size_t i = first; i < end; ++i) h(i, i) = residuals_[rows[i]];
  });
  return h;
}

std::vector<std::size_t> PartialCholesky::append(std::span<const std::size_t> rows,
                                                 std::size_t most, const Accept& accept) {
  most = std::min(most, capacity_ - rank());
  Matrix<double> h = residual_matrix(rows);
  const std::size_t b = rows.size();
  std::vector<double> column(b);
  std::vector<std::size_t> taken;
  for (std::size_t j = 0; j < b && taken.size() < most; ++j) {
    const double now = h(j, j);
    if (now <= negligible_) continue;
    if (accept && !accept(j, now, residuals_[rows[j]])) continue;
    const double root = std::sqrt(now);
    for (std::size_t i = j; i < b; ++i) h(i, j) = column[i] = h(i, j) / root;
    for (std::size_t i = j + 1; i < b; ++i) {
      double* row = h.row(i).data();
      for (std::size_t l = j + 1; l <= i; ++l) row[l] -= column[i] * column[l];
    }
    taken.push_back(j);
  }
  if (taken.empty()) return taken;
  std::vector<std::size_t> accepted;
  Matrix<double> lower(taken.size(), taken.size());
  for (std::size_t i = 0; i < taken.size(); ++i) {
    accepted.push_back(rows[taken[i]]);
    for (std::size_t j = 0; j <= i; ++j) lower(i, j) = h(taken[i], taken[j]);
  }
  append_columns(accepted, lower);
  return taken;
}

PartialCholesky::Columns PartialCholesky::prepare_columns(std::span<const std::size_t> rows,
                                                          Matrix<double>& picked) const {
  const auto g = factor();
  picked = Matrix<double>::uninitialized(rows.size(), points_.cols());
  Strips negative_factor(rank(), rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    std::ranges::copy(points_.row(rows[j]), picked.row(j).begin());
    for (std::size_t c = 0; c < rank(); ++c) negative_factor(c, j) = -g(rows[j], c);
  }
  std::vector<double> offsets;
  if (!offsets_.empty()) {
    for (const std::size_t row : rows) offsets.push_back(offsets_[row]);
  }
  return {.points = KernelPoints<double>(kernel_, std::as_const(picked).view(), shift_),
          .offsets = std::move(offsets),
          .negative_factor = std::move(negative_factor)};
}

void PartialCholesky::residual_block(std::size_t block, const Columns& columns,
                                     const RowBlock& y) const {
  const std::size_t width = panel_width<double>();
  const KernelPoints<double>& pivots = columns.points;
  auto tile = Matrix<double>::uninitialized(kBlock, kBlock);
  for (std::size_t part = 0; part < pivots.blocks(); ++part) {
    const std::size_t count = pivots.block_size(part);
    if (count <= kProductColumns && packed_.tiled()) {
      // A panel of pivots would be padding for the most part. The bits are the same.
      packed_.block(block, pivots, part, tile.data());
      for (std::size_t i = 0; i < y.count; ++i) {
        double* out = y.values + i * y.stride + part * kBlock;
        const double* values = tile.data() + i / width * kBlock * width + i % width;
        for (std::size_t j = 0; j < count; ++j) out[j] = values[j * width];
      }
      continue;
    }
    pivots.block(part, packed_, block, tile.data());
    for (std::size_t i = 0; i < y.count; ++i) {
      double* out = y.values + i * y.stride + part * kBlock;
      for (std::size_t j = 0; j < count; j += width) {
        std::copy_n(tile.data() + (j / width * kBlock + i) * width, std::min(width, count - j),
                    out + j);
      }
    }
  }
  if (!offsets_.empty()) {
    for (std::size_t i = 0; i < y.count; ++i) {
      double* out = y.values + i * y.stride;
      const double offset = offsets_[block * kBlock + i];
      for (std::size_t j = 0; j < columns.offsets.size(); ++j) {
        out[j] -= offset + columns.offsets[j];
      }
    }
  }
  const Strips& negative = columns.negative_factor;
  const RowBlock g = factor_rows(block);
  negative.for_each_until(negative.cols(), [&](StripRange strip) {
    negative.add_product(g, 0, negative.rows(), strip, y);
  });
}

RowBlock PartialCholesky::factor_rows(std::size_t block) const {
  return {.values = values_ + block * kBlock * stride_,
          .count = packed_.block_size(block),
          .stride = stride_};
}

void PartialCholesky::append_columns(std::span<const std::size_t> rows,
                                     const Matrix<double>& lower) {
  const std::size_t before = rank();
  const std::size_t added = rows.size();
  Strips negative_lower(added, added);  // -L^T
  for (std::size_t j = 0; j < added; ++j) {
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): taken for a matrix without rows
    for (std::size_t l = 0; l < j; ++l) negative_lower(l, j) = -lower(j, l);
  }
  Matrix<double> picked;
  const Columns columns = prepare_columns(rows, picked);
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    if (open_[block] == 0) return;  // new columns are zero on pivots
    const std::size_t first = block * kBlock;
    const std::size_t count = packed_.block_size(block);
    const RowBlock y = factor_rows(block).from(before);
    residual_block(block, columns, y);
    std::array<double, kBlock> squares{};
    negative_lower.for_each_until(
        added, [&](StripRange strip) { solve_strip(y, lower, negative_lower, strip, squares); });
    for (std::size_t i = 0; i < count; ++i) {
      residuals_[first + i] = std::max(residuals_[first + i] - squares[i], 0.0);
    }
  });
  for (std::size_t block = 0; block < packed_.blocks(); ++block) {
    if (open_[block] > 0) evaluations_ += packed_.block_size(block) * added;
  }
  set_exact_entries(rows, lower);
}

void PartialCholesky::set_exact_entries(std::span<const std::size_t> rows,
                                        const Matrix<double>& lower) {
  const std::size_t before = rank();
  for (const std::size_t pivot : pivots_) {
    std::fill_n(values_ + pivot * stride_ + before, rows.size(), 0.0);
    residuals_[pivot] = 0;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(lower.row(i), values_ + rows[i] * stride_ + before);
    residuals_[rows[i]] = 0;
    --open_[rows[i] / kBlock];
  }
  pivots_.insert(pivots_.end(), rows.begin(), rows.end());
}

std::vector<double> PartialCholesky::energies(std::span<const std::size_t> rows,
                                              std::span<const double> weights) {
  std::vector<double> energies;
  for (std::size_t done = 0; done < rows.size(); done += kBlock) {
    const auto some = rows.subspan(done, std::min(kBlock, rows.size() - done));
    Matrix<double> picked;
    const Columns columns = prepare_columns(some, picked);
    Matrix<double> partial(packed_.blocks(), some.size());
    workers_.for_each(packed_.blocks(), [&](std::size_t block) {
      const std::size_t count = packed_.block_size(block);
      Matrix<double> values(count, padded_columns(some.size()));
      residual_block(block, columns,
                     {.values = values.data(), .count = count, .stride = values.cols()});
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < some.size(); ++j) {
          partial(block, j) += weights[block * kBlock + i] * values(i, j) * values(i, j);
        }
      }
    });
    for (std::size_t j = 0; j < some.size(); ++j) {
      double sum = 0;
      for (std::size_t block = 0; block < partial.rows(); ++block) sum += partial(block, j);
      energies.push_back(sum);
    }
  }
  evaluations_ += static_cast<std::uint64_t>(size()) * rows.size();
  return energies;
}

std::optional<std::size_t> PartialCholesky::best_of(std::span<const std::size_t> rows,
                                                    std::span<const double> weights,
                                                    MatrixView<const double> values) const {
  Matrix<double> partial(packed_.blocks(), rows.size());
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    for (std::size_t i = first; i < first + packed_.block_size(block); ++i) {
      const double weight = weights.empty() ? 1 : weights[i];
      for (std::size_t j = 0; j < rows.size(); ++j) {
        partial(block, j) += weight * values(i, j) * values(i, j);
      }
    }
  });
  std::optional<std::size_t> best;
  double best_score = 0;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const double residual = residuals_[rows[j]];
    if (residual <= negligible_) continue;
    double energy = 0;
    for (std::size_t block = 0; block < partial.rows(); ++block) energy += partial(block, j);
    if (!best || energy / residual > best_score) {
      best = j;
      best_score = energy / residual;
    }
  }
  return best;
}

std::optional<std::size_t> PartialCholesky::append_best(std::span<const std::size_t> rows,
                                                        std::span<const double> weights) {
  if (rank() == capacity_) return std::nullopt;
  Matrix<double> picked;
  const Columns columns = prepare_columns(rows, picked);
  auto values = Matrix<double>::uninitialized(size(), padded_columns(rows.size()));
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    // The products read padding too.
    std::fill_n(values.row(first).data(), packed_.block_size(block) * values.cols(), 0.0);
    residual_block(block, columns,
                   {.values = values.row(first).data(),
                    .count = packed_.block_size(block),
                    .stride = values.cols()});
  });
  evaluations_ += static_cast<std::uint64_t>(size()) * rows.size();
  const auto best = best_of(rows, weights, values);
  if (!best) return std::nullopt;
  // Its column is there already: it only has to be scaled.
  const std::size_t before = rank();
  Matrix<double> lower(1, 1);
  lower(0, 0) = std::sqrt(residuals_[rows[*best]]);
  for (std::size_t i = 0; i < size(); ++i) {
    const double value = values(i, *best) / lower(0, 0);
    values_[i * stride_ + before] = value;
    residuals_[i] = std::max(residuals_[i] - value * value, 0.0);
  }
  set_exact_entries(rows.subspan(*best, 1), lower);
  return rows[*best];
}

void PartialCholesky::refresh_residuals() {
  const auto g = factor();
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    for (std::size_t i = first; i < first + packed_.block_size(block); ++i) {
      double explained = 0;
      for (const double value : g.row(i)) explained += value * value;
      residuals_[i] = std::max(diagonal_[i] - explained, 0.0);
    }
  });
  for (const std::size_t pivot : pivots_) residuals_[pivot] = 0;
}

void PartialCholesky::forget_last() {
  const std::size_t last = rank() - 1;
  for (std::size_t i = 0; i < size(); ++i) {
    const double value = values_[i * stride_ + last];
    residuals_[i] += value * value;
  }
  ++open_[pivots_.back() / kBlock];
  pivots_.pop_back();
}

void append_first(PartialCholesky& factor, std::size_t count) {
  constexpr std::size_t kBatch = 128;
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  for (std::size_t first = 0; first < count; first += kBatch) {
    const std::size_t size = std::min(kBatch, count - first);
    factor.append(std::span(rows).subspan(first, size), size);
  }
}

}  // namespace mercer::engine
