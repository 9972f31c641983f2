#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "density/cover_search.h"

namespace mercer::density {

/// Finds centres among few columns by hashed cells a little larger than the radius: whatever covers
/// a row lies in its cell or in one of the 3^d - 1 around it.
///
/// Buckets are not told which cell they hold: centres of two cells that meet in one are told apart
/// by their distance, as neighbours are.
class CellGrid final : public CoverSearch {
 public:
  static constexpr std::size_t kMaxCols = 3;

  /// `origin` should be in the midst of the data.
  CellGrid(const CoverRule& rule, std::span<const double> origin);

  void find(MatrixView<const double> points, std::span<const std::size_t> rows,
            std::span<Hit> hits) const override;
  void admit(MatrixView<const double> points, std::span<const std::size_t> rows,
             std::span<Hit> hits) override;
  std::size_t batch_rows(double share) const override;

 private:
  using Cell = std::array<std::uint64_t, kMaxCols>;  ///< by columns, modulo 2^64

  Cell cell_of(std::span<const double> x) const;
  std::size_t line_of(const Cell& cell) const;
  std::size_t bucket_of(std::span<const double> x) const;
  template <std::size_t kCols>
  Hit first_covering(std::span<const double> x) const;
  Hit first_covering(std::span<const double> x) const;
  template <std::size_t kCols>
  void search_line(const Cell& cell, std::span<const double> x, Hit& best) const;
  void index(std::span<const double> centre) override;
  void link(std::uint32_t node);
  void grow();

  /// A centre, and the one before it in its bucket.
  struct Node {
    std::array<double, kMaxCols> at;
    std::uint32_t next;
  };
  static constexpr std::uint32_t kEnd = 0xffff'ffff;

  std::size_t cols_;
  std::array<double, kMaxCols> origin_{};
  double cells_per_unit_;  ///< of scaled coordinates
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> heads_;  ///< a power of two of them, at least twice the nodes
};

}  // namespace mercer::density
