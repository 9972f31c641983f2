#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "density/cover_panels.h"
#include "density/cover_search.h"

namespace mercer::density {

/// Finds centres by products of packed blocks: the value of a pair in a tile is
/// <x, c> - |x|^2 / 2 - |c|^2 / 2 + (radius^2 + slack) / 2, negative only when c surely does not
/// cover x; the few pairs left are decided by differences, always in double. `T` is the precision
/// of tiles: float is twice as fast and leaves more pairs. Points that no squared norm can tell
/// apart (2^500 radii away, 2^50 in float) are candidates of everyone: slow, but right.
template <class T>
class CoverTiles final : public CoverSearch {
 public:
  /// `origin`, which is subtracted before norms are taken, should be in the midst of the data.
  CoverTiles(const CoverRule& rule, std::vector<double> origin);

  void find(MatrixView<const double> points, std::span<const std::size_t> rows,
            std::span<Hit> hits) const override;
  void admit(MatrixView<const double> points, std::span<const std::size_t> rows,
             std::span<Hit> hits) override;
  std::size_t batch_rows(double share) const override;

 private:
  using Rows = std::vector<std::size_t>;

  void find_from(std::size_t first_centre, MatrixView<const double> points, Rows rows,
                 std::span<Hit> hits) const;
  void admit_block(MatrixView<const double> points, const Rows& rows, std::span<Hit> hits);
  CoverPanels<T> pack_rows(MatrixView<const double> points, const Rows& rows) const;
  void pack_row(std::span<const double> x, std::span<T> placed, CoverPanels<T>& panels) const;
  void pack_centre(std::span<const double> x, CoverPanels<T>& panels) const;
  double place(std::span<const double> x, std::span<T> placed) const;
  void index(std::span<const double> centre) override;

  std::vector<double> origin_;
  CoverPanels<T> packed_centres_;
};

/// Whether tiles of float leave hardly more pairs than tiles of double, for rows such as these.
bool float_tiles_suffice(const CoverRule& rule, MatrixView<const double> rows,
                         std::span<const double> origin);

}  // namespace mercer::density
