#include "engine/sparse_symmetric.h"

#include <cmath>

#include "engine/block_pairs.h"
#include "engine/sparse_product.h"

namespace mercer::engine {

namespace {

// Purposes of random streams, each with one stream a row.
constexpr std::uint64_t kSkips = 1;
constexpr std::uint64_t kLevels = 2;

constexpr std::uint16_t kHighLevel = 0x8000;
static_assert(SparseSymmetric::kSide <= kHighLevel);

/// Walks over the columns that a row keeps: the way to the next one is geometric, floor(ln u /
/// ln(1 - 1/s)) columns are left out.
class KeptColumns {
 public:
  KeptColumns(double sparsity, const RandomStream& stream)
      : stream_(stream), inverse_log_(sparsity > 1 ? 1 / std::log1p(-1 / sparsity) : 0) {}

  /// The first one at or after `column`, or `end`.
  std::size_t next(std::size_t column, std::size_t end) {
    if (inverse_log_ == 0) return column;
    // 1 - u is in (0, 1]: its logarithm is finite.
    const double skipped = std::floor(std::log(1 - stream_.uniform(position_++)) * inverse_log_);
    return skipped < static_cast<double>(end - column) ? column + static_cast<std::size_t>(skipped)
                                                       : end;
  }

 private:
  RandomStream stream_;
  std::uint64_t position_ = 0;
  double inverse_log_;
};

/// So many that more are drawn once in a million times, at which a vector grows.
std::size_t likely_kept(double entries, double sparsity) {
  const double mean = entries / sparsity;
  return static_cast<std::size_t>(std::min(mean + 5 * std::sqrt(mean) + 1, entries));
}

}  // namespace

SparseSymmetric::SparseSymmetric(std::size_t n, const EntryRounding& rounding,
                                 const RandomStream& stream, const Entries& entries,
                                 Workers& workers)
    : n_(n), rounding_(rounding), blocks_((n + kSide - 1) / kSide) {
  workers.phase_range(0, 0.1);
  workers.for_each(blocks_.size(),
                   [&](std::size_t b) { blocks_[b] = draw(b, stream.substream(kSkips)); });
  noise_.row_variances.assign(n, 0.0);
  noise_.all_seen = rounding.sparsity == 1;
  std::vector<EntryRange> ranges(blocks_.size(), EntryRange::nothing());
  for_each_block_pair(
      blocks_.size(), workers,
      [&](std::size_t i, std::size_t j) {
        workers.poll();
        fill(i, j, stream.substream(kLevels), entries, ranges);
      },
      PhasePart{.from = 0.1, .to = 1});
  for (double& variance : noise_.row_variances) variance *= rounding.sparsity;
  noise_.entries = joined(ranges);
}

SparseSymmetric::RowBlock SparseSymmetric::draw(std::size_t block,
                                                const RandomStream& stream) const {
  const std::size_t rows = rows_of(block);
  const std::size_t first = block * kSide;
  std::vector<std::uint32_t> columns;  // row by row
  std::vector<std::size_t> ends;
  const auto count = static_cast<double>(rows);
  columns.reserve(
      likely_kept(count * (static_cast<double>(first) + count / 2), rounding_.sparsity));
  for (std::size_t r = 0; r < rows; ++r) {
    KeptColumns kept(rounding_.sparsity, stream.substream(first + r));
    const std::size_t end = first + r;
    for (std::size_t c = kept.next(0, end); c < end; c = kept.next(c + 1, end)) {
      columns.push_back(static_cast<std::uint32_t>(c));
    }
    ends.push_back(columns.size());
  }
  // Block by block: in each row the columns ascend, so that a row's part in a block is a run.
  RowBlock result;
  result.starts.reserve((block + 1) * rows + 1);
  result.columns.reserve(columns.size());
  std::vector<std::size_t> at(rows, 0);
  for (std::size_t r = 1; r < rows; ++r) at[r] = ends[r - 1];
  for (std::size_t j = 0; j <= block; ++j) {
    for (std::size_t r = 0; r < rows; ++r) {
      result.starts.push_back(static_cast<std::uint32_t>(result.columns.size()));
      for (; at[r] < ends[r] && columns[at[r]] < (j + 1) * kSide; ++at[r]) {
        result.columns.push_back(static_cast<std::uint16_t>(columns[at[r]] - j * kSide));
      }
    }
  }
  result.starts.push_back(static_cast<std::uint32_t>(result.columns.size()));
  if (!rounding_.levels) result.values = Matrix<double>::uninitialized(1, result.columns.size());
  return result;
}

void SparseSymmetric::fill(std::size_t i, std::size_t j, const RandomStream& stream,
                           const Entries& entries, std::vector<EntryRange>& ranges) {
  RowBlock& block = blocks_[i];
  const std::size_t rows = rows_of(i);
  EntryRange& seen = ranges[i];
  std::vector<double> values(kSide);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = i * kSide + r;
    const std::size_t begin = block.starts[j * rows + r];
    const std::size_t count = block.starts[j * rows + r + 1] - begin;
    if (count == 0) continue;
    const std::span<std::uint16_t> columns(block.columns.data() + begin, count);
    entries(row, j * kSide, columns, values.data());
    const RandomStream levels = stream.substream(row);
    double row_variance = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const double value = values[c];
      const std::size_t column = j * kSide + columns[c];
      const double variance = rounding_.variance(value);
      row_variance += variance;
      noise_.row_variances[column] += variance;
      seen.include(value);
      if (!rounding_.levels) {
        block.values.data()[begin + c] = rounding_.sparsity * value;
      } else if (levels.uniform(column) < EntryRounding::chance(*rounding_.levels, value)) {
        columns[c] |= kHighLevel;
      }
    }
    noise_.row_variances[row] += row_variance;
  }
}

std::uint64_t SparseSymmetric::kept() const {
  std::uint64_t count = 0;
  for (const RowBlock& block : blocks_) count += block.columns.size();
  return count;
}

double SparseSymmetric::bytes(std::size_t n, const EntryRounding& rounding) {
  const auto rows = static_cast<double>(n);
  const double kept = rows * rows / 2 / rounding.sparsity;
  const double starts = rows * (rows / kSide + 2) / 2 * sizeof(std::uint32_t);
  return kept * (sizeof(std::uint16_t) + (rounding.levels ? 0 : sizeof(double))) + starts;
}

void SparseSymmetric::add_product(MatrixView<const double> v, MatrixView<double> y,
                                  Workers& workers) const {
  SparseProductArgs common{.p = v.cols(), .v_stride = v.stride(), .y_stride = y.stride()};
  if (rounding_.levels) {
    common.levels[0] = rounding_.sparsity * rounding_.levels->low;
    common.levels[1] = rounding_.sparsity * rounding_.levels->high;
  }
  for_each_block_pair(blocks_.size(), workers, [&](std::size_t i, std::size_t j) {
    const RowBlock& block = blocks_[i];
    SparseProductArgs args = common;
    args.row_count = rows_of(i);
    args.starts = block.starts.data() + j * args.row_count;
    args.columns = block.columns.data();
    args.values = block.values.data();
    args.v_rows = &v(i * kSide, 0);
    args.v_cols = &v(j * kSide, 0);
    args.y_rows = &y(i * kSide, 0);
    args.y_cols = &y(j * kSide, 0);
    add_sparse_product(args);
  });
}

}  // namespace mercer::engine
