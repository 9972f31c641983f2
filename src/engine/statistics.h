#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <mercer/matrix.h>

#include "engine/parallel.h"
#include "engine/tile.h"

namespace mercer::engine {

/// Weight, sum and scatter of feature vectors f with m entries, taken about a fixed `shift`:
///     sum w,   sum w (f - shift),   sum w (f - shift)(f - shift)^T.
/// Moments about the same shift add up, so the parts of a data set may be summed anywhere and in
/// any order. The shift only has to lie among the data: it keeps the scatter about the mean, which
/// is found at the end, from being a small difference of large sums.
class Moments {
 public:
  explicit Moments(std::vector<double> shift);

  std::size_t size() const { return shift_.size(); }
  std::span<const double> shift() const { return shift_; }
  double weight() const { return weight_; }
  std::uint64_t rows() const { return rows_; }
  std::vector<double> mean() const;
  /// sum w (f - mean)(f - mean)^T, m x m.
  Matrix<double> scatter() const;

  /// The sums of other rows. Where they were taken about another point they are moved to this one.
  /// Throws InvalidArgument when the number of features differs.
  void add(const Moments& other);

  /// As they are kept in files: sum about the shift, and the lower triangle of the scatter about
  /// it, row by row.
  struct Sums {
    std::vector<double> shift;
    std::vector<double> sum;
    std::vector<double> triangle;
    double weight = 0;
    std::uint64_t rows = 0;
  };
  Sums sums() const;
  static Moments from_sums(const Sums& sums);

  /// Bytes of the sums of m features.
  static double bytes(std::size_t m);

 private:
  template <class Tile, class Scatter>
  friend class MomentsPass;

  Moments about(std::vector<double> shift) const;
  double& scatter_about_shift(std::size_t i, std::size_t j);
  double scatter_about_shift(std::size_t i, std::size_t j) const;

  std::vector<double> shift_;
  std::size_t width_;        // of the panels that blocks_ are laid out in
  std::vector<double> sum_;  // padded to whole blocks
  Matrix<double> blocks_;    // kBlock x kBlock of the lower triangle a row, [panel][column][row]
  double weight_ = 0;
  std::uint64_t rows_ = 0;
};

/// Adds chunks of rows to moments: features of a chunk are written as panels by all threads, then
/// every thread takes blocks of the scatter. So there is one accumulator, whatever the number of
/// threads, and the order of summation is fixed by the position of the rows alone.
///
/// `Tile` is the precision of the features, `Scatter` that of their products. Float products are
/// summed over a few hundred rows only, then in double (Higham, Accuracy and stability of numerical
/// algorithms, 4.2).
///
/// Cost a row: the features and m^2 flops; memory 8 m^2 / 2 for the moments and kChunkRows m
/// values.
template <class Tile, class Scatter>
class MomentsPass {
 public:
  /// Rows taken at a time: whole blocks, and few enough for the features of 1000 landmarks (6 MB)
  /// to stay in a last-level cache beside their scatter, also where others use it too.
  static constexpr std::size_t kChunkRows = 8 * kBlock;

  explicit MomentsPass(Moments& moments);

  /// Writes the features of rows [kBlock b, ...) of the chunk as [panel][row][feature in panel],
  /// panels standing `panel_rows` rows apart.
  using Fill = std::function<void(std::size_t b, Tile* panels, std::size_t panel_rows)>;

  /// At most kChunkRows rows; only the last chunk may have fewer. `weights` may be empty.
  void add(std::size_t rows, std::span<const double> weights, const Fill& fill, Workers& workers);

 private:
  void fill_and_center(std::size_t block, std::size_t rows, const Fill& fill);
  void add_products(std::size_t i, std::size_t j, std::size_t begin, std::size_t end,
                    Scatter* out) const;
  void add_block(std::size_t block, std::size_t rows);

  Moments& moments_;
  std::size_t blocks_;         // of features
  Matrix<Scatter> features_;   // panels of the chunk
  Matrix<double> block_sums_;  // sum of the features of each block of rows
  std::vector<double> roots_;  // square roots of the weights of the chunk
  std::vector<double> padded_shift_;
};

}  // namespace mercer::engine
