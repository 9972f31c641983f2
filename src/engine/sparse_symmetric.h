#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/entry_rounding.h"
#include "engine/parallel.h"
#include "engine/random.h"
#include "engine/tile.h"

namespace mercer::engine {

/// A symmetric matrix with a zero diagonal of which a random part of the entries is kept, each with
/// probability 1/s. Only these are ever computed. One triangle is stored, in blocks of kSide x
/// kSide whose rows of v and y stay in the second-level cache: 10 bytes an entry kept, or 2 with
/// levels.
///
/// Row i draws its columns below i from a stream of its own by geometric skips, so what is kept
/// depends on the seed and the row alone.
class SparseSymmetric {
 public:
  /// Entries of row `row` in the columns first + columns[c], all below it.
  using Entries = std::function<void(std::size_t row, std::size_t first,
                                     std::span<const std::uint16_t> columns, double* out)>;

  SparseSymmetric(std::size_t n, const EntryRounding& rounding, const RandomStream& stream,
                  const Entries& entries, Workers& workers);

  std::size_t size() const { return n_; }
  /// Entries kept, of one triangle.
  std::uint64_t kept() const;
  const EntryNoise& noise() const { return noise_; }

  /// y += S v; both n x p, p a multiple of kProductColumns. The same bits for any number of
  /// threads.
  void add_product(MatrixView<const double> v, MatrixView<double> y, Workers& workers) const;

  /// About as many as will be allocated.
  static double bytes(std::size_t n, const EntryRounding& rounding);

  static constexpr std::size_t kSide = 8 * kBlock;

 private:
  /// The rows [kSide b, ...) of the triangle: blocks one after another, in each the rows, in each
  /// the columns.
  struct RowBlock {
    std::vector<std::uint32_t> starts;  ///< [block][row], and the end
    std::vector<std::uint16_t> columns;
    Matrix<double> values;  ///< 1 x kept; empty with levels
  };

  std::size_t rows_of(std::size_t block) const { return std::min(kSide, n_ - block * kSide); }
  RowBlock draw(std::size_t block, const RandomStream& stream) const;
  void fill(std::size_t i, std::size_t j, const RandomStream& stream, const Entries& entries,
            std::vector<EntryRange>& ranges);

  std::size_t n_;
  EntryRounding rounding_;
  std::vector<RowBlock> blocks_;
  EntryNoise noise_;
};

}  // namespace mercer::engine
