#include "engine/bit_symmetric.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/bit_sums.h"
#include "engine/block_pairs.h"

namespace mercer::engine {

namespace {

constexpr std::size_t kWords = kBlock / 32;

/// Halves change places across the diagonal, then quarters in each, down to single bits (Warren,
/// Hacker's Delight, 7-3).
void transpose_bits(const std::uint32_t* from, std::uint32_t* to) {
  std::copy_n(from, 32, to);
  std::uint32_t mask = 0x0000FFFF;
  for (std::uint32_t step = 16; step != 0; step /= 2, mask ^= mask << step) {
    for (std::uint32_t k = 0; k < 32; k = (k + step + 1) & ~step) {
      const std::uint32_t change = ((to[k] >> step) ^ to[k + step]) & mask;
      to[k] ^= change << step;
      to[k + step] ^= change;
    }
  }
}

void transpose_block(const std::uint32_t* from, std::uint32_t* to) {
  for (std::size_t a = 0; a < kWords; ++a) {
    for (std::size_t b = 0; b < kWords; ++b) {
      transpose_bits(from + (a * kWords + b) * 32, to + (b * kWords + a) * 32);
    }
  }
}

std::uint32_t& word_of(std::uint32_t* bits, std::size_t row, std::size_t column) {
  return bits[(row / 32 * kWords + column / 32) * 32 + row % 32];
}

}  // namespace

BitSymmetric::BitSymmetric(std::size_t n, const EntryRange& levels, const RandomStream& stream,
                           const BlockEntries& entries, Workers& workers)
    : n_(n),
      levels_(levels),
      memory_(blocks() * (blocks() + 1) / 2 * kBitWords * sizeof(std::uint32_t)) {
  noise_.row_variances.assign(n, 0.0);
  noise_.all_seen = true;
  std::vector<EntryRange> ranges(blocks(), EntryRange::nothing());
  for_each_block_pair((blocks() + kBlockGroup - 1) / kBlockGroup, workers,
                      [&](std::size_t group_i, std::size_t group_j) {
                        auto values = Matrix<double>::uninitialized(kBlock, kBlock);
                        for_each_block(blocks(), group_i, group_j,
                                       [&](std::size_t i, std::size_t j) {
                                         workers.poll();
                                         entries(i, j, values.data());
                                         round_block(i, j, stream, values.data(), ranges);
                                       });
                      },
                      PhasePart{});
  noise_.entries = joined(ranges);
}

std::uint32_t* BitSymmetric::bits(std::size_t i, std::size_t j) const {
  return static_cast<std::uint32_t*>(memory_.data()) + (i * (i + 1) / 2 + j) * kBitWords;
}

void BitSymmetric::round_block(std::size_t i, std::size_t j, const RandomStream& stream,
                               const double* values, std::vector<EntryRange>& ranges) {
  const std::size_t width = panel_width<double>();
  const EntryRounding rounding{.levels = levels_};
  std::uint32_t* words = bits(i, j);
  std::fill_n(words, kBitWords, 0U);
  std::array<double, kBlock> column_variances{};
  EntryRange seen = EntryRange::nothing();
  for (std::size_t r = 0; r < block_size(i); ++r) {
    const std::size_t row = i * kBlock + r;
    const RandomStream draws = stream.substream(row);
    const double* panel = values + r / width * kBlock * width + r % width;
    const std::size_t end = i == j ? r : block_size(j);
    double row_variance = 0;
    for (std::size_t c = 0; c < end; ++c) {
      const double value = panel[c * width];
      seen.include(value);
      const double variance = rounding.variance(value);
      row_variance += variance;
      column_variances[c] += variance;
      const std::uint32_t high =
          draws.uniform(j * kBlock + c) < EntryRounding::chance(levels_, value) ? 1 : 0;
      word_of(words, r, c) |= high << (c % 32);
      if (i == j) word_of(words, c, r) |= high << (r % 32);
    }
    noise_.row_variances[row] += row_variance;
  }
  for (std::size_t c = 0; c < block_size(j); ++c) {
    noise_.row_variances[j * kBlock + c] += column_variances[c];
  }
  ranges[i].include(seen);
}

double BitSymmetric::bytes(std::size_t n) {
  const std::size_t whole = (n + kBlock - 1) / kBlock;
  const auto blocks = static_cast<double>(whole);
  return blocks * (blocks + 1) / 2 * kBitWords * sizeof(std::uint32_t);
}

void BitSymmetric::add_product(MatrixView<const double> v, MatrixView<double> y,
                               Workers& workers) const {
  const double factor = levels_.high - levels_.low;
  const auto add_pair = [&](std::size_t group_i, std::size_t group_j, std::size_t strip) {
    Matrix<double> tables = Matrix<double>::uninitialized(1, kSumTables);
    std::array<std::uint32_t, kBitWords> transposed;
    const auto tables_of = [&](std::size_t b) {
      make_sum_tables(&v(b * kBlock, strip), v.stride(), block_size(b), factor, tables.data());
    };
    const std::size_t end_i = std::min((group_i + 1) * kBlockGroup, blocks());
    const std::size_t end_j = std::min((group_j + 1) * kBlockGroup, blocks());
    for (std::size_t j = group_j * kBlockGroup; j < end_j; ++j) {
      tables_of(j);
      for (std::size_t i = std::max(j, group_i * kBlockGroup); i < end_i; ++i) {
        add_bit_sums(bits(i, j), tables.data(), block_size(i), &y(i * kBlock, strip), y.stride());
      }
    }
    for (std::size_t i = group_i * kBlockGroup; i < end_i; ++i) {
      tables_of(i);
      for (std::size_t j = group_j * kBlockGroup; j < std::min(end_j, i); ++j) {
        transpose_block(bits(i, j), transposed.data());
        add_bit_sums(transposed.data(), tables.data(), block_size(j), &y(j * kBlock, strip),
                     y.stride());
      }
    }
  };
  for_each_block_pair((blocks() + kBlockGroup - 1) / kBlockGroup, workers,
                      [&](std::size_t group_i, std::size_t group_j) {
                        for (std::size_t c = 0; c < v.cols(); c += kProductColumns) {
                          add_pair(group_i, group_j, c);
                        }
                      });
}

}  // namespace mercer::engine
