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
  /// A centre, and the one before it in its bucket. Centre c is node c + 1.
  struct Node {
    std::array<double, kMaxCols> at;
    std::uint32_t next;
  };
  /// The node at the end of every bucket: infinitely far, and its own next.
  static constexpr std::uint32_t kEnd = 0;
  static constexpr std::uint32_t kNone = 0xffff'ffff;

  std::uint64_t cell_of(double coordinate, std::size_t column) const;
  std::size_t bucket(std::uint64_t number) const { return number & (buckets_.size() - 1); }
  template <std::size_t kCols>
  Hit first_covering(std::span<const double, kCols> x) const;
  template <std::size_t kCols>
  void find_of(MatrixView<const double> points, std::span<const std::size_t> rows,
               std::span<Hit> hits) const;
  void index(std::span<const double> centre) override;
  void link(std::uint32_t node);
  void grow();

  std::size_t cols_;
  std::array<double, kMaxCols> origin_{};
  double cells_per_unit_;  ///< of scaled coordinates
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> buckets_;  ///< their first nodes; a power of two of them
};

}  // namespace mercer::density
