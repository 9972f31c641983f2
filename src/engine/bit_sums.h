#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/tile.h"

namespace mercer::engine {

// Products with matrices of bits, by tables of partial sums. The table of four rows of v has their
// sums over all 16 subsets, so four bits of the matrix cost one look-up and one addition of
// kProductColumns numbers. Tables of eight rows would halve the additions, but those of a block
// (192 KiB against 24) leave the first-level cache, and each has 256 sums to make.

/// Bits of a kBlock x kBlock block: [row / 32][column / 32][row % 32], columns from the lowest bit.
inline constexpr std::size_t kBitWords = kBlock * (kBlock / 32);
/// Numbers in the tables of kBlock rows.
inline constexpr std::size_t kSumTables = kBlock / 4 * 16 * kProductColumns;

/// Tables of `factor` times the first kProductColumns columns of v, which has `rows` rows (at most
/// kBlock; the others count as zeros).
void make_sum_tables(const double* v, std::size_t stride, std::size_t rows, double factor,
                     double* tables);

/// y += bits v for the first `rows` rows of a block and kProductColumns columns, v being in the
/// tables.
void add_bit_sums(const std::uint32_t* bits, const double* tables, std::size_t rows, double* y,
                  std::size_t stride);

}  // namespace mercer::engine
