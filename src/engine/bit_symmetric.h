#pragma once

#include <cstddef>
#include <cstdint>

#include <mercer/matrix.h>

#include "engine/block_entries.h"
#include "engine/entry_rounding.h"
#include "engine/parallel.h"
#include "engine/random.h"
#include "engine/tile.h"
#include "system/memory.h"

namespace mercer::engine {

/// A symmetric matrix rounded to two levels at random off its diagonal, one bit an entry and one
/// triangle: n^2 / 16 bytes. Every block serves both halves of a product; its transpose is made on
/// the way.
///
/// Entry (i, j), j < i, draws number j of a stream of row i.
class BitSymmetric {
 public:
  /// `levels` enclose all entries off the diagonal.
  BitSymmetric(std::size_t n, const EntryRange& levels, const RandomStream& stream,
               const BlockEntries& entries, Workers& workers);

  std::size_t size() const { return n_; }
  const EntryRange& levels() const { return levels_; }
  const EntryNoise& noise() const { return noise_; }

  /// y += (high - low) B v with B_ij = 1 where the high level was drawn, and 0 on the diagonal;
  /// both n x p, p a multiple of kProductColumns. The same bits for any number of threads.
  void add_product(MatrixView<const double> v, MatrixView<double> y, Workers& workers) const;

  static double bytes(std::size_t n);

 private:
  std::size_t blocks() const { return (n_ + kBlock - 1) / kBlock; }
  std::size_t block_size(std::size_t b) const { return std::min(kBlock, n_ - b * kBlock); }
  std::uint32_t* bits(std::size_t i, std::size_t j) const;
  void round_block(std::size_t i, std::size_t j, const RandomStream& stream, const double* values,
                   std::vector<EntryRange>& ranges);

  std::size_t n_;
  EntryRange levels_;
  system::LargeBuffer memory_;
  EntryNoise noise_;
};

}  // namespace mercer::engine
