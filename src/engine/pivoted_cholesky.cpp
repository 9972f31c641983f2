#include "engine/pivoted_cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <mercer/error.h>

#include "engine/kernel_value.h"
#include "engine/tile.h"
#include "engine/weighted_draw.h"

namespace mercer::engine {

namespace {

/// Relative to the largest k(x, x): below it a pivot is as much rounding as distance, and dividing
/// by its root would spoil the columns that follow.
constexpr double kPivotTolerance = 1e-10;

/// Columns that products are made for at a time: four vectors of the widest instruction set, which
/// fill the accumulators best.
constexpr std::size_t kStrip = 4 * kProductColumns;

/// Some columns of at most kBlock rows of a row-major matrix.
struct RowBlock {
  double* values;
  std::size_t count;
  std::size_t stride;

  RowBlock from(std::size_t column) const { return {values + column, count, stride}; }
};

/// Columns [begin, end) of one strip.
struct StripRange {
  std::size_t begin;
  std::size_t end;
};

/// A matrix with its columns in strips, [strip][row][column of the strip], padded with zeros. Read
/// strip by strip its rows follow each other in memory; those of a wide row-major matrix stand a
/// page apart and fall into the same few places of the cache.
class Strips {
 public:
  Strips(std::size_t rows, std::size_t cols)
      : rows_(rows), cols_(cols), values_(rows * ((cols + kStrip - 1) / kStrip) * kStrip) {}

  double& operator()(std::size_t i, std::size_t j) { return values_[position(i, j)]; }

  /// Calls visit(StripRange) for every strip that begins before column `end`.
  template <class Visit>
  void for_each_until(std::size_t end, const Visit& visit) const {
    for (std::size_t begin = 0; begin < end; begin += kStrip) {
      visit(StripRange{begin, std::min(begin + kStrip, cols_)});
    }
  }

  /// The columns of `range` (and up to kProductColumns - 1 after it) of y += x times the rows
  /// [top, top + depth) of this.
  void add_product(const RowBlock& x, std::size_t top, std::size_t depth, StripRange range,
                   const RowBlock& y) const {
    multiply_add({.m = y.count,
                  .n = padded_columns(range.end - range.begin),
                  .k = depth,
                  .a = x.values,
                  .a_row_stride = x.stride,
                  .a_col_stride = 1,
                  .b = values_.data() + position(top, range.begin),
                  .b_stride = kStrip,
                  .c = y.values + range.begin,
                  .c_stride = y.stride});
  }

 private:
  std::size_t position(std::size_t i, std::size_t j) const {
    return (j / kStrip * rows_ + i) * kStrip + j % kStrip;
  }

  std::size_t rows_;
  std::size_t cols_;
  std::vector<double> values_;
};

/// The columns of a strip of y become those of y L^-T, the strips before it being done; `squares`
/// += the squared norms of the results. `negative` is -L^T.
void solve_strip(const RowBlock& y, const Matrix<double>& lower, const Strips& negative,
                 StripRange strip, std::array<double, kBlock>& squares) {
  negative.add_product(y, 0, strip.begin, strip, y);
  // Columns one after another, so that the substitution runs along them.
  std::array<std::array<double, kBlock>, kProductColumns> columns;
  for (std::size_t begin = strip.begin; begin < strip.end; begin += kProductColumns) {
    const std::size_t end = std::min(begin + kProductColumns, strip.end);
    negative.add_product(y.from(strip.begin), strip.begin, begin - strip.begin, {begin, end}, y);
    for (std::size_t i = 0; i < y.count; ++i) {
      for (std::size_t j = begin; j < end; ++j) columns[j - begin][i] = y.values[i * y.stride + j];
    }
    for (std::size_t j = begin; j < end; ++j) {
      auto& column = columns[j - begin];
      for (std::size_t l = begin; l < j; ++l) {
        const auto& before = columns[l - begin];
        const double factor = lower(j, l);
        for (std::size_t i = 0; i < y.count; ++i) column[i] -= before[i] * factor;
      }
      for (std::size_t i = 0; i < y.count; ++i) {
        column[i] /= lower(j, j);
        squares[i] += column[i] * column[i];
      }
    }
    for (std::size_t i = 0; i < y.count; ++i) {
      for (std::size_t j = begin; j < end; ++j) y.values[i * y.stride + j] = columns[j - begin][i];
    }
  }
}

}  // namespace

PartialCholesky::PartialCholesky(const Kernel& kernel, MatrixView<const double> points,
                                 std::size_t capacity, Workers& workers)
    : kernel_(kernel),
      points_(points),
      workers_(workers),
      shift_(distance_shift(kernel, points)),
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
    residuals_[i] = std::max(diagonal_[i], 0.0);
  }
  if (!residuals_.empty()) negligible_ = kPivotTolerance * std::ranges::max(residuals_);
}

double PartialCholesky::bytes(std::size_t n, std::size_t capacity) {
  return static_cast<double>(n) *
         static_cast<double>((padded_columns(capacity) + kProductColumns) * sizeof(double));
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

Matrix<double> PartialCholesky::proposal_residuals(std::span<const std::size_t> rows) {
  const std::size_t b = rows.size();
  const std::size_t c = rank();
  const Matrix<double> values = proposal_matrix(rows);
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
    for (std::size_t i = first; i < end; ++i) std::copy_n(values.row(i).begin(), end, &h(i, 0));
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
  Matrix<double> h = proposal_residuals(rows);
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

void PartialCholesky::append_columns(std::span<const std::size_t> rows,
                                     const Matrix<double>& lower) {
  const std::size_t before = rank();
  const std::size_t added = rows.size();
  Matrix<double> picked = Matrix<double>::uninitialized(added, points_.cols());
  Strips negative_factor(before, added);  // -G[rows]^T
  Strips negative_lower(added, added);    // -L^T
  for (std::size_t j = 0; j < added; ++j) {
    std::ranges::copy(points_.row(rows[j]), picked.row(j).begin());
    for (std::size_t c = 0; c < before; ++c) negative_factor(c, j) = -factor()(rows[j], c);
    for (std::size_t l = 0; l < j; ++l) negative_lower(l, j) = -lower(j, l);
  }
  const KernelPoints<double> pivots(kernel_, picked.view(), shift_);
  const std::size_t width = panel_width<double>();
  workers_.for_each(packed_.blocks(), [&](std::size_t block) {
    const std::size_t first = block * kBlock;
    const std::size_t count = packed_.block_size(block);
    const RowBlock g{.values = values_ + first * stride_, .count = count, .stride = stride_};
    const RowBlock y = g.from(before);
    std::vector<double> tile(kBlock * kBlock);
    for (std::size_t part = 0; part < pivots.blocks(); ++part) {
      pivots.block(part, packed_, block, tile.data());
      for (std::size_t i = 0; i < count; ++i) {
        double* out = y.values + i * stride_ + part * kBlock;
        for (std::size_t j = 0; j < pivots.block_size(part); j += width) {
          std::copy_n(tile.data() + (j / width * kBlock + i) * width,
                      std::min(width, pivots.block_size(part) - j), out + j);
        }
      }
    }
    std::array<double, kBlock> squares{};
    negative_factor.for_each_until(added, [&](StripRange strip) {
      negative_factor.add_product(g, 0, before, strip, y);
      solve_strip(y, lower, negative_lower, strip, squares);
    });
    for (std::size_t i = 0; i < count; ++i) {
      residuals_[first + i] = std::max(residuals_[first + i] - squares[i], 0.0);
    }
  });
  evaluations_ += static_cast<std::uint64_t>(size()) * added;
  // What is known exactly keeps L triangular and pivots from being drawn again.
  for (const std::size_t pivot : pivots_) {
    std::fill_n(values_ + pivot * stride_ + before, added, 0.0);
    residuals_[pivot] = 0;
  }
  for (std::size_t i = 0; i < added; ++i) {
    std::ranges::copy(lower.row(i), values_ + rows[i] * stride_ + before);
    residuals_[rows[i]] = 0;
  }
  pivots_.insert(pivots_.end(), rows.begin(), rows.end());
}

RandomPivots::RandomPivots(PartialCholesky& factor, std::span<const double> weights,
                           RandomStream stream, std::optional<std::size_t> fixed_block)
    : factor_(factor), weights_(weights), stream_(stream), fixed_block_(fixed_block) {}

double RandomPivots::residual_fraction() const {
  double residual = 0;
  double total = 0;
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    const double weight = weights_.empty() ? 1 : weights_[i];
    residual += weight * factor_.residuals()[i];
    total += weight * factor_.diagonal()[i];
  }
  return total > 0 ? residual / total : 0;
}

/// Rejected proposals cost block^2; n * (share accepted) / 4 keeps that below about a quarter of
/// the work on accepted ones, and the other terms stop at what is still needed.
void RandomPivots::adapt_block(std::size_t accepted, std::size_t rank) {
  const double share =
      static_cast<double>(std::max<std::size_t>(accepted, 1)) / static_cast<double>(block_);
  const auto affordable = static_cast<std::size_t>(static_cast<double>(factor_.size()) * share / 4);
  const auto needed =
      static_cast<std::size_t>(std::ceil(static_cast<double>(rank - factor_.rank()) / share)) + 2;
  constexpr std::size_t kMost = 512;
  const std::size_t grown = (3 * block_ + 1) / 2;
  block_ =
      std::max({std::min({affordable, needed, kMost, grown}), (block_ + 2) / 3, std::size_t{10}});
}

bool RandomPivots::grow(std::size_t rank) {
  rank = std::min(rank, factor_.capacity());
  if (block_ == 0) {
    block_ = fixed_block_.value_or(std::clamp<std::size_t>(rank / 10, 8, 128));
  }
  constexpr int kMostEmptyRounds = 20;
  int empty_rounds = 0;
  while (factor_.rank() < rank) {
    std::vector<double> masses(factor_.residuals().begin(), factor_.residuals().end());
    if (std::ranges::max(masses) <= factor_.negligible()) return false;
    for (std::size_t i = 0; i < weights_.size(); ++i) masses[i] *= weights_[i];
    const WeightedDraw draw(masses);
    std::vector<std::size_t> proposals(block_);
    std::vector<double> chances(block_);
    for (auto& proposal : proposals) proposal = draw.draw(stream_.uniform(position_++));
    for (auto& chance : chances) chance = stream_.uniform(position_++);
    const auto taken = factor_.append(
        proposals, rank - factor_.rank(),
        [&](std::size_t j, double now, double at_start) { return chances[j] * at_start < now; });
    rounds_.push_back(taken.size());
    if (taken.empty()) {
      if (++empty_rounds == kMostEmptyRounds) return false;
      if (!fixed_block_) block_ = std::max<std::size_t>(10, block_ / 3);
      continue;
    }
    empty_rounds = 0;
    if (!fixed_block_) adapt_block(taken.size(), rank);
  }
  return true;
}

bool grow_greedily(PartialCholesky& factor, std::size_t rank) {
  rank = std::min(rank, factor.capacity());
  while (factor.rank() < rank) {
    const auto largest = std::ranges::max_element(factor.residuals());
    const auto row = static_cast<std::size_t>(largest - factor.residuals().begin());
    if (factor.append(std::span(&row, 1), 1).empty()) return false;
  }
  return true;
}

}  // namespace mercer::engine
