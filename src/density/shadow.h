#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "density/cover_search.h"
#include "engine/parallel.h"

// Shadow covers (Kingravi, Vela & Gray, "Reduced-Set Models for Improving the Training and
// Execution Speed of Kernel Methods", 2013): one pass over the rows, in which each goes to the
// first centre nearer than the radius, and becomes a centre itself where there is none. Centres are
// rows, at least the radius apart, and every row is nearer than the radius to its own.
namespace mercer::density {

/// How centres are found; the cover is the same.
enum class CoverPath {
  automatic,    ///< the fastest for the columns and the first rows
  grid,         ///< hashed cells, O(n 3^d); up to CellGrid::kMaxCols columns
  tiles,        ///< products of packed blocks, O(n m d) at most
  float_tiles,  ///< the same in single precision, for rows not too far apart against the radius
};

/// A cover that grows with the rows it is given. Centres and hits have the same bits for any number
/// of threads, any cut of the rows into calls, and both paths.
class ShadowCover {
 public:
  /// `rows()` of a centre that was given.
  static constexpr std::uint64_t kNoRow = std::numeric_limits<std::uint64_t>::max();

  /// Without centres yet. The radius is finite and not negative; with 0 every row is a centre, also
  /// one that equals another.
  ShadowCover(std::size_t cols, double radius, CoverPath path = CoverPath::automatic);
  /// Continues from finite centres, which stay centres whatever their distances.
  ShadowCover(Matrix<double> centres, double radius, CoverPath path = CoverPath::automatic);
  ~ShadowCover();
  ShadowCover(ShadowCover&&) noexcept;
  ShadowCover& operator=(ShadowCover&&) noexcept;

  /// Takes finite rows (the caller has checked) in order; the first has the number `first_row`.
  /// hits.size() == points.rows(). When it throws, some of the rows may have been taken.
  void add(MatrixView<const double> points, std::uint64_t first_row, std::span<Hit> hits,
           engine::Workers& workers);

  std::size_t size() const { return rows_.size(); }
  /// Valid until the next add().
  MatrixView<const double> centres() const;
  /// The number of the row that opened each centre; kNoRow for those given.
  std::span<const std::uint64_t> rows() const { return rows_; }
  double radius() const { return rule_.radius(); }
  /// Of the plain loop: each row with the centres up to its own. A measure of the data that depends
  /// on nothing else; the grid takes far fewer, tiles take some more or less.
  std::uint64_t distance_evaluations() const { return distance_evaluations_; }

 private:
  void add_batch(MatrixView<const double> points, std::uint64_t first_row, std::span<Hit> hits,
                 engine::Workers& workers);

  CoverRule rule_;
  std::size_t cols_;
  CoverPath path_;
  std::unique_ptr<CoverSearch> search_;  ///< made with the first rows, around which it is centred
  std::vector<std::uint64_t> rows_;
  double uncovered_share_ = 1;  ///< of the last batch
  std::uint64_t distance_evaluations_ = 0;
};

}  // namespace mercer::density
